"""Scores as random walks: the products add up one by one, and most of them cancel."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.ticker import MaxNLocator

from core.cases import WalksCase, walks_case
from core.numerals import fixed, ratio_text, short, whole
from core.parameters import Parameters
from core.theme import Theme
from figures.page import Margins
from figures.plots import MARKERS, EndLabel, caption_axes, label_ends, number_axis, plain
from figures.wording import rises_and_falls, root, root_in_numbers

TITLE = "Adding d products gives a spread of only √d"
USES = ("d_k", "seed")
MARGINS = Margins(left=2.6, right=6.2, bottom=3, top=1.6)

HEADROOM = 1.06  # the walks' farthest reach, and a little


def case(parameters: Parameters) -> WalksCase:
    """The numbers drawn."""
    return walks_case(parameters)


def draw_walks(ax: Axes, case: WalksCase, theme: Theme) -> Axes:
    """Draw every walk faintly and the followed one boldly, inside the dashed law +-sqrt(d).

    Draws on ``ax`` alone and returns it.
    """
    page = plain(ax, theme)
    reach = float(np.abs(case.walks).max()) * HEADROOM
    ax.set(xlim=(0, case.d_k), ylim=(-reach, reach))

    walks = [np.column_stack([case.positions, walk]) for walk in case.walks]
    ax.add_collection(LineCollection(walks, colors=theme.raw, linewidths=page.line * 0.2, alpha=0.7, zorder=1))
    for sign in (1, -1):
        ax.plot(case.positions, sign * case.envelope, "--", color=theme.ink, linewidth=page.line * 0.6, zorder=2)
    followed = case.walks[case.followed]
    ax.plot(case.positions, followed, color=theme.raw, linewidth=page.line * 1.25, zorder=3)
    ax.plot(
        case.d_k,
        case.ends[case.followed],
        MARKERS["raw"],
        color=theme.raw,
        markersize=page.line * 3.5,
        clip_on=False,
        zorder=4,
    )

    value = root_in_numbers(case.d_k, case.spread_at_end, "d")
    inside = f"{whole(case.inside * len(case.ends))} of {len(case.ends)}\nend inside"
    ends = [
        EndLabel(case.spread_at_end, "$+$" + value, theme.ink),
        EndLabel(0, inside, theme.muted),
        EndLabel(-case.spread_at_end, f"$-{root('d')}$", theme.ink),
    ]
    label_ends(ax, ends, page.label)

    _number_axes(ax, case, reach)
    pairs = f"running score of {len(case.walks)} random query–key pairs"
    followed_steps = f"the bold one {rises_and_falls(case.steps_up, case.steps_down)}"
    caption_axes(
        ax, theme, "products added", [f"{pairs}; {followed_steps}", pairs, f"running score, {len(case.walks)} pairs"]
    )
    return ax


def _number_axes(ax: Axes, case: WalksCase, reach: float) -> None:
    """Number the products in quarters and the scores in steps of sqrt(d), where these are whole."""
    quarters = case.d_k % 4 == 0
    ticks = (
        np.arange(5) * case.d_k // 4 if quarters else [*MaxNLocator(4, integer=True).tick_values(0, case.d_k), case.d_k]
    )
    xs = sorted({int(tick) for tick in ticks if 0 <= tick <= case.d_k})
    number_axis(ax, "x", xs, [whole(x) for x in xs])
    root_d = case.spread_at_end
    if root_d == round(root_d):
        most = int(reach // root_d)
        ys = [root_d * step for step in range(-most, most + 1)]
    else:
        ys = [y for y in MaxNLocator(6, steps=[1, 2, 4, 5, 8, 10]).tick_values(-reach, reach) if abs(y) < reach]
    number_axis(ax, "y", ys, [short(y) for y in ys], keep=len(ys) // 2)


def alt_text(case: WalksCase) -> str:
    """What the figure shows, in words, with its numbers."""
    return (
        f"{len(case.walks)} random walks of {whole(case.d_k)} products each start at 0 and spread out in and around "
        f"the dashed curves +√d and −√d, which end at ±{ratio_text(case.spread_at_end)}. "
        f"The bold walk, which of all {len(case.walks)} ends nearest to +√d or −√d, "
        f"{rises_and_falls(case.steps_up, case.steps_down)}; it ends at {fixed(case.ends[case.followed], 2)}. "
        f"Of all {len(case.ends)} ends, {whole(case.inside * len(case.ends))} lie between the curves, "
        f"and their measured spread is {fixed(case.ends_std, 2)}."
    )
