"""Files appear under their final name only when they are whole."""

import errno
import os
import platform
import re
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

OWNER = r"([0-9a-f]{8})-(\d+)"  # how names say whose they are: a machine, and a process of it
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
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
        The folder cannot be made or written; it names ``path``, not the temporary name.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    part = path.with_name(f".{path.stem}.{owner()}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        if error.errno and (error.filename == str(part) or (error.errno in FULL and not error.filename)):
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise
    finally:
        part.unlink(missing_ok=True)


def owner() -> str:
    """A part of a name that says which process of which machine, or container, uses what it names."""
    return f"{_here()}-{os.getpid()}"


def is_abandoned(path: Path, here: str, process: str) -> bool:
    """Whether the owner of ``path``, by two parts of its name, has ended; elsewhere, whether that seems long ago."""
    if here == _here():
        return not _lives(int(process))
    try:
        return time.time() - path.stat().st_mtime > ABANDONED
    except OSError:  # it is gone
        return False


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
    left = re.compile(rf"\.{re.escape(path.stem)}\.{OWNER}\.part{re.escape(path.suffix)}")
    for name in os.listdir(path.parent):
        match = left.fullmatch(name)
        if match and is_abandoned(path.with_name(name), *match.groups()):
            path.with_name(name).unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:  # not a Linux
        return True
    return status.rpartition(")")[2].split()[0] not in ("Z", "X")  # ended, but nobody asked how: common in containers
