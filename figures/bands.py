"""A statistic of the weights against size, for three divisors of the scores: medians, bands and labels."""

from collections.abc import Sequence
from typing import Any, Literal

from matplotlib.axes import Axes

from core.arrays import FloatArray
from core.cases import DivisorsCase
from core.numerals import fixed, short, whole
from core.theme import Theme
from figures.plots import MARKERS, EndLabel, caption_above, caption_below, label_ends, number_axis, plain
from figures.wording import in_maths, root

BESIDE = 1.25  # how far the axis goes beyond the data: a factor, since it is logarithmic

# Each divisor as the case calls it, as words and as a label.
DIVISORS = (
    ("raw", "raw scores", "raw"),
    ("scaled", "scores divided by √d", rf"$\div\,{root('d')}$"),
    ("over_scaled", "scores divided by d", r"$\div\,d$"),
)

Statistic = Literal["max_weight", "entropy"]


def draw_bands(
    ax: Axes,
    case: DivisorsCase,
    statistic: Statistic,
    theme: Theme,
    equal: EndLabel,
    top: float,
    ticks: Sequence[float],
) -> None:
    """Draw ``statistic`` for each divisor, its median and a band from 10% to 90%, up to ``top``.

    ``equal`` is where it would be if all weights were equal, a dotted line, and what that is called.
    """
    page = plain(ax, theme)
    ax.set_xscale("log")
    ax.set(xlim=(case.sizes[0] / BESIDE, case.sizes[-1] * BESIDE), ylim=(0, top))
    ax.axhline(equal.y, linestyle=":", color=equal.color, linewidth=page.line * 0.6, zorder=1)
    ends = [equal]
    for name, _, label in DIVISORS:
        color = getattr(theme, name)
        median, low, high = _of(case, name, statistic)
        ax.fill_between(case.sizes, low, high, color=color, alpha=0.18, linewidth=0, zorder=1)
        for edge in (low, high):
            ax.plot(case.sizes, edge, color=color, linewidth=page.line * 0.2, zorder=2)
        line, size = page.line * 0.8, page.line * 2.6
        mark: dict[str, Any] = {"color": color, "linewidth": line, "markersize": size, "zorder": 3}
        ax.plot(case.sizes, median, f"{MARKERS[name]}-", clip_on=False, **mark)
        ends.append(EndLabel(median[-1], f"{label}  {fixed(median[-1], 2)}", color))
    label_ends(ax, ends, page.label)
    number_axis(ax, "x", case.sizes, [whole(size) for size in case.sizes])
    number_axis(ax, "y", ticks, [short(tick) for tick in ticks], keep=0)
    caption_below(ax, theme, "size $d$ of queries and keys")
    whats = ("largest of", "largest weight") if statistic == "max_weight" else ("entropy of", "entropy")
    draws = f"middle 80% of {whole(case.draws)} draws"
    captions = [
        f"{whats[0]} {case.n_keys} weights: median and {draws}",
        f"{whats[1]}: median and {draws}",
        f"{whats[1]}: median, {draws}",
    ]
    caption_above(ax, theme, captions, labels=f"at $d = {in_maths(case.sizes[-1])}$")


def described(case: DivisorsCase, statistic: Statistic) -> str:
    """How ``statistic`` goes with size for each divisor: two sentences."""
    medians, bands = [], []
    for name, words, _ in DIVISORS:
        median, low, high = _of(case, name, statistic)
        medians.append(f"from {fixed(median[0], 2)} to {fixed(median[-1], 2)} for {words}")
        bands.append(f"{fixed(low[-1], 2)} to {fixed(high[-1], 2)}")
    return (
        f"As d grows, the median goes {medians[0]}, {medians[1]} and {medians[2]}. "
        f"At d = {whole(case.sizes[-1])} the bands are {bands[0]}, {bands[1]} and {bands[2]}."
    )


def _of(case: DivisorsCase, divisor: str, statistic: Statistic) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Median, low and high of ``statistic`` at each size, each (n_sizes,)."""
    statistics = getattr(case, divisor)
    median, low, high = (getattr(statistics, f"{statistic}_{part}") for part in ("median", "low", "high"))
    return median, low, high
