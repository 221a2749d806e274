"""A file under its final name is whole: whatever happens while it is written, what stood there before stays."""

import subprocess
import sys
from pathlib import Path

import pytest

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
