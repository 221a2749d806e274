"""Files appear under their final name only when they are whole."""

import os
import platform
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

ABANDONED = 24 * 3600  # seconds; a part that another machine has not touched for so long is nobody's any more


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a name beside ``path`` to write to; it becomes ``path`` when the block ends without an error.

    What stood at ``path`` stays until then, and nothing is left behind when the block fails. The
    temporary name keeps the suffix, since writers choose the format by it, and says which process of which
    machine or container writes, so that none meets another, nor takes its part for a dead one's.

    Raises
    ------
    OSError
        The folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    part = path.with_name(f".{path.stem}.{_here()}-{os.getpid()}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


@cache
def _here() -> str:
    """Where process numbers mean what they mean here: a name of this machine, and of the container if it is one."""
    try:
        numbers: float = os.stat("/proc/self/ns/pid").st_ino
    except OSError:  # not a Linux
        numbers = 0
    return f"{zlib.crc32(f'{platform.node()} {numbers}'.encode()):08x}"


def _sweep(path: Path) -> None:
    """Remove what processes that were killed while they wrote ``path`` have left."""
    left = re.compile(rf"\.{re.escape(path.stem)}\.([0-9a-f]{{8}})-(\d+)\.part{re.escape(path.suffix)}")
    for name in os.listdir(path.parent):
        match = left.fullmatch(name)
        if match and not (_lives(int(match[2])) if match[1] == _here() else _is_recent(path.with_name(name))):
            path.with_name(name).unlink(missing_ok=True)


def _is_recent(part: Path) -> bool:
    try:
        return time.time() - part.stat().st_mtime < ABANDONED
    except OSError:  # it is gone
        return False


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True
