"""The distribution of a score, wider for longer vectors: the exact curves, and a measured histogram."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.ticker import MaxNLocator
from matplotlib.transforms import offset_copy

from core.cases import DensityCase, density_case
from core.numerals import fixed, short, whole
from core.parameters import Parameters
from core.theme import Theme
from figures.page import Margins, measure, page_of
from figures.plots import across, caption_above, first_that_fits, lead, number_axis, plain, room, up, write
from figures.wording import in_maths, root_in_numbers

TITLE = "The longer the vectors, the wider the scores"
USES = ("sizes", "pairs", "seed")
MARGINS = Margins(left=1, right=1, bottom=4.4, top=1.8)

HEADROOM = 1.04  # over the highest peak
# Where a law is named, in its standard deviations: a narrow one high up, a wide one clear of the narrower ones.
NARROW, WIDE = 0.75, 0.95
NEAREST = 0.7  # and nearer to the middle only narrower ones show, if each is twice as wide as the one before
BAR_WIDTH = 0.92  # of a histogram's bar, in the width of its bin
SOFT = 0.7  # opacity of the bars: they lie behind the curve, and are still 3:1 on either ground
AWAY = 0.7  # how far over its place on a line a name may stand without a line that leads there, in em


def case(parameters: Parameters) -> DensityCase:
    """The numbers drawn."""
    return density_case(parameters)


def shown(case: DensityCase) -> int:
    """The index of the size whose histogram is drawn: the middle one."""
    return len(case.sizes) // 2


def draw_density(ax: Axes, case: DensityCase, theme: Theme) -> Axes:
    """Draw the exact law of every size, and of one also its measured histogram and spread.

    Draws on ``ax`` alone and returns it.
    """
    page = plain(ax, theme, left=False)
    one = shown(case)
    ax.set(xlim=(case.grid[0], case.grid[-1]), ylim=(0, float(case.laws.max()) * HEADROOM))
    ax.set_yticks([])

    widths = BAR_WIDTH * np.diff(case.edges[one])
    middles = (case.edges[one][:-1] + case.edges[one][1:]) / 2
    ax.bar(
        middles,
        case.heights[one],
        widths,
        color=to_rgba(theme.raw, SOFT),
        linewidth=0,
        snap=False,  # moved to whole pixels, bars would be of different widths
        zorder=1,
    )
    for index, law in enumerate(case.laws):
        color, width, order = (theme.ink, 0.8, 2) if index == one else (theme.muted, 0.4, 0)
        ax.plot(case.grid, law, color=color, linewidth=page.line * width, zorder=order)

    _name_laws(ax, case, theme)
    ticks = [tick for tick in MaxNLocator(5, symmetric=True).tick_values(*ax.get_xlim()) if abs(tick) <= case.grid[-1]]
    number_axis(ax, "x", ticks, [short(tick) for tick in ticks], keep=len(ticks) // 2)
    _bracket_spread(ax, case, theme)
    what = r"how often a score $q \cdot k$ comes up"
    how = f"curves in theory, bars for {whole(len(case.samples[one]))} pairs"
    caption_above(ax, theme, [f"{what}: {how}", rf"scores $q \cdot k$: {how}", what])
    return ax


def _name_laws(ax: Axes, case: DensityCase, theme: Theme) -> None:
    """Name the laws on their right flanks, above every line that passes there.

    Where they are so much alike that their names would pile up over the axes, the innermost ones go without.
    """
    page = page_of(ax.figure)
    width, height = room(ax)
    places = across(ax, case.grid)
    outline = up(ax, case.laws.max(axis=0))
    taken: list[tuple[float, float, float]] = []  # left, right and top of the names so far, from the outermost in
    for index in reversed(range(len(case.sizes))):
        bold = index == shown(case)
        words = f"$d = {in_maths(case.sizes[index])}$"
        size = page.heading if bold else page.label
        wide, high = measure(words, size)
        std = case.std_law[index]
        least, most = (float(across(ax, share * std)) for share in (NEAREST, NARROW if index <= shown(case) else WIDE))
        left = min(most + 0.5 * page.label, width - wide)
        right = left + wide
        at = min(max(left - 0.5 * page.label, least), most)
        beside = float(np.interp(at, places, up(ax, case.laws[index])))
        lines = outline[(places >= left - 0.3 * page.label) & (places <= right)]
        gap = 0.5 * page.label
        names = [top for start, end, top in taken if start - gap < right and left < end + gap]
        bottom = max([beside - high / 2, *(np.array([lines.max(), *names]) + 0.25 * page.label)])
        if bottom + high > height:
            continue
        taken.append((left, right, bottom + high))
        color = theme.ink if bold else theme.muted
        write(ax, words, (0, 0), (left, bottom), color=color, size=size, stand="bottom", coords="axes fraction")
        if bottom - beside > AWAY * page.label:
            lead(ax, (at, beside), (left, bottom), color)


def _bracket_spread(ax: Axes, case: DensityCase, theme: Theme) -> None:
    """Show one standard deviation either side of 0 below the axis, with its exact and its measured length."""
    page = page_of(ax.figure)
    one = shown(case)
    drop = page.small * 1.45 + page.label * 0.75
    below = offset_copy(ax.get_xaxis_transform(), ax.get_figure(root=True), y=-drop, units="points")
    ax.plot(
        [-case.std_law[one], case.std_law[one]],
        [0, 0],
        "-|",
        transform=below,
        color=theme.ink,
        linewidth=page.line * 0.7,
        markeredgewidth=page.line * 0.7,
        markersize=page.label * 0.7,
        clip_on=False,
    )
    theory = f"spread in theory {root_in_numbers(case.sizes[one], case.std_law[one])}, measured {measured(case)}"
    choices = [f"$d = {in_maths(case.sizes[one])}$: {theory}", theory]
    words = first_that_fits(choices, page.label, room(ax)[0])
    beneath = (0, -drop - page.label * 0.75)
    write(
        ax,
        words,
        (0, 0),
        beneath,
        color=theme.ink,
        size=page.label,
        align="center",
        stand="top",
        coords=("data", "axes fraction"),
    )


def measured(case: DensityCase) -> str:
    """The measured spread at the size whose histogram is drawn."""
    return fixed(case.measured_std[shown(case)], 2)


def alt_text(case: DensityCase) -> str:
    """What the figure shows, in words, with its numbers."""
    one = shown(case)
    laws = ", ".join(f"{fixed(std, 2)} at d = {whole(d)}" for d, std in zip(case.sizes, case.std_law, strict=True))
    return (
        f"Bell curves of the score q·k around 0, lower and wider for every larger d: their spread √d is {laws}. "
        f"At d = {whole(case.sizes[one])} a histogram of {whole(len(case.samples[one]))} random query–key pairs "
        f"follows its curve, and a bracket shows its spread: {fixed(case.std_law[one], 2)} in theory and "
        f"{measured(case)} measured."
    )
