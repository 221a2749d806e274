"""The largest weight against size, for three divisors of the scores: none, sqrt(d) and d."""

from matplotlib.axes import Axes

from core.cases import DivisorsCase, divisors_case
from core.numerals import short, whole
from core.parameters import Parameters
from core.theme import Theme
from figures.bands import described, draw_bands
from figures.page import Margins
from figures.plots import EndLabel

TITLE = "Only √d keeps the largest weight steady"
USES = ("sizes", "n_keys", "seed")
MARGINS = Margins(left=2, right=6.5, bottom=3, top=1.8)


def case(parameters: Parameters) -> DivisorsCase:
    """The numbers drawn."""
    return divisors_case(parameters)


def draw_divisors(ax: Axes, case: DivisorsCase, theme: Theme) -> Axes:
    """Draw the largest weight of each divisor, median and band, and where it would be if all weights were equal.

    Draws on ``ax`` alone and returns it.
    """
    equal = EndLabel(case.uniform_weight, f"all equal  1/{case.n_keys}", theme.muted)
    draw_bands(ax, case, "max_weight", theme, equal, top=1, ticks=(0, 0.5, 1))
    return ax


def alt_text(case: DivisorsCase) -> str:
    """What the figure shows, in words, with its numbers."""
    return (
        f"The largest of {case.n_keys} softmax weights against the size d from {whole(case.sizes[0])} to "
        f"{whole(case.sizes[-1])}: its median over {whole(case.draws)} draws, with a band from 10% to 90%. "
        f"{described(case, 'max_weight')} "
        f"A dotted line shows the weight of each key if all were equal, 1/{case.n_keys} or "
        f"{short(case.uniform_weight)}."
    )
