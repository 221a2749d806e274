"""Softmax weights as bars, each on a track that is 1 high, with its number and its score."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.arrays import FloatArray
from core.numerals import fixed
from core.theme import Theme
from figures.page import first_that_fits, measure, page_of, plain, room, write
from figures.wording import digits_of

BAR_WIDTH = 0.64  # of the room from one bar to the next
LEAST_SLOTS = 3
CLOSE = 0.6  # the least gap between two numbers, in their size


def draw_bars(ax: Axes, weights: FloatArray, scores: FloatArray, color: str, theme: Theme, name: str = "") -> None:
    """Draw one bar a weight, from 0 to 1, with as many of its numbers as have room.

    ``weights`` and ``scores`` are (n,). The scores are written below the bars if there is a ``name`` to say,
    left of them, what they are.
    """
    page = plain(ax, theme, left=False, bottom=False)
    n_bars = len(weights)
    middle, half = (n_bars - 1) / 2, slots(n_bars) / 2
    ax.set(xlim=(middle - half, middle + half), ylim=(0, 1), xticks=[], yticks=[])
    ax.bar(np.arange(n_bars), np.ones(n_bars), BAR_WIDTH, color=theme.faint, alpha=0.6, zorder=1)
    ax.bar(np.arange(n_bars), weights, BAR_WIDTH, color=color, zorder=2)

    pitch = room(ax)[0] / (2 * half)
    words, size = weight_words(ax.figure, weights, pitch)
    for index, weight in enumerate(weights):
        above = (0, 0.35 * size)
        write(ax, words[index], (index, weight), above, color=theme.ink, size=size, align="center", stand="baseline")
    if name:
        below, under = {"color": theme.muted, "size": page.small, "stand": "baseline"}, -1.25 * page.small
        for index, score in enumerate(score_words(ax.figure, scores, pitch) or ()):
            write(ax, score, (index, 0), (0, under), align="center", coords=("data", "axes fraction"), **below)
        write(ax, name, (0, 0), (-0.5 * page.small, under), align="right", coords="axes fraction", **below)


def head_panel(ax: Axes, headings: Sequence[str], color: str) -> None:
    """Write over a panel of bars, and over their numbers, what it shows: the first of ``headings`` that fits."""
    page = page_of(ax.figure)
    words = first_that_fits(ax.figure, headings, page.heading, room(ax)[0], "semibold")
    above = {"size": page.heading, "weight": "semibold", "align": "center", "stand": "baseline"}
    write(ax, words, (0.5, 1), (0, 2 * page.label), color=color, coords="axes fraction", **above)


def slots(n_bars: int) -> int:
    """For how many bars there is room where ``n_bars`` are drawn: two are no wider than three would be."""
    return max(n_bars, LEAST_SLOTS)


def weight_words(figure: Figure, weights: FloatArray, pitch: float) -> tuple[list[str], float]:
    """What stands over bars that are ``pitch`` points apart, and its size.

    That is all weights with four or two decimals, as large as may be; or else, when even two have no room for all,
    the largest weight alone, with empty words for the others.
    """
    page, digits = page_of(figure), digits_of(list(weights))
    row = [fixed(weight, digits) for weight in weights]
    for size in (page.label, page.small):
        if _fits(figure, row, size, pitch):
            return row, size
    # Too many for four decimals: two do, and those that would be 0.00 say so by their bars.
    short_row = [fixed(weight, 2) for weight in weights]
    top = int(weights.argmax())
    alone = not _fits(figure, short_row, page.small, pitch)
    shown = ["" if alone or weight < 0.005 else words for weight, words in zip(weights, short_row, strict=True)]
    shown[top] = fixed(weights[top], digits_of([weights[top]]))
    return shown, page.small


def score_words(figure: Figure, scores: FloatArray, pitch: float) -> list[str] | None:
    """The scores with up to two decimals, where bars are ``pitch`` points apart; None when there is no room."""
    needed = max(len(f"{score:.2f}".rstrip("0").partition(".")[2]) for score in scores)
    # Large scores are told apart without decimals, small ones are not.
    least = min(needed, 0 if np.abs(scores).max() >= 10 else 1)
    rows = ([fixed(score, digits) for score in scores] for digits in range(needed, least - 1, -1))
    return next((row for row in rows if _fits(figure, row, page_of(figure).small, pitch)), None)


def _fits(figure: Figure, row: list[str], size: float, pitch: float) -> bool:
    return max(measure(figure, words, size)[0] for words in row) + CLOSE * size <= pitch
