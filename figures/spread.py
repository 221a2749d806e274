"""The spread of a score against the size of its vectors: raw it follows sqrt(d), scaled it stays at 1."""

import math
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from core.arrays import FloatArray
from core.cases import SpreadCase, spread_case
from core.numerals import fixed, ratio_words, whole
from core.parameters import Parameters
from core.theme import Theme
from figures.page import Margins, measure, page_of
from figures.plots import (
    MARKERS,
    EndLabel,
    across,
    caption_axes,
    label_ends,
    number_axis,
    plain,
    room,
    thinned,
    up,
    write,
)
from figures.wording import root

TITLE = "Dividing by √d keeps the spread at 1"
USES = ("sizes", "pairs", "seed")
MARGINS = Margins(left=2, right=6.8, bottom=3, top=1.8)

# How far the axes go beyond the data: factors, since they are logarithmic.
BEFORE, BEYOND = 1.8, 1.4
BELOW, ABOVE = 0.6, 1.5


def case(parameters: Parameters) -> SpreadCase:
    """The numbers drawn."""
    return spread_case(parameters)


def draw_spread(ax: Axes, case: SpreadCase, theme: Theme) -> Axes:
    """Draw measured spread, raw and scaled, with sqrt(d) as the dashed law and a step along it.

    Draws on ``ax`` alone and returns it.
    """
    page = plain(ax, theme)
    ax.set(xscale="log", yscale="log")
    ax.set(
        xlim=(case.sizes[0] / BEFORE, case.sizes[-1] * BEYOND),
        ylim=(BELOW * min(1, case.scaled_std.min()), ABOVE * max(case.law[-1], case.raw_std.max())),
    )
    dots: dict[str, Any] = {"markersize": page.line * 2.8, "zorder": 3}
    ax.plot(case.sizes, case.law, "--", color=theme.ink, linewidth=page.line * 0.6, zorder=2)
    ax.plot(case.sizes, case.raw_std, MARKERS["raw"], color=theme.raw, **dots)
    squares = MARKERS["scaled"]
    ax.plot(case.sizes, case.scaled_std, f"{squares}-", color=theme.scaled, linewidth=page.line * 0.7, **dots)
    _write_values(ax, case, case.raw_std, theme.raw, above=True)
    _write_values(ax, case, case.scaled_std, theme.scaled, above=False)

    ends = [
        EndLabel(case.raw_std[-1], "raw scores", theme.raw),
        EndLabel(case.scaled_std[-1], f"divided by ${root('d')}$", theme.scaled),
    ]
    label_ends(ax, [*ends, *_name_law(ax, case, theme), *_draw_step(ax, case, theme)], page.label)
    number_axis(ax, "x", case.sizes, [whole(size) for size in case.sizes])
    powers = [2**power for power in range(16) if 2**power <= ax.get_ylim()[1]]
    number_axis(ax, "y", powers, [whole(power) for power in powers], keep=0)
    caption_axes(ax, theme, "size $d$ of queries and keys", ["spread of a score"])
    return ax


def _write_values(ax: Axes, case: SpreadCase, values: FloatArray, color: str, above: bool) -> None:
    """Write each of ``values`` at its point, or as many as have room."""
    page = page_of(ax.figure)
    words = [fixed(value, 2) for value in values]
    extents = [measure(word, page.small)[0] for word in words]
    for index in thinned(list(across(ax, case.sizes)), extents, 0.4 * page.small):
        write(
            ax,
            words[index],
            (case.sizes[index], max(values[index], case.law[index]) if above else values[index]),  # clear of the law
            (-0.6 * page.label, 0.6 * page.label) if above else (0, -0.6 * page.label),
            color=color,
            size=page.small,
            align="center",
            stand="baseline" if above else "top",
        )


def _name_law(ax: Axes, case: SpreadCase, theme: Theme) -> list[EndLabel]:
    """Name the law below its first part, left of the step; gives the name back if there is no room for it."""
    page = page_of(ax.figure)
    words = f"theory ${root('d')}$"
    wide, tall = measure(words, page.label)
    first, start, end = across(ax, [case.sizes[0], case.from_size, case.sizes[-1]])
    ground, low, high = up(ax, [1, case.law[0], case.law[-1]])
    for top in (low + tall + page.label, low + 0.3 * page.label):
        left = first + (top - low) * (end - first) / (high - low) + 0.6 * page.label  # the line goes straight up
        if top - tall - ground > 0.6 * page.label and left + wide < start:
            place = (float(left), float(top))
            write(ax, words, (0, 0), place, color=theme.ink, size=page.label, stand="top", coords="axes fraction")
            return []
    return [EndLabel(case.law[-1], words, theme.ink)]


def _draw_step(ax: Axes, case: SpreadCase, theme: Theme) -> list[EndLabel]:
    """Draw one step along the law, if there is room for it: so many times the size, so many times the spread.

    Its words stand at it. What has no room there is given back, to be written beside the axes.
    """
    page = page_of(ax.figure)
    low, high = (float(case.law[case.sizes.index(size)]) for size in (case.from_size, case.to_size))
    xs, ys = [case.from_size, case.to_size, case.to_size], [low, low, high]
    start, corner = across(ax, [case.from_size, case.to_size])
    ground, floor, ceiling = up(ax, [1, low, high])  # the first is where the scaled scores are

    sized, spread = _step_words(case)
    wide, tall = measure(sized, page.label)
    where: dict[str, Any]
    if floor - ground > tall + 1.2 * page.label and corner - start > wide / 2:
        beside = max((corner - start - wide) / 2, 0)  # in the middle, or from the start on
        at, offset = (float(case.from_size), low), (beside, -0.35 * page.label)
        where = {"align": "left", "stand": "top"}
    elif corner - start > wide + page.label and ceiling - floor > 3 * tall:
        at, offset = (float(case.to_size), low), (-0.5 * page.label, 0.4 * page.label)
        where = {"align": "right", "stand": "bottom"}
    else:
        return []
    ax.plot(xs, ys, "-", color=theme.muted, linewidth=page.line * 0.4, zorder=1)
    write(ax, sized, at, offset, color=theme.ink, size=page.label, **where)
    foot = offset[1] + tall if where["stand"] == "bottom" else 0.0
    foot += 0.4 * page.label  # of what stands between the line and the upright

    lower = up(ax, np.minimum(case.law, case.raw_std))
    stacked = spread.replace(" times ", " times\n")
    upright = case.to_size, math.sqrt(low * high)
    for words in (spread, stacked):
        # There is room if the law and the raw scores are above the words where they begin.
        wide, tall = measure(words, page.label)
        left = corner - 0.5 * page.label - wide
        under = float(np.interp(left - 0.3 * page.label, across(ax, case.sizes), lower)) - floor
        if left > start and foot + tall + 0.5 * page.label < under:
            inside = (-0.5 * page.label, foot + (under - foot - tall) / 3)
            write(
                ax, words, (case.to_size, low), inside, color=theme.ink, size=page.label, align="right", stand="bottom"
            )
            return []
    if corner + measure(stacked, page.label)[0] + page.label > room(ax)[0]:
        return [EndLabel(upright[1], stacked, theme.ink)]
    write(ax, stacked, upright, (0.5 * page.label, 0), color=theme.ink, size=page.label, stand="center")
    return []


def _step_words(case: SpreadCase) -> tuple[str, str]:
    """How many times the numbers and how many times the spread a step along the law is."""
    numbers = ratio_words(case.size_ratio, more="the numbers", same="about as many numbers")
    if case.size_ratio == round(case.size_ratio):
        numbers = f"{whole(case.size_ratio)} times the numbers"  # which is exact, however many digits it has
    return numbers, ratio_words(case.spread_ratio, more="the spread", same="about the same spread")


def alt_text(case: SpreadCase) -> str:
    """What the figure shows, in words, with its numbers."""
    raw, scaled = (
        ", ".join(f"{fixed(std, 2)} at d = {whole(d)}" for d, std in zip(case.sizes, stds, strict=True))
        for stds in (case.raw_std, case.scaled_std)
    )
    numbers, spread = _step_words(case)
    return (
        f"The measured spread of raw scores lies along the dashed line of theory, √d: {raw}. "
        f"Divided by √d it stays near 1: {scaled}. "
        f"From d = {whole(case.from_size)} to {whole(case.to_size)} there are {numbers}, with {spread} in theory and "
        f"{fixed(case.measured_ratio, 2)} times measured."
    )
