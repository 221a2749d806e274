"""The spread of a score against the size of its vectors: raw it follows sqrt(d), scaled it stays at 1."""

import math
from typing import Any

from matplotlib.axes import Axes

from core.arrays import FloatArray
from core.cases import SpreadCase, spread_case
from core.numerals import fixed, whole
from core.parameters import Parameters
from core.theme import Theme
from figures.page import Margins, measure, page_of
from figures.plots import EndLabel, across, caption_axes, label_ends, number_axis, plain, room, thinned, up, write
from figures.wording import ratio, root

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
    ax.plot(case.sizes, case.raw_std, "o", color=theme.raw, **dots)
    ax.plot(case.sizes, case.scaled_std, "s-", color=theme.scaled, linewidth=page.line * 0.7, **dots)
    _write_values(ax, case, case.raw_std, theme.raw, above=True)
    _write_values(ax, case, case.scaled_std, theme.scaled, above=False)

    ends = [
        EndLabel(case.raw_std[-1], "raw scores", theme.raw),
        EndLabel(case.law[-1], f"law ${root('d')}$", theme.ink),
        EndLabel(case.scaled_std[-1], f"divided by ${root('d')}$", theme.scaled),
    ]
    label_ends(ax, [*ends, *_draw_step(ax, case, theme)], page.label)
    number_axis(ax, "x", case.sizes, [whole(size) for size in case.sizes])
    powers = [2**power for power in range(16) if 2**power <= ax.get_ylim()[1]]
    number_axis(ax, "y", powers, [whole(power) for power in powers], keep=0)
    caption_axes(ax, theme, "size $d$ of queries and keys", ["spread of a score"])
    return ax


def _write_values(ax: Axes, case: SpreadCase, values: FloatArray, color: str, above: bool) -> None:
    """Write each of ``values`` at its point, or as many as have room."""
    page = page_of(ax.figure)
    words = [fixed(value, 2 if value < 10 else 1) for value in values]
    extents = [measure(ax.figure, word, page.small)[0] for word in words]
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


def _draw_step(ax: Axes, case: SpreadCase, theme: Theme) -> list[EndLabel]:
    """Draw one step along the law, if there is room for it: so many times the size, so many times the spread.

    Its words stand at it. What has no room there is given back, to be written beside the axes.
    """
    page = page_of(ax.figure)
    low, high = (float(case.law[case.sizes.index(size)]) for size in (case.from_size, case.to_size))
    xs, ys = [case.from_size, case.to_size, case.to_size], [low, low, high]
    start, corner = across(ax, [case.from_size, case.to_size])
    ground, floor, ceiling = up(ax, [1, low, high])  # the first is where the scaled scores are

    sized = f"{ratio(case.size_ratio)} times the size"
    wide, tall = measure(ax.figure, sized, page.label)
    where: dict[str, Any]
    if floor - ground > tall + 1.2 * page.label and corner - start > wide / 2:
        at, offset = (math.sqrt(case.from_size * case.to_size), low), (0.0, -0.35 * page.label)
        where = {"align": "center", "stand": "top"}
    elif corner - start > wide + page.label and ceiling - floor > 3 * tall:
        at, offset = (float(case.to_size), low), (-0.5 * page.label, 0.4 * page.label)
        where = {"align": "right", "stand": "bottom"}
    else:
        return []
    ax.plot(xs, ys, "-", color=theme.muted, linewidth=page.line * 0.4, zorder=1)
    write(ax, sized, at, offset, color=theme.ink, size=page.label, **where)

    spread = f"{ratio(case.spread_ratio)} times\nthe spread"
    upright = case.to_size, math.sqrt(low * high)
    if corner + measure(ax.figure, spread, page.label)[0] + page.label > room(ax)[0]:
        return [EndLabel(upright[1], spread, theme.ink)]
    write(ax, spread, upright, (0.5 * page.label, 0), color=theme.ink, size=page.label, stand="center")
    return []


def alt_text(case: SpreadCase) -> str:
    """What the figure shows, in words, with its numbers."""
    raw, scaled = (
        ", ".join(f"{fixed(std, 2)} at d = {whole(d)}" for d, std in zip(case.sizes, stds, strict=True))
        for stds in (case.raw_std, case.scaled_std)
    )
    return (
        f"The measured spread of raw scores lies along the dashed law √d: {raw}. "
        f"Divided by √d it stays near 1: {scaled}. "
        f"From d = {whole(case.from_size)} to {whole(case.to_size)}, {ratio(case.size_ratio)} times the size, "
        f"the law grows {ratio(case.spread_ratio)} times and the measured spread "
        f"{fixed(case.measured_ratio, 2)} times."
    )
