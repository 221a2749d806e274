"""A statistic of the weights against size, for three divisors of the scores: medians, bands and labels."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from core.cases import DivisorsCase, DivisorStatistics
from core.numerals import fixed, short, whole
from core.theme import Theme
from figures.page import EndLabel, caption_axes, label_ends, number_axis, page_of, plain, root
from figures.wording import digits_of

BESIDE = 1.25  # how far the axis goes beyond the data: a factor, since it is logarithmic


def draw_bands(
    ax: Axes, case: DivisorsCase, statistic: str, theme: Theme, *, uniform: float, uniform_words: str, top: float, ticks: Sequence[float], caption: str
) -> None:
    """Draw ``statistic`` of each divisor as the median and a band from 10 % to 90 %, beside that of equal weights.

    ``statistic`` is "max_weight" or "entropy"; ``uniform`` is its value, and ``uniform_words`` its name, where all
    weights are equal.
    """
    page = plain(ax, theme)
    ax.set_xscale("log")
    ax.set(xlim=(case.sizes[0] / BESIDE, case.sizes[-1] * BESIDE), ylim=(0, top))
    ax.axhline(uniform, linestyle=":", color=theme.muted, linewidth=page.line * 0.6, zorder=1)
    ends = [EndLabel(uniform, uniform_words, theme.muted)]
    for name, words, color, marker, line in (
        ("raw", "raw", theme.raw, "o", "-"),
        ("scaled", rf"$\div\,{root('d')}$", theme.scaled, "s", "-"),
        ("over_scaled", r"$\div\,d$", theme.over_scaled, "^", "-"),
    ):
        statistics: DivisorStatistics = getattr(case, name)
        median, low, high = (getattr(statistics, f"{statistic}_{part}") for part in ("median", "low", "high"))
        ax.fill_between(case.sizes, low, high, color=color, alpha=0.18, linewidth=0, zorder=1)
        ax.plot(case.sizes, median, marker + line, color=color, linewidth=page.line * 0.8, markersize=page.line * 2.6, zorder=3, clip_on=False)
        value = fixed(median[-1], digits_of([median[-1]]) if statistic == "max_weight" else 2)
        ends.append(EndLabel(median[-1], f"{words}  {value}", color))
    label_ends(ax, ends, page.label)
    number_axis(ax, "x", case.sizes, [whole(size) for size in case.sizes])
    number_axis(ax, "y", ticks, [short(tick) for tick in ticks], keep=0)
    median = f"{caption}: median and middle 80 %"
    caption_axes(ax, theme, "size $d$ of queries and keys", [f"{median} of {whole(case.draws)} draws", median, caption])


def listed(case: DivisorsCase, statistic: str) -> str:
    """The medians of ``statistic`` from the smallest to the largest size, in words."""
    parts = []
    for name, words in (("raw", "raw"), ("scaled", "divided by √d"), ("over_scaled", "divided by d")):
        median = getattr(getattr(case, name), f"{statistic}_median")
        low, high = (getattr(getattr(case, name), f"{statistic}_{part}")[-1] for part in ("low", "high"))
        parts.append(
            f"{words} it goes from {fixed(median[0], 2)} to {fixed(median[-1], 2)}"
            f" ({fixed(low, 2)} to {fixed(high, 2)} at the largest size)"
        )
    return "; ".join(parts)
