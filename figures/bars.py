"""Softmax weights as bars, each on a track that is 1 high, with its number and its score."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from core.arrays import FloatArray
from core.numerals import fixed, short
from core.theme import Theme
from figures.page import AnyFigure, measure, page_of
from figures.plots import first_that_fits, plain, room, write
from figures.wording import digits_of

BAR_WIDTH = 0.64  # of the room from one bar to the next
LEAST_SLOTS = 3
FEW = 5  # bars up to this number all have their numbers
CLOSE = 0.5  # the least gap between two numbers, in their size


def draw_bars(ax: Axes, weights: FloatArray, scores: FloatArray, color: str, theme: Theme, name: str = "") -> None:
    """Draw one bar a weight, from 0 to 1, with as many of its numbers as have room.

    ``weights`` and ``scores`` are (n,). The scores are written below the bars if there is a ``name`` to say,
    left of them, what they are.
    """
    page = plain(ax, theme, left=False, bottom=False)
    n_bars = len(weights)
    middle, half = (n_bars - 1) / 2, slots(n_bars) / 2
    ax.set(xlim=(middle - half, middle + half), ylim=(0, 1), xticks=[], yticks=[])
    ax.bar(np.arange(n_bars), np.ones(n_bars), BAR_WIDTH, color=theme.faint, alpha=0.6, linewidth=0, zorder=1)
    ax.bar(np.arange(n_bars), weights, BAR_WIDTH, color=color, linewidth=0, zorder=2)  # a line would show a weight of 0

    pitch = room(ax)[0] / (2 * half)
    numbers = weight_row(ax.figure, weights, pitch)
    for index, (weight, words) in enumerate(zip(weights, numbers.words, strict=True)):
        if words:
            above, size = (0, 0.35 * numbers.size), numbers.size
            write(ax, words, (index, weight), above, color=theme.ink, size=size, align="center", stand="baseline")
    if name:
        under = -1.25 * page.small
        below: dict[str, Any] = {"color": theme.muted, "size": page.small, "stand": "baseline"}
        for index, score in enumerate(score_words(ax.figure, scores, pitch) or ()):
            write(ax, score, (index, 0), (0, under), align="center", coords=("data", "axes fraction"), **below)
        write(ax, name, (0, 0), (-0.5 * page.small, under), align="right", coords="axes fraction", **below)


def head_panel(ax: Axes, headings: Sequence[str], color: str) -> None:
    """Write over a panel of bars, and over their numbers, what it shows: the first of ``headings`` that fits."""
    page = page_of(ax.figure)
    words = first_that_fits(ax.figure, headings, page.heading, room(ax)[0], "semibold")
    above: dict[str, Any] = {"size": page.heading, "weight": "semibold", "align": "center", "stand": "baseline"}
    write(ax, words, (0.5, 1), (0, 2 * page.label), color=color, coords="axes fraction", **above)


def slots(n_bars: int) -> int:
    """For how many bars there is room where ``n_bars`` are drawn: two are no wider than three would be."""
    return max(n_bars, LEAST_SLOTS)


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
    size = page.label if _fits(figure, words, page.label, pitch) else page.small
    complete = _fits(figure, words, size, pitch)
    if not complete:
        words = [""] * len(weights)
    if len(weights) > FEW or not complete:
        words[top] = fixed(weights[top], digits_of([weights[top]]))  # over its bar, it has room for more
    return Row(words, size, complete)


def score_words(figure: AnyFigure, scores: FloatArray, pitch: float, least: int | None = None) -> list[str] | None:
    """The scores with two decimals, or what there is room for where bars are ``pitch`` points apart; None if nothing.

    There are at least ``least`` decimals; by default none if a score is 10 or more, and else one.
    """
    if least is None:
        least = 0 if np.abs(scores).max() >= 10 or not np.any(scores % 1) else 1
    rows = ([_score(score, digits) for score in scores] for digits in range(2, least - 1, -1))
    return next((row for row in rows if _fits(figure, row, page_of(figure).small, pitch)), None)


def _score(score: float, digits: int) -> str:
    """A score with ``digits`` decimals, or fewer if it is exact with fewer."""
    return short(score) if score == round(score, digits) else fixed(score, digits)


def _fits(figure: AnyFigure, row: list[str], size: float, pitch: float) -> bool:
    return max(measure(figure, words, size)[0] for words in row) + CLOSE * size <= pitch
