"""How far a long job is, on stderr: one moving line on a terminal, a plain line now and then elsewhere.

The moving line goes when the job ends; the last plain line says how long it took. Paths of results go to stdout.
"""

from __future__ import annotations

import os
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self, TextIO

import click

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

PLAIN_EVERY = 10.0  # seconds between two plain lines
# Before so many seconds of work and such a share of it, a speed says nothing about the rest.
SPEED_SECONDS, SPEED_SHARE = 5.0, 0.1
SPEED_WINDOW = 30.0  # seconds that the time to go is judged by: what came from the cache long ago says nothing


def is_lively(stream: TextIO | None) -> bool:
    """Whether ``stream`` is a terminal that may be drawn on; None is one that was closed."""
    return (
        stream is not None and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )


def in_words(seconds: float) -> str:
    """A length of time to go, as coarse as it is known."""
    if seconds < 60:
        return f"{max(round(seconds / 5) * 5, 5)} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min"


def time_taken(seconds: float) -> str:
    """A length of time that is over."""
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if minutes else f"{rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class Job:
    """A job of several parts, shown while the ``with`` block runs.

    Parameters
    ----------
    parts : how much work each part is, by name, in a unit common to all
    clock : seconds from any fixed moment
    plain : whether there are plain lines where stderr is no terminal
    """

    def __init__(
        self, parts: Mapping[str, float], clock: Callable[[], float] = time.monotonic, plain: bool = True
    ) -> None:
        self.parts = dict(parts)
        self.clock = clock
        self.plain = plain
        self.done = dict.fromkeys(parts, 0.0)
        self._bar: Any = None
        self._said_at = -float("inf")

    def __enter__(self) -> Self:
        self._began = self.clock()
        self._samples: deque[tuple[float, float]] = deque()
        if is_lively(sys.stderr):
            self._bar = _bar()
            self._task = self._bar.add_task("starting", total=sum(self.parts.values()))
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()
        elif kind is None and self._said_at > -float("inf"):
            click.echo(f"100% done in {time_taken(self.clock() - self._began)}", err=True)

    def reached(self, part: str, done: float, doing: str = "", of: float | None = None) -> None:
        """Say that ``done`` of a part's work is done and what is next; ``of`` corrects how much it is altogether."""
        if of is not None:
            self.parts[part] = of
        if not self.done[part] and all(done in (0, self.parts[name]) for name, done in self.done.items()):
            self._samples.clear()  # how fast other kinds of work went, or getting ready, says nothing about this part
        self.done[part] = min(max(done, self.done[part]), self.parts[part])
        now, total = self.clock(), sum(self.done.values())
        work = sum(self.parts.values())
        self._samples.append((now, total))
        while len(self._samples) > 2 and self._samples[1][0] < now - SPEED_WINDOW:
            self._samples.popleft()
        # When all is counted some joining or writing is left, of no part in particular.
        words = " · ".join(filter(None, [part, doing, self._to_go()])) if total < work else "finishing"
        if self._bar:
            self._bar.update(self._task, completed=total, total=work, description=words)
        elif self.plain and now - self._said_at >= PLAIN_EVERY:
            self._said_at = now
            # Rounded down: 100% is for what is done.
            click.echo(f"{min(int(100 * total / work), 99):3}% {words}", err=True)

    def _to_go(self) -> str:
        (then, before), (now, after) = self._samples[0], self._samples[-1]
        work = sum(self.parts.values())
        left = work - after
        if now - then < SPEED_SECONDS or after < SPEED_SHARE * work or after <= before or left <= 0:
            return ""
        return f"about {in_words(left * (now - then) / (after - before))} to go"

    def result(self, path: Path) -> None:
        """Print the path of a file that is whole now."""
        if self._bar:
            self._bar.stop()  # a moving line and a path on the same terminal would write over each other
        show_path(path)
        if self._bar:
            self._bar.start()


def show_path(path: Path) -> None:
    """Print a path on stdout in the machine's own bytes, whatever its letters are, at once."""
    click.echo(os.fsencode(path))


def _bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

    percent, words = (TextColumn(text, markup=False) for text in ("{task.percentage:3.0f}%", "{task.description}"))
    return Progress(
        SpinnerColumn(),
        BarColumn(bar_width=24),
        percent,
        words,
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
    )
