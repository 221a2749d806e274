"""Softmax weights as bars, each on a track that is 1 high, with its number and its score."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from core.arrays import FloatArray
from core.numerals import fixed
from core.theme import Theme
from figures.page import AnyFigure, measure, page_of
from figures.plots import TRACK_SHARE, film, first_that_fits, plain, room, write
from figures.wording import brief, digits_of

BAR_WIDTH = 0.65  # of a pitch, that is from one bar to the next
LEAST_SLOTS = 3
FEW = 5  # bars up to this number all have their numbers
UNDER_HEADING = 1.85  # how far above the bars the lowest line over their numbers stands, in em
CLOSE = 0.5  # the least gap between two numbers, in their size


def draw_bars(
    ax: Axes,
    weights: FloatArray,
    scores: FloatArray,
    color: str,
    theme: Theme,
    *,
    rows: bool = True,
    size: float = math.inf,
) -> None:
    """Draw one bar a weight, from 0 to 1 and from side to side of ``ax``, with as many of its numbers as have room.

    ``weights`` and ``scores`` are (n,). With ``rows``, the scores are written below the bars, and left of both stands
    what they are. No number over a bar is larger than ``size`` points.
    """
    page = plain(ax, theme, left=False, bottom=False)
    n_bars = len(weights)
    middle, half = (n_bars - 1) / 2, _pitches(n_bars) / 2
    ax.set(xlim=(middle - half, middle + half), ylim=(0, 1), xticks=[], yticks=[])
    ax.bar(np.arange(n_bars), np.ones(n_bars), BAR_WIDTH, color=film(theme, TRACK_SHARE), linewidth=0, zorder=1)
    ax.bar(np.arange(n_bars), weights, BAR_WIDTH, color=color, linewidth=0, zorder=2)  # a line would show a weight of 0

    pitch = pitch_of(room(ax)[0], n_bars)
    numbers = weight_row(ax.figure, weights, pitch)
    size = min(size, numbers.size)
    for index, (weight, words) in enumerate(zip(weights, numbers.words, strict=True)):
        if words:
            above = (0, 0.35 * size)
            write(ax, words, (index, weight), above, color=theme.ink, size=size, align="center", stand="baseline")
    if rows:
        below = score_words(ax.figure, scores, pitch) or [""]
        first = max(measure(numbers.words[0], size)[0], measure(below[0], page.small)[0])
        under, beside = -1.25 * page.small, -0.6 * page.small - max(0, (first - BAR_WIDTH * pitch) / 2)
        row: dict[str, Any] = {"color": theme.muted, "size": page.small, "stand": "baseline"}
        for index, score in enumerate(below):
            write(ax, score, (index, 0), (0, under), align="center", coords=("data", "axes fraction"), **row)
        for name, height in (("weight", 0.35 * page.small), ("score", under)):
            at = -BAR_WIDTH / 2, 0.0  # the first bar's left
            write(ax, name, at, (beside, height), align="right", coords=("data", "axes fraction"), **row)


def head_panel(
    ax: Axes, theme: Theme, color: str, headings: Sequence[str], more: Sequence[str] = (), *, beside: bool = False
) -> None:
    """Write over a panel of bars, and over their numbers, what it shows, with ``more`` on it below or ``beside`` that.

    Of ``headings``, and of what is in ``more``, the first that fits is written.
    """
    page = page_of(ax.figure)
    wide, foot = room(ax)[0], UNDER_HEADING * page.label
    words = first_that_fits(headings, page.heading, wide, "semibold")
    heading: dict[str, Any] = {"color": color, "size": page.heading, "weight": "semibold"}
    over: dict[str, Any] = {"color": theme.muted, "size": page.label}
    where: dict[str, Any] = {"stand": "baseline", "coords": "axes fraction"}
    if beside:
        taken = measure(words, page.heading, "semibold")[0] + page.label
        write(ax, words, (0, 1), (0, foot), **heading, **where)
        if more:
            write(ax, first_that_fits(more, page.label, wide - taken), (0, 1), (taken, foot), **over, **where)
    else:
        write(ax, words, (0.5, 1), (0, foot + 1.25 * page.heading), align="center", **heading, **where)
        if more:
            write(
                ax,
                first_that_fits(more, page.label, wide),
                (0.5, 1),
                (0, foot),
                align="center",
                **over,
                **where,
            )


def pitch_of(width: float, n_bars: int) -> float:
    """How far apart ``n_bars`` are that fill ``width``; two are no wider than three would be."""
    return width / _pitches(n_bars)


def _pitches(n_bars: int) -> float:
    """How many pitches it is from the first bar's left to the last one's right, or that there is room for."""
    return max(n_bars, LEAST_SLOTS) - 1 + BAR_WIDTH


@dataclass(frozen=True)
class Row:
    """What stands over bars, its size, and whether there is room for all that should stand there."""

    words: list[str]
    size: float
    complete: bool


def weight_row(figure: AnyFigure, weights: FloatArray, pitch: float) -> Row:
    """The weights as they stand over bars that are ``pitch`` points apart.

    A few have as many decimals as tell them from 0 and 1. Many have two, and those that would be 0.00 are left to their
    bars. Where even that has no room, the largest stands alone.
    """
    page, top = page_of(figure), int(weights.argmax())
    digits = digits_of(list(weights)) if len(weights) <= FEW else 2
    words = [fixed(weight, digits) for weight in weights]
    if len(weights) > FEW:
        words = [word if float(word) else "" for word in words]
    size = page.label if _fits(words, page.label, pitch) else page.small
    complete = _fits(words, size, pitch)
    if not complete:
        words = [""] * len(weights)
    if len(weights) > FEW or not complete:
        words[top] = fixed(weights[top], digits_of([weights[top]]))  # over its bar, it has room for more
    return Row(words, size, complete)


def score_words(figure: AnyFigure, scores: FloatArray, pitch: float, least: int | None = None) -> list[str] | None:
    """The scores to three digits, or what there is room for where bars are ``pitch`` points apart; None if nothing.

    The first to go are decimals, down to ``least``; by default to none if a score is 10 or more, and else to one.
    """
    if least is None:
        least = 0 if np.abs(scores).max() >= 10 or not np.any(scores % 1) else 1
    rows = ([brief(score, digits) for score in scores] for digits in range(2, least - 1, -1))
    return next((row for row in rows if _fits(row, page_of(figure).small, pitch)), None)


def _fits(row: list[str], size: float, pitch: float) -> bool:
    return max(measure(words, size)[0] for words in row) + CLOSE * size <= pitch
