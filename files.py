"""Files appear under their final name only when they are whole."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Give a name beside ``path`` to write to; it becomes ``path`` when the block ends without an error.

    What stood at ``path`` stays until then, and nothing is left behind when the block fails. The
    temporary name keeps the suffix, since writers choose the format by it, and holds the process
    number, so that processes writing one file do not meet.

    Raises
    ------
    OSError
        The folder cannot be made or written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _sweep(path)
    part = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _sweep(path: Path) -> None:
    """Remove what processes that were killed while they wrote ``path`` have left."""
    left = re.compile(rf"\.{re.escape(path.stem)}\.(\d+)\.part{re.escape(path.suffix)}")
    for name in os.listdir(path.parent):
        match = left.fullmatch(name)
        if match and not _lives(int(match[1])):
            path.with_name(name).unlink(missing_ok=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True
