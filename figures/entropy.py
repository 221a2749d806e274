"""The entropy of the weights against size, for three divisors of the scores: none, sqrt(d) and d."""

from matplotlib.axes import Axes

from core.cases import DivisorsCase, divisors_case
from core.numerals import fixed, whole
from core.parameters import Parameters
from core.theme import Theme
from figures.bands import described, draw_bands
from figures.page import Margins
from figures.plots import EndLabel

TITLE = "With raw scores, entropy falls as d grows"
USES = ("sizes", "n_keys", "seed")
MARGINS = Margins(left=2, right=6.5, bottom=3, top=1.8)

HEADROOM = 1.06  # over the entropy of equal weights


def case(parameters: Parameters) -> DivisorsCase:
    """The numbers drawn."""
    return divisors_case(parameters)


def draw_entropy(ax: Axes, case: DivisorsCase, theme: Theme) -> Axes:
    """Draw the entropy of each divisor, median and band, and log of the number of keys, which is that of equal weights.

    Draws on ``ax`` alone and returns it.
    """
    most = case.uniform_entropy
    equal = EndLabel(most, f"log {case.n_keys} = {fixed(most, 2)}", theme.muted)
    ticks = [tick / 2 for tick in range(8) if tick / 2 <= most]
    draw_bands(ax, case, "entropy", theme, equal, top=most * HEADROOM, ticks=ticks)
    return ax


def alt_text(case: DivisorsCase) -> str:
    """What the figure shows, in words, with its numbers."""
    return (
        f"The entropy of {case.n_keys} softmax weights, in nats, against the size d from {whole(case.sizes[0])} to "
        f"{whole(case.sizes[-1])}: its median over {whole(case.draws)} draws, with a band from 10% to 90%. "
        f"{described(case, 'entropy')} "
        f"A dotted line shows the entropy of equal weights, log {case.n_keys} = {fixed(case.uniform_entropy, 2)}."
    )
