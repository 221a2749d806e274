"""What the figures share: type sizes and room on a page of any size, plain axes, words that keep apart.

Lengths are in points (1/72 inch) unless said otherwise; an em is the size of a page's labels.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.text import Text
from numpy.typing import ArrayLike

from core import theme as sizes
from core.numerals import significant, whole
from core.theme import Theme
from figures.style import WEIGHTS

POINTS = 72  # an inch
LEADING = 1.25  # from one line of text to the next, in its size

# The least that can be read in print, whatever the figure's height.
LEAST_HEADING, LEAST_LABEL, LEAST_SMALL = 9.0, 8.0, 7.0
COMPACT = 3 * POINTS  # a figure less high than this stands above a printed caption: it has no title of its own
WIDE = 1.4  # width over height of a figure with room for words beside each other


@dataclass(frozen=True)
class Page:
    """A figure's size and its type sizes."""

    width: float
    height: float

    @property
    def title(self) -> float:
        """The size of a title, which is small enough for a narrow page to hold it in two lines."""
        return min(self.height * sizes.TITLE, self.width / 18)

    @property
    def heading(self) -> float:
        """The size of what a panel shows, and of what is pointed out."""
        return max(self.height * sizes.HEADING, LEAST_HEADING)

    @property
    def label(self) -> float:
        """The size of a label that stands at what it names: an em."""
        return max(self.height * sizes.LABEL, LEAST_LABEL)

    @property
    def small(self) -> float:
        """The size of the numbers along an axis."""
        return max(self.height * sizes.SMALL, LEAST_SMALL)

    @property
    def compact(self) -> bool:
        """Whether there is room for the essence only."""
        return self.height < COMPACT

    @property
    def wide(self) -> bool:
        """Whether words have room beside each other."""
        return self.width > WIDE * self.height

    @property
    def edge(self) -> float:
        """What stays empty along every side."""
        return self.label * (0.6 if self.compact else 1.75 if self.wide else 1.2)

    @property
    def title_lines(self) -> int:
        """For how many lines of title there is room: the same for every title, so that pictures keep their place."""
        return 0 if self.compact else 1 if self.wide else 2

    @property
    def top(self) -> float:
        """The height below which there is room for the picture."""
        if self.compact:
            return self.height - self.edge
        return self.height - self.edge - (self.title_lines * LEADING + 0.7) * self.title

    @property
    def line(self) -> float:
        """The width of the line that matters most; others are parts of it."""
        return self.label * 0.16


@dataclass(frozen=True)
class Margins:
    """What a picture keeps free around its axes for labels, in em."""

    left: float
    right: float
    bottom: float
    top: float


def page_of(figure: Figure | SubFigure) -> Page:
    """The page that a figure is."""
    width, height = figure.bbox.size / figure.dpi * POINTS
    return Page(float(width), float(height))


# Words


def root(symbol: str | int) -> str:
    """The square root of ``symbol``, for mathtext."""
    return rf"\sqrt{{\!{symbol}}}"  # \! takes out a gap that matplotlib leaves behind the sign


def root_in_numbers(square: int, value: float, symbol: str = "") -> str:
    """For mathtext: the root of ``square``, or of its ``symbol``, and its ``value``, as "= 8" or else as "≈ 11.3"."""
    exact = round(value) ** 2 == square
    number = whole(value) if exact else significant(value, 3)
    return f"${root(symbol or square)} {'=' if exact else chr(92) + 'approx'} {number}$"


def mathematical(words: str) -> str:
    """Plain words with every lone d, p, d_k, root and power of ten set as mathematics."""
    words = re.sub(r"(√?)\b(d_k|[dp])\b", lambda match: f"${root(match[2]) if match[1] else match[2]}$", words)
    return re.sub(r"(?:([\d.]+) × )?10\^(−?\d+)", _power, words)


def _power(match: re.Match[str]) -> str:
    mantissa = rf"{match[1]}\times" if match[1] else ""
    return f"${mantissa}10^{{{match[2].replace('−', '-')}}}$"


def measure(figure: Figure | SubFigure, words: str, size: float, weight: str = "regular") -> tuple[float, float]:
    """The width and height of a text."""
    text = Text(0, 0, words, fontsize=size, fontweight=WEIGHTS[weight], figure=figure)
    extent = text.get_window_extent(dpi=POINTS)
    return float(extent.width), float(extent.height)


def first_that_fits(figure: Figure | SubFigure, choices: Sequence[str], size: float, width: float, weight: str = "regular") -> str:
    """The first of ``choices`` that is no wider than ``width``, or else the last."""
    return next((words for words in choices if measure(figure, words, size, weight)[0] <= width), choices[-1])


def write(
    ax: Axes,
    words: str,
    at: tuple[float, float],
    offset: tuple[float, float] = (0, 0),
    *,
    color: str,
    size: float,
    weight: str = "regular",
    align: Literal["left", "center", "right"] = "left",
    stand: Literal["baseline", "center", "center_baseline", "top", "bottom"] = "center_baseline",
    coords: str | tuple[str, str] = "data",
    **more: Any,
) -> Text:
    """Write a text at a point of ``ax``, moved by ``offset`` points."""
    return ax.annotate(
        words,
        at,
        offset,
        xycoords=coords,
        textcoords="offset points",
        color=color,
        fontsize=size,
        fontweight=WEIGHTS[weight],
        ha=align,
        va=stand,
        annotation_clip=False,
        **more,
    )


def write_title(figure: Figure, words: str, theme: Theme) -> None:
    """Write a figure's title in its place, in as many lines as the page keeps for it; none on a compact page."""
    page = page_of(figure)
    if page.compact:
        return
    for number, line in enumerate(broken(figure, mathematical(words), page.title, page.width - 2 * page.edge)):
        baseline = page.height - page.edge - (0.75 + number * LEADING) * page.title
        figure.text(
            page.edge / page.width,
            baseline / page.height,
            line,
            color=theme.ink,
            fontsize=page.title,
            fontweight=WEIGHTS["semibold"],
            va="baseline",
        )


def broken(figure: Figure, words: str, size: float, width: float) -> list[str]:
    """``words`` in lines no wider than ``width``, of about the same length."""
    parts = words.split(" ")
    if measure(figure, words, size, "semibold")[0] <= width:
        return [words]
    halves = [(" ".join(parts[:i]), " ".join(parts[i:])) for i in range(1, len(parts))]
    widths = [max(measure(figure, half, size, "semibold")[0] for half in pair) for pair in halves]
    return list(halves[int(np.argmin(widths))])


# Axes


def add_axes(figure: Figure, margins: Margins) -> Axes:
    """The axes of a figure that has one picture, in the room that its title leaves."""
    page = page_of(figure)
    left, bottom = page.edge + margins.left * page.label, page.edge + margins.bottom * page.label
    right, top = page.width - page.edge - margins.right * page.label, page.top - margins.top * page.label
    return place_axes(figure, left, bottom, right - left, top - bottom)


def place_axes(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place of the page."""
    page = page_of(figure)
    return figure.add_axes((left / page.width, bottom / page.height, width / page.width, height / page.height))


def room(ax: Axes) -> tuple[float, float]:
    """The width and height of ``ax``."""
    page, box = page_of(ax.figure), ax.get_position()
    return box.width * page.width, box.height * page.height


def heights_of(ax: Axes, values: ArrayLike) -> np.ndarray:
    """How high above the bottom of ``ax`` data stand; its limits must be set."""
    return heights_and_places(ax, np.zeros(np.shape(values)), values)[1]


def places_of(ax: Axes, values: ArrayLike) -> np.ndarray:
    """How far right of the left side of ``ax`` data stand; its limits must be set."""
    return heights_and_places(ax, values, np.zeros(np.shape(values)))[0]


def heights_and_places(ax: Axes, xs: ArrayLike, ys: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    """How far right of the left side, and above the bottom, of ``ax`` points stand; its limits must be set."""
    width, height = room(ax)
    scaled = ax.transScale.transform(np.column_stack([xs, ys]))
    inside = (ax.transLimits).transform(scaled)
    return inside[:, 0] * width, inside[:, 1] * height


def plain(ax: Axes, theme: Theme, *, left: bool = True, bottom: bool = True) -> Page:
    """Leave of ``ax`` a faint line at the left and bottom and muted numbers; gives its page."""
    page = page_of(ax.figure)
    ax.set_facecolor("none")
    for side, shown in {"left": left, "bottom": bottom, "right": False, "top": False}.items():
        ax.spines[side].set_visible(shown)
        ax.spines[side].set_color(theme.faint)
        ax.spines[side].set_linewidth(page.line / 2)
    ax.tick_params(
        which="both", length=0, pad=page.small * 0.45, labelsize=page.small, labelcolor=theme.muted, colors=theme.muted
    )
    return page


def caption_axes(ax: Axes, theme: Theme, x: str, y: Sequence[str]) -> None:
    """Say what is along ``ax``: below it, and above its top left corner, where the first of ``y`` that fits is written."""
    page = page_of(ax.figure)
    drop = page.small * 1.45 + page.label * 0.45
    below = (0, -drop)
    write(ax, x, (0.5, 0), below, color=theme.muted, size=page.label, align="center", stand="top", coords="axes fraction")
    # It starts where the numbers along the axis do, or nearly.
    words = first_that_fits(ax.figure, y, page.label, room(ax)[0] + page.label)
    write(ax, words, (0, 1), (0, page.label * 0.7), color=theme.muted, size=page.label, stand="baseline", coords="axes fraction")


def number_axis(ax: Axes, axis: Literal["x", "y"], values: Sequence[float], words: Sequence[str], keep: int = -1) -> None:
    """Number an axis at ``values``, leaving out what would touch its neighbour; the one at index ``keep`` stays."""
    page = page_of(ax.figure)
    places = (places_of if axis == "x" else heights_of)(ax, values)
    extents = [measure(ax.figure, word, page.small)[0 if axis == "x" else 1] for word in words]
    kept = thinned(places, extents, page.small * (0.6 if axis == "x" else 0.1), keep)
    set_ticks = ax.set_xticks if axis == "x" else ax.set_yticks
    set_ticks([values[i] for i in kept], [words[i] for i in kept])
    set_ticks([], minor=True)


def thinned(places: Sequence[float], extents: Sequence[float], gap: float, keep: int = -1) -> list[int]:
    """Indices of those of things in a row that can be shown without touching, the one at index ``keep`` among them."""
    keep %= len(places)
    kept: list[int] = []
    for index in sorted(range(len(places)), key=lambda index: abs(index - keep)):
        if all(abs(places[index] - places[i]) >= (extents[index] + extents[i]) / 2 + gap for i in kept):
            kept.append(index)
    return sorted(kept)


def apart(centres: ArrayLike, heights: ArrayLike, low: float = -np.inf, high: float = np.inf) -> np.ndarray:
    """``centres`` of things that are ``heights`` high, moved as little as need be so that none covers another.

    They keep their order. ``low`` and ``high`` bound the whole, as far as it fits.
    """
    centres, heights = np.asarray(centres, dtype=float), np.asarray(heights, dtype=float)
    order = np.argsort(centres, kind="stable")
    ends = np.cumsum(heights[order])
    middles = ends - heights[order] / 2  # where they would stand if stacked from 0
    # What is left to choose is how far each is from there, which may only grow: blocks that would shrink are averaged.
    blocks: list[tuple[float, int]] = []
    for shift in centres[order] - middles:
        mean, count = float(shift), 1
        while blocks and blocks[-1][0] > mean:
            before, n = blocks.pop()
            mean, count = (before * n + mean * count) / (n + count), n + count
        blocks.append((mean, count))
    shifts = np.repeat([mean for mean, _ in blocks], [count for _, count in blocks])
    shifts = np.maximum(np.minimum(shifts, high - ends[-1]), low)
    moved = np.empty_like(centres)
    moved[order] = middles + shifts
    return moved


@dataclass(frozen=True)
class EndLabel:
    """A label at the right-hand end of a line: its height in data, words and colour."""

    y: float
    words: str
    color: str
    weight: str = "regular"


def label_ends(ax: Axes, labels: Iterable[EndLabel], size: float) -> list[Text]:
    """Write labels right of ``ax``, each at its height or, where they would touch, as near to it as can be."""
    labels = list(labels)
    own = heights_of(ax, [label.y for label in labels])
    tall = [measure(ax.figure, label.words, size, label.weight)[1] + 0.25 * size for label in labels]
    moved = apart(own, tall)
    return [
        write(
            ax,
            label.words,
            (1, label.y),
            (page_of(ax.figure).label * 0.7, float(height - before)),
            color=label.color,
            size=size,
            weight=label.weight,
            stand="center",
            coords=("axes fraction", "data"),
        )
        for label, before, height in zip(labels, own, moved, strict=True)
    ]
