"""A figure as a page of any size: its type sizes, its title, and the room it leaves for the picture.

Lengths are in points (1/72 inch) unless said otherwise; an em is the size of a page's labels.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from matplotlib import rcParams
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure, SubFigure
from matplotlib.text import Text

from core import theme as sizes
from core.theme import Theme
from figures.style import WEIGHTS
from figures.wording import mathematical

AnyFigure = Figure | SubFigure

POINTS = 72  # an inch
SHAPING = ("font.family", "mathtext.fontset", "text.hinting")  # settings that change the room a text takes
LEADING = 1.35  # from one line of text to the next, in its size

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
        """The size of a title."""
        return self.height * sizes.TITLE

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


def page_of(figure: AnyFigure) -> Page:
    """The page that a figure is."""
    box = figure.bbox
    return Page(*(float(length) / figure.dpi * POINTS for length in (box.width, box.height)))


def measure(words: str, size: float, weight: str = "regular") -> tuple[float, float]:
    """The width and height that a text takes, as matplotlib is set."""
    settings: dict[Any, Any] = rcParams
    return _measured(words, size, weight, *(str(settings[name]) for name in SHAPING))


@lru_cache(maxsize=4096)
def _measured(words: str, size: float, weight: str, *settings: str) -> tuple[float, float]:
    # Formulas take long to set, and the same few are measured again and again.
    figure = Figure(dpi=POINTS)
    FigureCanvasAgg(figure)
    extent = Text(0, 0, words, fontsize=size, fontweight=WEIGHTS[weight], figure=figure).get_window_extent()
    return float(extent.width), float(extent.height)


def write_title(figure: Figure, words: str, theme: Theme) -> None:
    """Write a figure's title in its place, in as many lines as the page keeps for it; none on a compact page."""
    page = page_of(figure)
    if page.compact:
        return
    for number, line in enumerate(broken(mathematical(words), page.title, page.width - 2 * page.edge)):
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


def broken(words: str, size: float, width: float) -> list[str]:
    """``words`` in lines no wider than ``width``, of about the same length."""
    parts = words.split(" ")
    if measure(words, size, "semibold")[0] <= width:
        return [words]
    halves = [(" ".join(parts[:i]), " ".join(parts[i:])) for i in range(1, len(parts))]
    widths = [max(measure(half, size, "semibold")[0] for half in pair) for pair in halves]
    return list(halves[int(np.argmin(widths))])


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
