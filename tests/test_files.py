"""A file under its final name is whole: whatever happens while it is written, what stood there before stays."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import files
from files import whole

ROOT = Path(__file__).resolve().parents[1]


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("name", ["film.mp4", "no suffix", ".hidden", "two.dots.svg", "é中文 #100% don't {x}.png"])
def test_a_file_has_its_name_only_when_it_is_whole(name, tmp_path):
    path = tmp_path / "made" / "on the way" / name
    with whole(path) as part:
        assert part.parent == path.parent  # renaming across disks would be copying
        assert part.suffix == path.suffix or not path.suffix  # libraries choose the format by it
        assert part.name.startswith(".")
        part.write_bytes(b"half")
        assert not path.exists()
        part.write_bytes(b"half and half")
    assert path.read_bytes() == b"half and half"
    assert names(path.parent) == [name]


def test_an_older_file_stays_until_the_new_one_is_whole(tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"old")
    with whole(path) as part:
        part.write_bytes(b"new")
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [ValueError, OSError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("begun", [False, True])
def test_nothing_is_left_of_a_file_that_came_to_nothing(begun, error, tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"old")

    def fail():
        with whole(path) as part:
            if begun:
                part.write_bytes(b"half")
            raise error("in the middle")

    with pytest.raises(error, match="in the middle"):
        fail()
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["film.mp4"]


def test_a_file_that_cannot_take_its_name_is_an_error_and_leaves_nothing(tmp_path):
    (tmp_path / "film.mp4").mkdir()
    with pytest.raises(OSError, match=r"film\.mp4"), whole(tmp_path / "film.mp4") as part:
        part.write_bytes(b"new")
    assert names(tmp_path) == ["film.mp4"]


def test_a_block_that_writes_nothing_is_an_error_and_keeps_the_older_file(tmp_path):
    path = tmp_path / "film.mp4"
    path.write_bytes(b"old")
    with pytest.raises(FileNotFoundError, match="film"), whole(path):
        pass
    assert path.read_bytes() == b"old"


def test_a_folder_that_cannot_be_is_an_error(tmp_path):
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(OSError, match="taken"), whole(tmp_path / "taken" / "film.mp4"):
        pass
    assert names(tmp_path) == ["taken"]


def test_processes_that_write_one_file_do_not_meet(tmp_path):
    """Six processes write it over and over, each with bytes of its own; it is always one process's whole work."""
    path = tmp_path / "film.mp4"
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from files import whole\n"
        "for _ in range(40):\n"
        "    with whole(Path(sys.argv[1])) as part:\n"
        "        with part.open('wb') as file:\n"
        "            for _ in range(50):\n"
        "                file.write(sys.argv[2].encode() * 100)\n"
        "                file.flush()\n"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), letter], cwd=ROOT) for letter in "abcdef"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        if path.exists():
            content = path.read_bytes()
            assert len(content) == 5000
            assert len(set(content)) == 1
            seen.add(content[:1])
    assert [writer.returncode for writer in writers] == [0] * 6
    assert seen
    assert names(tmp_path) == ["film.mp4"]


# What killed processes leave


def left(path, here, process, age=0.0):
    """A part of ``path`` that some process of some machine has begun, and not touched for ``age`` seconds."""
    part = path.with_name(f".{path.stem}.{here}-{process}.part{path.suffix}")
    part.write_bytes(b"half")
    os.utime(part, (time.time() - age,) * 2)
    return part


def write(path):
    with whole(path) as part:
        part.write_bytes(b"new")


def test_what_a_dead_process_left_goes_and_what_a_living_one_is_at_stays(tmp_path):
    path = tmp_path / "film.mp4"
    with whole(path) as part:
        part.write_bytes(b"new")
        here = part.name.split(".")[2].partition("-")[0]
    dead = subprocess.Popen(["true"])
    dead.wait()
    gone = left(path, here, dead.pid)
    kept = [left(path, here, os.getppid()), left(tmp_path / "other.mp4", here, dead.pid)]
    write(path)
    assert not gone.exists()
    assert all(part.exists() for part in kept)


@pytest.mark.parametrize(("hours", "stays"), [(23, True), (25, False)])
def test_a_part_of_another_machine_is_judged_by_its_age(hours, stays, tmp_path):
    """Its process numbers mean nothing here: there may be no such process, or quite another one."""
    dead = subprocess.Popen(["true"])
    dead.wait()
    parts = [left(tmp_path / "film.mp4", "0123abcd", process, 3600 * hours) for process in (dead.pid, os.getppid())]
    write(tmp_path / "film.mp4")
    assert [part.exists() for part in parts] == [stays, stays]


def test_containers_that_share_a_folder_do_not_take_each_others_processes_for_dead(monkeypatch):
    names = set()
    for machine in ("one", "another"):
        monkeypatch.setattr(files.platform, "node", lambda machine=machine: machine)
        files._here.cache_clear()
        names.add(files._here())
    files._here.cache_clear()
    assert len(names) == 2
