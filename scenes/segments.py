"""The cache of segments: small films named by all that they depend on, whole or absent, shared by every process.

Nothing here is trusted because of its name: a segment is opened and its frames are counted before it is used. Files
that have no name of ours are never touched.
"""

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import av

from files import OWNER, is_abandoned, owner, whole

KEEP_SECONDS = 30 * 24 * 3600  # how long an unused segment stays
KEEP_BYTES = 4 * 2**30  # how much all of them may take; those used last stay
IN_USE_SECONDS = 3600  # how long a segment stays whatever they take: another run may be about to join it
OURS = re.compile(r"[0-9a-f]{40}\.(?:mp4|webm|mov|json)")
SCRATCH = re.compile(rf"([0-9a-f]{{40}})\.{OWNER}\.scratch")
PART = re.compile(rf"\.([0-9a-f]{{40}})\.{OWNER}\.part\.(?:mp4|webm|mov|json)")


@dataclass(frozen=True)
class Quality:
    """A picture size in pixels and a frame rate in frames a second."""

    width: int
    height: int
    frame_rate: int


def frames_in(path: Path, quality: Quality) -> int | None:
    """How many frames a segment holds; None when it is missing, cut or of another size."""
    if not path.is_file():
        return None
    try:
        with av.open(path) as container:
            stream = container.streams.video[0]
            if (stream.width, stream.height) != (quality.width, quality.height):
                return None
            return sum(1 for packet in container.demux(stream) if packet.size)
    except (OSError, av.error.FFmpegError, IndexError, AttributeError):  # the last: a stream that is not described
        return None


def _seal(key: str, plan: Any) -> str:
    return hashlib.sha256(f"{key}\0{json.dumps(plan, sort_keys=True)}".encode()).hexdigest()


class Segments:
    """The segments below one folder, and which of them this process has claimed.

    A claim is a lock on one byte of a file, so it ends with the process that holds it, however that dies. Where the
    folder cannot be written there are no claims, and every process may think that a segment is its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._locks: int | None = None
        self._held: set[str] = set()

    def path(self, key: str, suffix: str) -> Path:
        """Where the segment ``key`` stands."""
        return self.folder / f"{key}{suffix}"

    def claim(self, key: str, wait: bool = False) -> bool:
        """Say that this process makes ``key``; False when another one does, unless told to ``wait`` for it."""
        if key in self._held:
            return True
        try:
            fcntl.lockf(self._file(), fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, self._byte(key))
        except BlockingIOError:
            return False
        except OSError:
            return True
        self._held.add(key)
        return True

    def release(self, key: str) -> None:
        """Say that ``key`` is made, or given up."""
        if key in self._held:
            self._held.discard(key)
            fcntl.lockf(self._file(), fcntl.LOCK_UN, 1, self._byte(key))

    def is_claimed(self, key: str) -> bool:
        """Whether some process, this one or another, is making ``key``."""
        if key in self._held:
            return True
        free = self.claim(key)
        if free:
            self.release(key)
        return not free

    def close(self) -> None:
        """Give up all claims."""
        if self._locks is not None:
            os.close(self._locks)
        self._locks = None
        self._held.clear()

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder for this process alone, gone afterwards: Manim's files for texts are not safe to share."""
        key = secrets.token_hex(20)
        self.claim(key)
        folder = self.folder / f"{key}.{owner()}.scratch"
        try:
            folder.mkdir(parents=True)
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            self.release(key)

    def _file(self) -> int:
        if self._locks is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._locks = os.open(self.folder / "claims", os.O_RDWR | os.O_CREAT, 0o666)
        return self._locks

    @staticmethod
    def _byte(key: str) -> int:
        return int(key[:15], 16)  # below 2**60, as far as file offsets go

    # Plans: what a scene consists of

    def read_plan(self, key: str) -> Any:
        """What was kept as ``key``; None when there is nothing, or anything else."""
        try:
            kept = json.loads(self.path(key, ".json").read_text(encoding="utf-8"))
            return kept["plan"] if kept["seal"] == _seal(key, kept["plan"]) else None
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return None

    def write_plan(self, key: str, plan: Any) -> None:
        """Keep ``plan``, anything that JSON can hold, as ``key``."""
        self.claim(key, wait=True)  # so that nobody sweeps it away half-written
        try:
            with whole(self.path(key, ".json")) as part:
                part.write_text(json.dumps({"plan": plan, "seal": _seal(key, plan)}), encoding="utf-8")
        finally:
            self.release(key)

    # Housekeeping

    def sweep(self) -> None:
        """Remove what killed processes left: segments half-written and scratch folders that nobody is at any more."""
        for path, match in self._matching(PART):
            if self._is_left(path, match):
                path.unlink(missing_ok=True)
        for path, match in self._matching(SCRATCH):
            if self._is_left(path, match):
                shutil.rmtree(path, ignore_errors=True)

    def _is_left(self, path: Path, match: re.Match[str]) -> bool:
        """Whether nobody claims a file, nor lives who might have: somebody may have removed the file of claims."""
        key, here, process = match.groups()
        return not self.is_claimed(key) and is_abandoned(path, here, process)

    def touch(self, paths: Iterable[Path]) -> None:
        """Note that ``paths`` are in use."""
        for path in paths:
            try:
                os.utime(path)
            except OSError:  # the folder is read-only, so nothing will be pruned either
                return

    def prune(self, used: Collection[Path]) -> None:
        """Remove segments unused for long, then those used longest ago while all take too much room; never ``used``."""
        now = time.time()
        kept = []
        for path, _ in self._matching(OURS):
            try:
                status = path.stat()
            except OSError:  # another process removed it
                continue
            kept.append((status.st_mtime, status.st_size, path))
        room = sum(size for _, size, _ in kept)
        in_use = set(used)
        for changed, size, path in sorted(kept):
            age = now - changed
            if (age > KEEP_SECONDS or (room > KEEP_BYTES and age > IN_USE_SECONDS)) and path not in in_use:
                try:
                    path.unlink(missing_ok=True)
                except OSError:
                    return
                room -= size

    def _matching(self, pattern: re.Pattern[str]) -> list[tuple[Path, re.Match[str]]]:
        try:
            names = os.listdir(self.folder)
        except OSError:
            return []
        return [(self.folder / name, match) for name in sorted(names) if (match := pattern.fullmatch(name))]
