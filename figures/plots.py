"""Axes that say little: faint lines, muted numbers, labels at what they name that keep apart from each other.

Lengths are in points (1/72 inch) unless said otherwise. An axis' limits and scale are set before anything is placed by
them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgb
from matplotlib.text import Annotation
from matplotlib.transforms import offset_copy
from numpy.typing import ArrayLike

from core.arrays import FloatArray
from core.theme import Theme
from figures.page import Page, measure, page_of
from figures.style import WEIGHTS

Align = Literal["left", "center", "right"]
Stand = Literal["baseline", "center", "center_baseline", "top", "bottom"]

# How much of a film covers the ground: one that looks like the theme's faint colour, one as behind the films' bars, and
# one for lines.
FAINT_SHARE = 1 / 6
TRACK_SHARE = 0.6 * FAINT_SHARE
AXIS_SHARE = 0.35

LABEL_GAP = 0.7  # between the axes and the labels right of them, in em

MARKERS = {"raw": "o", "scaled": "s", "over_scaled": "^"}  # of the scores' roles, wherever they are points


def film(theme: Theme, share: float) -> tuple[float, float, float, float]:
    """A colour that lets most of the ground through, for what carries no meaning of its own.

    With ``FAINT_SHARE`` of it the theme's ground looks faint, as the theme has it; and on any other ground that a
    transparent figure is laid over it shows, where the theme's own faint colour may not.
    """
    ground, faint = np.array(to_rgb(theme.ground)), np.array(to_rgb(theme.faint))
    red, green, blue = np.clip(ground + (faint - ground) / FAINT_SHARE, 0, 1).tolist()
    return red, green, blue, share


def plain(ax: Axes, theme: Theme, *, left: bool = True, bottom: bool = True) -> Page:
    """Leave of ``ax`` a faint line at the left and bottom and muted numbers; gives its page."""
    page = page_of(ax.figure)
    ax.set_facecolor("none")
    for side, shown in {"left": left, "bottom": bottom, "right": False, "top": False}.items():
        ax.spines[side].set_visible(shown)
        ax.spines[side].set_color(film(theme, AXIS_SHARE))
        ax.spines[side].set_linewidth(page.line / 2)
    ax.tick_params(
        which="both", length=0, pad=page.small * 0.45, labelsize=page.small, labelcolor=theme.muted, colors=theme.muted
    )
    return page


def room(ax: Axes) -> tuple[float, float]:
    """The width and height of ``ax``."""
    page, box = page_of(ax.figure), ax.get_position()
    return box.width * page.width, box.height * page.height


def across(ax: Axes, values: ArrayLike) -> FloatArray:
    """How far right of the left side of ``ax`` data stand."""
    return _along(ax.xaxis, ax.get_xlim(), values) * room(ax)[0]


def up(ax: Axes, values: ArrayLike) -> FloatArray:
    """How high above the bottom of ``ax`` data stand."""
    return _along(ax.yaxis, ax.get_ylim(), values) * room(ax)[1]


def _along(axis: Axis, limits: tuple[float, float], values: ArrayLike) -> FloatArray:
    """How far along an axis data stand, in its length."""
    scale = axis.get_transform()
    start, end = scale.transform(np.array(limits))
    return np.asarray((scale.transform(np.asarray(values, dtype=float)) - start) / (end - start))


def first_that_fits(choices: Sequence[str], size: float, width: float, weight: str = "regular") -> str:
    """The first of ``choices`` that is no wider than ``width``, or else the last."""
    return next((words for words in choices if measure(words, size, weight)[0] <= width), choices[-1])


def write(
    ax: Axes,
    words: str,
    at: tuple[float, float],
    offset: tuple[float, float] = (0, 0),
    *,
    color: str,
    size: float,
    weight: str = "regular",
    align: Align = "left",
    stand: Stand = "center_baseline",
    coords: str | tuple[str, str] = "data",
) -> Annotation:
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
    )


def lead(ax: Axes, start: tuple[float, float], end: tuple[float, float], color: str) -> None:
    """Draw a thin line from a place on ``ax`` to the words about it; both are counted from its lower left corner."""
    line = {"arrowstyle": "-", "color": color, "linewidth": page_of(ax.figure).line * 0.3, "shrinkA": 0, "shrinkB": 0}
    corner = offset_copy(ax.transAxes, ax.get_figure(root=True), *start, units="points")
    away = end[0] - start[0], end[1] - start[1]
    ax.annotate("", (0, 0), away, xycoords=corner, textcoords="offset points", arrowprops=line, annotation_clip=False)


def caption_axes(ax: Axes, theme: Theme, x: str, y: Sequence[str]) -> None:
    """Say below ``ax`` what is along it, and above its top left corner what is up it: the first of ``y`` that fits."""
    caption_below(ax, theme, x)
    caption_above(ax, theme, y)


def caption_below(ax: Axes, theme: Theme, words: str) -> None:
    """Say below ``ax`` what is along it."""
    page = page_of(ax.figure)
    below = (0, -page.small * 1.45 - page.label * 0.45)
    how: dict[str, Any] = {"color": theme.muted, "size": page.label, "stand": "top", "coords": "axes fraction"}
    write(ax, words, (0.5, 0), below, align="center", **how)


def caption_above(ax: Axes, theme: Theme, choices: Sequence[str], labels: str = "") -> None:
    """Say above the top left corner of ``ax`` what is up it: the first of ``choices`` that fits.

    Right of that stands what the ``labels`` right of ``ax`` have in common. Then the words may have to be smaller.
    """
    page = page_of(ax.figure)
    how: dict[str, Any] = {"color": theme.muted, "stand": "baseline", "coords": "axes fraction"}
    if labels:
        wide, rise = room(ax)[0] - page.label, page.label  # high enough to be clear of a label at the very top
        words = first_that_fits(choices, page.small, wide)
        size = page.label if measure(words, page.label)[0] <= wide else page.small
        write(ax, labels, (1, 1), (LABEL_GAP * page.label, rise), size=size, **how)
    else:
        # It starts where the numbers along the axis do, or nearly.
        words, size = first_that_fits(choices, page.label, room(ax)[0] + page.label), page.label
        rise = 0.7 * page.label
    write(ax, words, (0, 1), (0, rise), size=size, **how)


def number_axis(
    ax: Axes, axis: Literal["x", "y"], values: Sequence[float], words: Sequence[str], keep: int = -1
) -> None:
    """Number an axis at ``values``, leaving out what would touch its neighbour; the one at index ``keep`` stays."""
    page = page_of(ax.figure)
    places = (across if axis == "x" else up)(ax, values)
    extents = [measure(word, page.small)[0 if axis == "x" else 1] for word in words]
    kept = thinned(places.tolist(), extents, page.small * (0.6 if axis == "x" else 0.1), keep)
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


def apart(centres: ArrayLike, heights: ArrayLike) -> FloatArray:
    """``centres`` of things that are ``heights`` high, moved so that none covers another; they keep their order.

    Those that push each other share the way: on average they stay where they were.
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
    moved = np.empty_like(centres)
    moved[order] = middles + shifts
    return moved


@dataclass(frozen=True)
class EndLabel:
    """A label at the right-hand end of a line: its height in data, words and colour."""

    y: float
    words: str
    color: str


def label_ends(ax: Axes, labels: Iterable[EndLabel], size: float) -> list[Annotation]:
    """Write labels right of ``ax``, each at its height or, where they would touch, as near to it as can be."""
    labels = list(labels)
    own = up(ax, [label.y for label in labels])
    tall = [measure(label.words, size)[1] + 0.25 * size for label in labels]
    moved = apart(own, tall)
    return [
        write(
            ax,
            label.words,
            (1, label.y),
            (LABEL_GAP * page_of(ax.figure).label, float(height - before)),
            color=label.color,
            size=size,
            stand="center",
            coords=("axes fraction", "data"),
        )
        for label, before, height in zip(labels, own, moved, strict=True)
    ]
