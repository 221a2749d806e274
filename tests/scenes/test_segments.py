"""The cache of segments: nothing in it is trusted, the dead block nobody, and what is not ours is not touched."""

import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import av
import numpy as np
import pytest

from files import owner
from scenes import segments as module
from scenes.segments import Quality, Segments, frames_in
from tests.small_lesson import tools

TINY = Quality(64, 36, 15)
CODECS = {".mp4": "libx264", ".mov": "libx264", ".webm": "libvpx-vp9"}
DAY = 24 * 3600.0


def key():
    """A name as segments have it."""
    return secrets.token_hex(20)


def encode(path, frames=12, quality=TINY):
    """Write a film of noise, which is long enough to be cut in many places."""
    noise = np.random.default_rng(0)
    with av.open(path, "w") as container:
        stream = container.add_stream(CODECS[path.suffix], rate=quality.frame_rate)
        stream.width, stream.height, stream.pix_fmt = quality.width, quality.height, "yuv420p"
        for _ in range(frames):
            picture = noise.integers(0, 255, (quality.height, quality.width, 3), dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
        container.mux(stream.encode())
    return path


# What a segment is


@pytest.mark.parametrize("suffix", CODECS)
@pytest.mark.parametrize("frames", [1, 12])
def test_a_whole_segment_is_known_by_its_frames(suffix, frames, tmp_path):
    assert frames_in(encode(tmp_path / f"segment{suffix}", frames), TINY) == frames


def test_a_segment_of_another_size_is_none(tmp_path):
    path = encode(tmp_path / "segment.mp4")
    assert frames_in(path, Quality(64, 38, 15)) is None
    assert frames_in(path, Quality(66, 36, 15)) is None


@pytest.mark.parametrize("suffix", CODECS)
def test_a_segment_cut_anywhere_is_found_out(suffix, tmp_path):
    """A film that says it has all its frames shows all of them."""
    path = encode(tmp_path / f"segment{suffix}")
    whole, shown = path.read_bytes(), tools.decoded(path)
    cut = tmp_path / f"cut{suffix}"
    lengths = {*range(0, len(whole), len(whole) // 40), *range(len(whole) - 40, len(whole)), 1, 4, 8}
    found = []
    for length in sorted(lengths):
        cut.write_bytes(whole[:length])
        if frames_in(cut, TINY) == len(shown):
            assert tools.same_frames(tools.decoded(cut), shown)
            found.append(length)
    assert min(found, default=len(whole)) > len(whole) - 100  # the index at the end of a webm may be missing, no more


@pytest.mark.parametrize("content", [b"", b"\0" * 5000, b"not a film", "é中文".encode() * 100, os.urandom(3000)])
@pytest.mark.parametrize("suffix", CODECS)
def test_what_is_no_film_is_no_segment(content, suffix, tmp_path):
    path = tmp_path / f"segment{suffix}"
    path.write_bytes(content)
    assert frames_in(path, TINY) is None


def test_neither_nothing_nor_a_folder_nor_a_sound_is_a_segment(tmp_path):
    assert frames_in(tmp_path / "nothing.mp4", TINY) is None
    assert frames_in(tmp_path, TINY) is None
    sound = tmp_path / "sound.mp4"
    with av.open(sound, "w") as container:
        stream = container.add_stream("aac", rate=8000)
        silence = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        silence.sample_rate = 8000
        container.mux(stream.encode(silence))
        container.mux(stream.encode())
    assert frames_in(sound, TINY) is None


# Claims, on real processes

HOLDER = """
import sys, time
from pathlib import Path
from files import owner
from scenes.segments import Segments
segments = Segments(Path(sys.argv[1]))
print(segments.claim(sys.argv[2]), flush=True)
with segments.scratch() as folder:
    (folder / "emptied.svg").write_text("")
    part = segments.folder / f".{sys.argv[2]}.{owner()}.part.mp4"
    part.write_bytes(b"half")
    print(folder, flush=True)
    sys.stdin.readline()
part.unlink()
segments.release(sys.argv[2])
print("released", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that claims a segment, and has half of it and a scratch folder; gives it and the segment."""
    name = key()
    arguments = [sys.executable, "-c", HOLDER, str(tmp_path), name]
    with subprocess.Popen(arguments, cwd=tools.ROOT, stdin=-1, stdout=-1, text=True) as process:
        try:
            assert process.stdout.readline() == "True\n"
            process.scratch = Path(process.stdout.readline().strip())
            yield process, name
        finally:
            process.kill()


def test_a_claim_is_one_processes_alone(holder, tmp_path):
    process, name = holder
    segments = Segments(tmp_path)
    assert not segments.claim(name)
    assert segments.is_claimed(name)
    other = key()
    assert segments.claim(other)
    assert segments.claim(other)  # it is ours already
    assert segments.is_claimed(other)
    print(file=process.stdin, flush=True)
    assert process.stdout.readline() == "released\n"
    assert not segments.is_claimed(name)
    assert segments.claim(name)
    segments.close()


@pytest.mark.parametrize("kill", [True, False])
def test_a_claim_that_is_waited_for_comes_when_it_is_given_up_and_when_its_process_dies(kill, holder, tmp_path):
    process, name = holder
    segments = Segments(tmp_path)
    waiting = threading.Thread(target=segments.claim, args=(name, True))
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    if kill:
        process.send_signal(signal.SIGKILL)
    else:
        print(file=process.stdin, flush=True)
    waiting.join(60)
    assert not waiting.is_alive()
    assert segments.is_claimed(name)
    segments.close()


def test_what_a_living_process_works_on_stays_and_what_a_dead_one_left_goes(holder, tmp_path):
    process, name = holder
    segments = Segments(tmp_path)
    (part,) = tmp_path.glob(".*.part.mp4")
    segments.sweep()
    assert part.exists()
    assert (process.scratch / "emptied.svg").exists()
    process.kill()
    process.wait()
    segments.sweep()
    assert [path.name for path in tmp_path.iterdir()] == ["claims"]
    assert segments.claim(name)
    segments.close()


def test_a_claim_of_one_segment_is_no_claim_of_another(tmp_path):
    segments = Segments(tmp_path)
    names = [f"{number:015x}{'0' * 25}" for number in (0, 1, 2, 2**60 - 1)] + [key() for _ in range(20)]
    assert all(map(segments.claim, names))
    seen = [subprocess_sees(tmp_path, name) for name in (names[0], names[3], key())]
    assert seen == ["True", "True", "False"]
    segments.release(names[0])
    assert subprocess_sees(tmp_path, names[0]) == "False"
    assert subprocess_sees(tmp_path, names[1]) == "True"
    segments.close()
    assert subprocess_sees(tmp_path, names[1]) == "False"


def subprocess_sees(folder, name):
    """Whether another process takes ``name`` for claimed."""
    code = "import sys; from pathlib import Path; from scenes.segments import Segments; "
    code += "print(Segments(Path(sys.argv[1])).is_claimed(sys.argv[2]))"
    arguments = [sys.executable, "-c", code, str(folder), name]
    return subprocess.run(arguments, cwd=tools.ROOT, capture_output=True, text=True, check=True).stdout.strip()


def test_a_scratch_folder_is_new_each_time_and_goes_whatever_happens(tmp_path):
    segments = Segments(tmp_path / "cache")
    with segments.scratch() as first, segments.scratch() as second:
        assert first != second
        assert first.is_dir()
        (second / "text.svg").write_text("<svg/>")
    assert list(segments.folder.glob("*.scratch")) == []

    def fail():
        with segments.scratch() as folder:
            (folder / "half.svg").write_text("<sv")
            raise KeyboardInterrupt("in the middle")

    with pytest.raises(KeyboardInterrupt, match="in the middle"):
        fail()
    assert list(segments.folder.glob("*.scratch")) == []
    segments.close()


# Plans


def test_a_plan_is_kept_as_it_was(tmp_path):
    segments = Segments(tmp_path)
    name, plan = key(), {"scene": "é", "frames": [1, 2], "nothing": None}
    assert segments.read_plan(name) is None
    segments.write_plan(name, plan)
    assert segments.read_plan(name) == plan
    assert [path.suffix for path in tmp_path.iterdir() if path.name != "claims"] == [".json"]
    segments.close()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"\0" * 100, b"[" * 200_000, b"[]", b"{}", b'{"scene": "growth"}', b"7"]
)
def test_a_plan_that_is_not_whole_is_none(content, tmp_path):
    segments, name = Segments(tmp_path), key()
    segments.write_plan(name, {"scene": "growth"})
    (tmp_path / f"{name}.json").write_bytes(content)
    assert segments.read_plan(name) is None
    segments.close()


def test_a_plan_that_somebody_changed_or_moved_is_none(tmp_path):
    segments, name, other = Segments(tmp_path), key(), key()
    segments.write_plan(name, {"scene": "growth", "keys": ["a", "b"], "frames": [1, 2]})
    path = tmp_path / f"{name}.json"
    shutil.copy(path, tmp_path / f"{other}.json")
    assert segments.read_plan(other) is None
    kept = json.loads(path.read_text(encoding="utf-8"))
    kept["plan"]["keys"].pop()
    path.write_text(json.dumps(kept), encoding="utf-8")
    assert segments.read_plan(name) is None
    segments.close()


def test_what_is_no_file_is_no_segment(tmp_path):
    (tmp_path / "folder.mp4").mkdir()
    os.mkfifo(tmp_path / "pipe.mp4")  # which one could wait at for ever
    assert [frames_in(tmp_path / name, TINY) for name in ("folder.mp4", "pipe.mp4", "nothing.mp4")] == [None] * 3


def test_a_plan_being_written_is_not_swept_away_by_another_process(tmp_path, monkeypatch):
    segments, name = Segments(tmp_path), key()
    replace = Path.replace
    code = "import sys; from pathlib import Path; from scenes.segments import Segments; Segments(Path('.')).sweep()"

    def replace_late(self, target):
        subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=tools.environment(PYTHONPATH=str(tools.ROOT)))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replace_late)
    segments.write_plan(name, {"scene": "growth"})
    assert segments.read_plan(name) == {"scene": "growth"}
    segments.close()


# Housekeeping


FOREIGN = (
    "README",
    "holiday.mp4",
    f"{'0' * 40}.txt",
    f"{'0' * 40}",
    f"{'0' * 39}.mp4",
    f"{'G' * 40}.mp4",
    f"x{'0' * 40}.mp4",
    f"{'0' * 40}.mp4.bak",
    f".{'0' * 40}.part.mp4",
    f".{'0' * 40}.0123abcd-12.part.txt",
    ".film.0123abcd-12.part.mp4",
    "notes.scratch/text.svg",
    f"{'0' * 40}.scratch.bak/text.svg",
    f"{'1' * 40}/text.svg",
)


def place_foreign(folder):
    """Files of somebody else, old and large; gives how to see that they are as they were."""
    for name in FOREIGN:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"somebody else's" * 100)
        os.utime(path, (1e9, 1e9))
    return lambda: [(folder / name).read_bytes()[:8] for name in FOREIGN] == [b"somebody"] * len(FOREIGN)


def old(folder, days, size=1000, suffix=".mp4"):
    """A segment last used so many days ago."""
    path = folder / f"{key()}{suffix}"
    path.write_bytes(b"\0" * size)
    then = time.time() - days * DAY
    os.utime(path, (then, then))
    return path


def test_what_was_long_unused_goes_and_what_is_in_use_stays(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "KEEP_SECONDS", 10 * DAY)
    untouched = place_foreign(tmp_path)
    recent, ancient, used = old(tmp_path, 9), old(tmp_path, 11), old(tmp_path, 300)
    plan = old(tmp_path, 11, suffix=".json")
    Segments(tmp_path).prune([used])
    assert recent.exists()
    assert used.exists()
    assert not ancient.exists()
    assert not plan.exists()
    assert untouched()


def test_of_too_much_what_was_used_longest_ago_goes(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "KEEP_BYTES", 3500)
    untouched = place_foreign(tmp_path)
    paths = [old(tmp_path, days) for days in (5, 1, 4, 2, 3)]
    used = old(tmp_path, 20)
    Segments(tmp_path).prune([used])
    assert [path.exists() for path in paths] == [False, True, False, True, False]
    assert used.exists()
    assert untouched()


def test_what_is_in_use_stays_though_it_alone_is_too_much(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "KEEP_BYTES", 10)
    monkeypatch.setattr(module, "KEEP_SECONDS", 0.0)
    used = [old(tmp_path, days) for days in (1, 100)]
    rest = old(tmp_path, 0)
    Segments(tmp_path).prune(used)
    assert all(path.exists() for path in used)
    assert not rest.exists()


def test_nothing_goes_while_there_is_room(tmp_path):
    paths = [old(tmp_path, days) for days in (0, 1, 29)]
    Segments(tmp_path).prune([])
    assert all(path.exists() for path in paths)
    assert module.KEEP_SECONDS >= 7 * DAY
    assert module.KEEP_BYTES >= 2**30


def test_what_is_touched_counts_as_used_now(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "KEEP_SECONDS", 10 * DAY)
    path, missing = old(tmp_path, 300), tmp_path / f"{key()}.mp4"
    segments = Segments(tmp_path)
    segments.touch([path])
    segments.touch([missing])
    segments.prune([])
    assert path.exists()


def dead_owner():
    """The mark of a process of this machine that lives no more."""
    here, _, _ = owner().partition("-")
    dead = subprocess.Popen(["true"])
    dead.wait()
    return f"{here}-{dead.pid}"


def left_by(folder, mark):
    """Half a segment, and a scratch folder with a text, of the process that ``mark`` says."""
    half, scratch = folder / f".{key()}.{mark}.part.webm", folder / f"{key()}.{mark}.scratch"
    half.write_bytes(b"half")
    scratch.mkdir()
    (scratch / "emptied.svg").write_text("")
    return half, scratch


def test_what_a_living_process_is_at_stays_though_somebody_removed_the_claims(tmp_path):
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as living:
        here, _, _ = owner().partition("-")
        at_work, left = left_by(tmp_path, f"{here}-{living.pid}"), left_by(tmp_path, dead_owner())
        elsewhere = left_by(tmp_path, "0123abcd-1")  # another machine's, and new
        segments = Segments(tmp_path)
        segments.sweep()
        segments.close()
        assert all(path.exists() for path in (*at_work, *elsewhere))
        assert not any(path.exists() for path in left)


def test_what_a_process_left_that_ended_unasked_goes(tmp_path):
    """In a container often nobody asks how an orphan ended, and its number stays taken."""
    with subprocess.Popen(["true"]) as ended:
        tools.wait_until(lambda: not tools.is_alive(ended.pid), "it lives on")
        here, _, _ = owner().partition("-")
        left = left_by(tmp_path, f"{here}-{ended.pid}")
        segments = Segments(tmp_path)
        segments.sweep()
        segments.close()
        assert not any(path.exists() for path in left)


def test_sweeping_touches_nothing_that_is_not_ours_and_nothing_that_is_whole(tmp_path):
    untouched = place_foreign(tmp_path)
    segment, plan = old(tmp_path, 300), old(tmp_path, 300, suffix=".json")
    gone = left_by(tmp_path, dead_owner())
    segments = Segments(tmp_path)
    segments.sweep()
    segments.close()
    assert not any(path.exists() for path in gone)
    assert segment.exists()
    assert plan.exists()
    assert untouched()


@pytest.mark.parametrize("inside", [False, True])
def test_a_folder_that_cannot_be_is_no_reason_to_fail_before_something_is_to_be_written(inside, tmp_path):
    """A file stands in the folder's place, which hinders even a superuser."""
    taken = tmp_path / "taken"
    taken.write_text("a file")
    segments = Segments(taken / "segments" if inside else taken)
    name = key()
    segments.sweep()
    segments.prune([])
    assert segments.claim(name)
    segments.release(name)
    segments.claim(name, wait=True)
    assert segments.read_plan(name) is None
    with pytest.raises(OSError, match="taken"):
        segments.write_plan(name, {})
    with pytest.raises(OSError, match="taken"), segments.scratch():
        pass
    segments.close()
    assert taken.read_text() == "a file"
    assert json.dumps(sorted(path.name for path in tmp_path.iterdir())) == '["taken"]'
