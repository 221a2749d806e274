"""The slope of a weight with respect to its own score, with the largest weight before and after the scores grow."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from core.arrays import FloatArray
from core.cases import SaturationCase, saturation_case
from core.numerals import ratio_text, short, slope_words
from core.parameters import Parameters
from core.theme import Theme
from figures.page import Margins, measure, page_of
from figures.plots import MARKERS, Align, across, caption_axes, lead, number_axis, plain, room, up, write
from figures.wording import listed, mathematical, sharp, smaller

TITLE = "A weight near 0 or 1 passes almost no gradient"
UNSATURATED = "The slope of a weight is largest at one half"  # its title where no slope is below this:
ALMOST_NONE = 0.01
USES = ("d_k", "scores")
MARGINS = Margins(left=2.2, right=1.5, bottom=3, top=1.8)

TOP = 0.33  # of the axis: over the curve's highest point, 1/4, with room for a label


def case(parameters: Parameters) -> SaturationCase:
    """The numbers drawn."""
    return saturation_case(parameters)


def title(case: SaturationCase) -> str:
    """What there is to see."""
    return TITLE if min(case.slope, case.multiplied_slope) < ALMOST_NONE else UNSATURATED


def draw_slope(ax: Axes, case: SaturationCase, theme: Theme) -> Axes:
    """Draw the slope p(1 - p) with the largest weight on it, before and after the scores are multiplied.

    Draws on ``ax`` alone and returns it.
    """
    page = plain(ax, theme)
    ax.set(xlim=(0, 1), ylim=(0, TOP))
    ax.plot(case.curve_weights, case.curve_slopes, "-", color=theme.ink, linewidth=page.line * 0.6, zorder=2)
    for weights, slope, role, size in (
        (case.weights, case.slope, "scaled", 4.2),
        (case.multiplied_weights, case.multiplied_slope, "raw", 3.4),  # smaller, so that both are seen where they meet
    ):
        mark = {"color": getattr(theme, role), "markersize": page.line * size}
        ax.plot(weights[case.top], slope, MARKERS[role], clip_on=False, zorder=3, **mark)

    curve = np.column_stack([across(ax, case.curve_weights), up(ax, case.curve_slopes)])
    before, after = _words(case)
    _write_outside(ax, curve, (case.weights[case.top], case.slope), before, theme.scaled)
    end = case.multiplied_weights[case.top], case.multiplied_slope
    _write_inside(ax, curve, end, f"slope {smaller(case.times_smaller)}", theme.ink, after, theme.raw)
    xs, ys = (0, 0.5, 1), (0, 0.25)
    number_axis(ax, "x", xs, [short(x) for x in xs], keep=0)
    number_axis(ax, "y", ys, [short(y) for y in ys], keep=0)
    what = "slope $p(1 - p)$ of a weight"
    caption_axes(ax, theme, "weight $p$", [f"{what} with respect to its own score", what])
    return ax


def _words(case: SaturationCase) -> tuple[str, str]:
    """What stands at the two points."""
    return (
        f"weight {sharp(case.weights[case.top])}\nslope {slope_words(case.slope)}",
        f"weight {sharp(case.multiplied_weights[case.top])}\nslope {slope_words(case.multiplied_slope)}",
    )


def _write_outside(ax: Axes, curve: FloatArray, point: tuple[float, float], words: str, color: str) -> None:
    """Write ``words`` beside and above a point of the curve, clear of the line."""
    page = page_of(ax.figure)
    gap = 0.7 * page.label
    wide, tall = measure(mathematical(words), page.label)
    x, y = _place(ax, point)
    if point[0] >= 0.5:
        left = min(x + gap, room(ax)[0] + MARGINS.right * page.label - wide)
    else:
        left = max(x - gap - wide, gap)
    under = curve[(curve[:, 0] >= left - gap) & (curve[:, 0] <= left + wide + gap), 1]
    bottom = max([y - tall / 2, *(under + gap / 2)]) if left > x else max([y, *under]) + gap / 2
    _write_at(ax, words, left, bottom, color)
    if bottom > y + 1.5 * gap:
        # The words are away from their point: a line leads there.
        lead(ax, (x, y), (x, bottom - gap / 4), color)


def _write_inside(
    ax: Axes, curve: FloatArray, point: tuple[float, float], head: str, ink: str, words: str, color: str
) -> None:
    """Write ``words`` with ``head`` above them under the curve, beside a point of it."""
    page = page_of(ax.figure)
    gap = 0.7 * page.label
    wide, tall = measure(mathematical(words), page.label)
    head_wide, head_tall = measure(head, page.heading, "semibold")
    over = tall + 0.3 * gap  # from the foot of the words to that of the head
    wide, tall = max(wide, head_wide), over + head_tall
    x, y = _place(ax, point)
    bottom = max(y - tall / 2, gap / 2)
    while True:
        inside = curve[curve[:, 1] >= bottom + tall + gap / 2, 0]  # where the curve is above the words
        if inside.size and inside[-1] - inside[0] >= wide + 2 * gap:
            break
        bottom -= gap / 4
    least, most = inside[0] + gap, inside[-1] - gap - wide
    right = point[0] >= 0.5
    left = min(max(x - gap - wide if right else x + gap, least), most)
    align: Align = "right" if right else "left"
    side = left + wide if right else left
    _write_at(ax, words, side, bottom, color, align)
    place = (side, bottom + over)
    head_style: dict[str, Any] = {"size": page.heading, "weight": "semibold", "stand": "bottom"}
    write(ax, head, (0, 0), place, color=ink, align=align, coords="axes fraction", **head_style)
    if y > bottom + tall + 1.5 * gap and left <= x <= left + wide:
        lead(ax, (x, y), (x, bottom + tall + gap / 4), color)


def _place(ax: Axes, point: tuple[float, float]) -> tuple[float, float]:
    return float(across(ax, point[0])), float(up(ax, point[1]))


def _write_at(ax: Axes, words: str, side: float, bottom: float, color: str, align: Align = "left") -> None:
    how: dict[str, Any] = {"size": page_of(ax.figure).label, "stand": "bottom", "coords": "axes fraction"}
    write(ax, mathematical(words), (0, 0), (side, bottom), color=color, align=align, **how)


def alt_text(case: SaturationCase) -> str:
    """What the figure shows, in words, with its numbers."""
    top = case.top
    return (
        "The slope p(1 − p) of a softmax weight p with respect to its own score: an arch from 0 at p = 0 over 0.25 at "
        f"p = 0.5 back to 0 at p = 1. For the scores {listed(case.scores)} the largest weight is "
        f"{sharp(case.weights[top])} and its slope {slope_words(case.slope)}. With every score multiplied by √d, "
        f"{ratio_text(case.factor)}, the weight is {sharp(case.multiplied_weights[top])} and the slope "
        f"{slope_words(case.multiplied_slope)}: {smaller(case.times_smaller)}."
    )
