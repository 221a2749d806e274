"""Whatever ends a render, nothing half-made stays under a final name, and a plain rerun gives the very same films.

Each test runs the command line, or a script, in processes of its own and really kills them.
"""

import os
import re
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from files import whole
from scenes.rendering import FilmOptions
from tests.small_lesson import tools
from tests.small_lesson.moving import HALT

RENDER = ("render", "moving", "--quality", "l", "--out")
SEGMENTS = 8  # of the scene: all but the one in which it stands still, and somebody else's
WRITTEN = ("moving.mp4", "moving.srt", "moving.vtt")


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """What an undisturbed render writes, by name."""
    out = tmp_path_factory.mktemp("expected")
    with pytest.MonkeyPatch.context() as patch:
        tools.use_small_lesson(patch)
        return {path.name: path.read_bytes() for path in tools.rendered("moving", out, FilmOptions("l"))}


@pytest.fixture
def out(tmp_path):
    """A folder for films, in which somebody else has files too, and an older film stands."""
    folder = tmp_path / "films"
    place_foreign(folder)
    (folder / "moving.mp4").write_bytes(b"an older film")
    return folder


FOREIGN = (
    "notes.txt",
    "moving.mp4.bak",
    "moving-1.mov",
    ".moving.part.mp4",
    ".moving.mp4.part",
    ".holiday.4321.part.mp4",
    ".cache/notes.txt",
    ".cache/segments/notes.txt",
    ".cache/segments/holiday.mp4",
    f".cache/segments/{'0' * 40}.txt",
    f".cache/segments/{'0' * 39}.mp4",
    ".cache/segments/old.scratch/text.svg",
)


def place_foreign(folder):
    for name in FOREIGN:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"somebody else's {name}")
        os.utime(path, (1e9, 1e9))


def ours(out):
    """Files and folders that are not somebody else's, below a folder of films, and not whole segments or plans."""
    for name in FOREIGN:
        path = out / name
        assert path.read_text() == f"somebody else's {name}"
        assert path.stat().st_mtime == 1e9
    return sorted(
        str(path.relative_to(out))
        for path in out.rglob("*")
        if str(path.relative_to(out)) not in (*FOREIGN, ".cache", ".cache/segments", ".cache/segments/old.scratch")
        and not re.fullmatch(r"[0-9a-f]{40}\.(mp4|json)", path.name)
    )


def left_over(out):
    """Parts of files and scratch folders, which only a process at work may have."""
    return [name for name in ours(out) if name not in (*WRITTEN, ".cache/segments/claims")]


def halted(out, tmp_path, jobs=2, **options):
    """A render that stands still in the middle of a segment; gives its process and that of the one that stands."""
    mark = tmp_path / "halted"
    process = tools.start(*RENDER, out, "--jobs", jobs, env={HALT: str(mark)}, **options)
    tools.wait_until(lambda: mark.exists() and mark.read_text().endswith("\n"), "nothing stands still", process)
    if jobs > 1:
        # The other one has made the rest meanwhile, and waits for this last segment.
        tools.wait_until(lambda: len(tools.segments(out)) >= SEGMENTS, "the others do not go on", process)
    return process, int(mark.read_text())


def assert_rerun_completes(out, expected, jobs=1, known=()):
    """A plain rerun, in which what was whole is taken as it is."""
    process = tools.run(*RENDER, out, "--jobs", jobs)
    assert process.returncode == 0, process.stderr
    assert process.stdout.splitlines() == [str(out / name) for name in WRITTEN]
    assert {name: (out / name).read_bytes() for name in WRITTEN} == expected
    assert left_over(out) == []
    assert {path: path.stat().st_ino for path, _ in known} == dict(known)


def inodes(out):
    """The segments that are whole, and which files they are."""
    return [(path, path.stat().st_ino) for path in tools.segments(out)]


# Kill


def test_a_worker_that_is_killed_is_replaced_by_the_others(out, expected, tmp_path):
    process, worker = halted(out, tmp_path)
    assert worker != process.pid
    time.sleep(2)
    assert process.poll() is None  # the others wait
    os.kill(worker, signal.SIGKILL)
    paths, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert paths.splitlines() == [str(out / name) for name in WRITTEN]
    assert {name: (out / name).read_bytes() for name in WRITTEN} == expected
    assert left_over(out) == []
    assert "Traceback" not in errors
    assert "semaphore" not in errors
    assert_rerun_completes(out, expected, known=inodes(out))


def test_a_parent_that_is_killed_takes_its_workers_with_it_and_blocks_nobody(out, expected, tmp_path):
    process, worker = halted(out, tmp_path)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    tools.wait_until(lambda: not tools.is_alive(worker), "a worker lives on")
    tools.wait_until(lambda: not tools.group_lives(process.pid), "another worker lives on")
    assert (out / "moving.mp4").read_bytes() == b"an older film"
    assert any(name.endswith(".part.mp4") for name in left_over(out))
    assert any(name.endswith(".scratch") for name in left_over(out))
    assert_rerun_completes(out, expected, jobs=2, known=inodes(out))


def test_a_render_in_one_process_that_is_killed_blocks_nobody(out, expected, tmp_path):
    process, worker = halted(out, tmp_path, jobs=1)
    assert worker == process.pid
    whole = inodes(out)
    process.kill()
    process.communicate(timeout=60)
    assert (out / "moving.mp4").read_bytes() == b"an older film"
    assert any(name.endswith(".part.mp4") for name in left_over(out))
    # Some text's file may have been cut as well.
    for text in tools.cache(out).glob("?????*.scratch/*.svg"):
        if text.parent.name != "old.scratch":
            text.write_bytes(b"")
    assert_rerun_completes(out, expected, known=whole)


def test_a_part_of_a_film_that_a_killed_process_left_goes(out, expected):
    """Killed while it joined a film: the part has the number of a process that lives no more."""
    dead = subprocess.Popen(["true"])
    dead.wait()
    with whole(out / "moving.mp4") as part:
        shutil.copy(out / "moving.mp4", part)
    here = part.name.split(".")[2].partition("-")[0]
    parts = [out / f".moving.{here}-{dead.pid}.part.{suffix}" for suffix in ("mp4", "srt", "vtt")]
    for part in parts:
        part.write_bytes(b"half")
    living = out / f".moving.{here}-{os.getpid()}.part.mp4"  # of another run, which is at it
    living.write_bytes(b"half")
    process = tools.run(*RENDER, out, "--jobs", "1")
    assert process.returncode == 0, process.stderr
    assert left_over(out) == [living.name]
    assert (out / "moving.mp4").read_bytes() == expected["moving.mp4"]


# Signals


@pytest.mark.parametrize(
    ("number", "jobs"),
    [(signal.SIGINT, 2), (signal.SIGTERM, 2), (signal.SIGINT, 1), (signal.SIGHUP, 1)],
    ids=["INT-2", "TERM-2", "INT-1", "HUP-1"],
)
def test_a_signal_stops_all_at_once_and_a_rerun_goes_on(number, jobs, out, expected, tmp_path):
    """Ctrl-C reaches every process at a terminal, and so does a terminal that is closed; `kill` reaches one."""
    process, _ = halted(out, tmp_path, jobs)
    whole = inodes(out)
    (os.kill if number == signal.SIGTERM else os.killpg)(process.pid, number)
    paths, errors = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert paths == ""
    assert "Traceback" not in errors
    assert "Warning" not in errors
    assert left_over(out) == []
    assert (out / "moving.mp4").read_bytes() == b"an older film"
    tools.wait_until(lambda: not tools.group_lives(process.pid), "a worker lives on")
    assert_rerun_completes(out, expected, jobs=jobs, known=whole)


def test_a_signal_while_workers_start_is_as_quiet(out):
    """When a worker only begins to import what it needs, it has not learnt yet to leave interrupts to its parent."""
    process = tools.start(*RENDER, out, "--jobs", "2")
    tools.wait_until(
        lambda: len(group(process.pid)) > 2, "no worker is started", process
    )  # the parent, its helper, a worker
    os.killpg(process.pid, signal.SIGINT)
    paths, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert paths == ""
    assert "Traceback" not in errors
    assert "KeyboardInterrupt" not in errors
    assert left_over(out) == []


def test_an_interrupt_is_for_the_parent_alone_from_a_workers_first_moment(out, expected):
    """It reaches workers too, which leave it alone while they begin to import what they need, and after that."""
    process = tools.start(*RENDER, out, "--jobs", "2")
    workers = set()
    while len(workers) < 2:
        for worker in set(group(process.pid, "multiprocessing.spawn")) - workers:
            os.kill(worker, signal.SIGINT)
            workers.add(worker)
        assert process.poll() is None, process.communicate()
    paths, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    assert paths.splitlines() == [str(out / name) for name in WRITTEN]
    assert "Traceback" not in errors
    assert {name: (out / name).read_bytes() for name in WRITTEN} == expected


def group(leader, command=""):
    """The processes of a group, whose command lines contain ``command``."""
    shown = subprocess.run(["ps", "-A", "-ww", "-o", "pid=,pgid=,args="], capture_output=True, text=True, check=True)
    rows = (row.split(None, 2) for row in shown.stdout.splitlines())
    return [int(pid) for pid, pgid, *rest in rows if int(pgid) == leader and command in "".join(rest)]


# Several renders at once


def test_six_renders_at_once_of_one_scene_into_one_folder_all_end_well(out, expected):
    processes = [tools.start(*RENDER, out, "--jobs", "1") for _ in range(6)]
    results = [process.communicate(timeout=240) for process in processes]
    for process, (paths, errors) in zip(processes, results, strict=True):
        assert process.returncode == 0, errors
        assert paths.splitlines() == [str(out / name) for name in WRITTEN]
        assert "Traceback" not in errors
    assert {name: (out / name).read_bytes() for name in WRITTEN} == expected
    assert left_over(out) == []
    assert_rerun_completes(out, expected, known=inodes(out))


def test_a_second_render_takes_over_when_the_first_is_killed(out, expected, tmp_path):
    """It waits for the segment that the first one has claimed, and makes it when that one is gone."""
    first, _ = halted(out, tmp_path, jobs=1)
    whole = inodes(out)
    second = tools.start(*RENDER, out, "--jobs", "1")
    tools.wait_until(lambda: len(tools.segments(out)) >= SEGMENTS, "the second does not make the rest", second)
    time.sleep(2)
    assert second.poll() is None
    assert first.poll() is None
    first.kill()
    first.communicate(timeout=60)
    paths, errors = second.communicate(timeout=120)
    assert second.returncode == 0, errors
    assert paths.splitlines() == [str(out / name) for name in WRITTEN]
    assert {name: (out / name).read_bytes() for name in WRITTEN} == expected
    assert dict(whole).items() <= dict(inodes(out)).items()
    assert_rerun_completes(out, expected)  # it sweeps up what the first one left while the second was at work


def test_films_are_the_same_bytes_whatever_the_number_of_processes(out, expected):
    process = tools.run(*RENDER, out, "--jobs", 3)
    assert process.returncode == 0, process.stderr
    assert {name: (out / name).read_bytes() for name in WRITTEN} == expected
    assert left_over(out) == []


@pytest.mark.parametrize("form", ["webm", "mov", "gif"])
def test_other_films_are_the_same_whatever_the_number_of_processes(form, tmp_path):
    transparent = form != "gif"
    process = tools.run_code(
        f"""
        for jobs in (1, 3):
            options = FilmOptions("l", {form!r}, {transparent}, captions="none")
            for path in rendering.render(["moving"], Parameters(), options, out / str(jobs), jobs=jobs):
                print(path)
        """,
        tmp_path,
    )
    assert process.returncode == 0, process.stderr
    one, other = map(Path, process.stdout.splitlines())
    if form == "webm":
        assert tools.same_frames(tools.decoded(one, "libvpx-vp9"), tools.decoded(other, "libvpx-vp9"))
    else:
        assert one.read_bytes() == other.read_bytes()
    assert [path.name for path in tools.segments(one.parent)] == [path.name for path in tools.segments(other.parent)]


def test_processes_share_the_work(tmp_path):
    """No segment is made twice: every one that is begun in one process is left alone by the others."""
    process = tools.run_code(
        'list(rendering.render(["moving", "closing"], Parameters(), FilmOptions("l"), out, jobs=3))',
        tmp_path,
        every_process="""
        import os
        made = rendering.SegmentEncoder.__init__

        def note(self, **options):
            with open(os.environ["MADE"], "a") as file:
                print(options["target"].stem, file=file)
            made(self, **options)

        rendering.SegmentEncoder.__init__ = note
        """,
        MADE=str(tmp_path / "made"),
    )
    assert process.returncode == 0, process.stderr
    made = (tmp_path / "made").read_text().split()
    assert sorted(made) == sorted({path.stem for path in tools.segments(tmp_path / "out")})


# Disks


@pytest.mark.parametrize(("limit", "jobs"), [(100, 1), (1800, 2), (4000, 1)])
def test_a_full_disk_is_said_and_a_rerun_goes_on(limit, jobs, out, expected):
    """No file may become longer than the limit, as if the disk were full then; some segments are shorter."""
    process = tools.run(*RENDER, out, "--jobs", jobs, env={"ROOTDK_TEST_FILE_BYTES": str(limit)})
    assert process.returncode == 1
    assert process.stdout == ""
    (line,) = (line for line in process.stderr.splitlines() if line.startswith("Error: "))
    assert re.search(r"make room", line)
    assert str(out) in line
    assert "Traceback" not in process.stderr
    assert left_over(out) == []
    assert (out / "moving.mp4").read_bytes() == b"an older film"
    assert_rerun_completes(out, expected, known=inodes(out))


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("place", [".cache", ".cache/segments"])
def test_a_cache_that_cannot_be_is_said(place, jobs, tmp_path):
    """A file stands in its place, which hinders a superuser too."""
    out = tmp_path / "films"
    (out / place).parent.mkdir(parents=True)
    (out / place).write_text("somebody else's")
    process = tools.run(*RENDER, out, "--jobs", jobs)
    assert process.returncode == 1
    assert process.stdout == ""
    assert str(out / ".cache" / "segments") in process.stderr
    assert "cannot be written" in process.stderr
    assert "Traceback" not in process.stderr
    assert (out / place).read_text() == "somebody else's"
    assert [path.name for path in out.rglob("*") if path.is_file()] == [Path(place).name]


READ_ONLY = """
import os
list(rendering.render(["moving"], Parameters(), FilmOptions("l"), out))  # by one who may write, and loads all modules
cache = out / rendering.CACHE / "segments"
if sys.argv[2] == "a segment is missing":
    next(path for path in sorted(cache.glob("*.mp4"))).unlink()
for path in cache.rglob("*"):
    path.chmod(0o444)
cache.chmod(0o555)
out.chmod(0o777)
for path in out.glob("moving.*"):
    path.unlink()
if os.geteuid() == 0:
    os.seteuid(65534)  # to whom permissions apply
try:
    (cache / "may I?").write_text("")
except PermissionError:
    print("read-only")
try:
    for path in rendering.render(["moving"], Parameters(), FilmOptions("l"), out):
        print(path.name)
except rendering.RenderError as error:
    print("RenderError", error)
"""


@pytest.fixture
def open_folder():
    """A folder below which everybody may look, unlike pytest's own."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    for path in folder.rglob("*"):
        if path.is_dir():
            path.chmod(stat.S_IRWXU)
    shutil.rmtree(folder)


@pytest.mark.parametrize("state", ["all is there", "a segment is missing"])
def test_a_read_only_cache_serves_what_it_has_and_says_what_it_has_not(state, expected, open_folder):
    process = tools.run_code(READ_ONLY, open_folder, arguments=[state])
    assert process.returncode == 0, process.stderr
    first, *lines = process.stdout.splitlines()
    assert first == "read-only"
    out = open_folder / "out"
    if state == "all is there":
        assert lines == list(WRITTEN)
        assert {name: (out / name).read_bytes() for name in WRITTEN} == expected
    else:
        (line,) = lines
        assert line.startswith("RenderError moving: ")
        assert f"{tools.cache(out)} cannot be written" in line
        assert [path.name for path in out.iterdir()] == [".cache"]


# Elsewhere


def test_nothing_is_written_elsewhere(out, expected, tmp_path):
    """Neither in the current folder, nor at home, nor where temporary files go, nor when it is interrupted."""
    places = {name: tmp_path / name for name in ("home", "tmp", "here")}
    for place in places.values():
        place.mkdir()
    env = {"HOME": str(places["home"]), "TMPDIR": str(places["tmp"]), "PYTHONDONTWRITEBYTECODE": "1"}
    process = tools.run(*RENDER, out, "--jobs", "2", cwd=places["here"], env=env)
    assert process.returncode == 0, process.stderr
    assert {name: (out / name).read_bytes() for name in WRITTEN} == expected
    assert {name: sorted(os.listdir(place)) for name, place in places.items()} == {"home": [], "tmp": [], "here": []}
