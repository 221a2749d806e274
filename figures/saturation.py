"""The same scores before and after they are multiplied: softmax gives the largest one nearly everything."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.cases import SaturationCase, saturation_case
from core.numerals import fixed, short
from core.parameters import Parameters
from core.theme import Theme
from figures.bars import draw_bars, head_panel, score_words, slots, weight_row
from figures.page import Page, page_of, place_axes
from figures.wording import digits_of, root_in_numbers

TITLE = "Bigger scores push softmax to all or nothing"
USES = ("d_k", "scores")

# In em.
NAME = 2.9  # left of the bars, for the name of their numbers
GAP = 2.0  # between two panels
HEAD, FOOT = 3.2, 1.4  # over a panel's bars for heading and numbers, and under them for scores


def case(parameters: Parameters) -> SaturationCase:
    """The numbers drawn."""
    return saturation_case(parameters)


def draw_saturation(figure: Figure, case: SaturationCase, theme: Theme) -> Figure:
    """Draw the weights of the scores, and of the scores sqrt(d_k) times bigger, as bars.

    Adds its own axes to ``figure`` and returns it.
    """
    page = page_of(figure)
    before, after = _panels(figure, page, case)
    draw_bars(before, case.weights, case.scores, theme.scaled, theme, name="score")
    draw_bars(after, case.multiplied_weights, case.multiplied, theme.raw, theme, name="score")
    head_panel(before, ["scores as they are"], theme.scaled)
    factor = root_in_numbers(round(case.factor**2), case.factor, "d_k")
    multiplied = rf"$\times\,${factor}"
    head_panel(after, [f"every score {multiplied}", f"scores {multiplied}", multiplied], theme.raw)
    return figure


def _panels(figure: Figure, page: Page, case: SaturationCase) -> tuple[Axes, Axes]:
    """Two panels beside each other or, where their numbers would have no room, above each other."""
    em = page.label
    wide, tall = page.width - 2 * page.edge, page.top - page.edge
    beside = (wide - GAP * em) / 2 - NAME * em
    pitch = beside / slots(len(case.scores))
    fits = (
        score_words(figure, case.scores, pitch, least=2)  # these are given, so they are not rounded
        and score_words(figure, case.multiplied, pitch)
        and weight_row(figure, case.weights, pitch).complete
        and weight_row(figure, case.multiplied_weights, pitch).complete
    )
    left = page.edge + NAME * em
    if fits:
        places = [(left + step * (beside + (NAME + GAP) * em), page.edge + FOOT * em) for step in (0, 1)]
        size = beside, tall - (HEAD + FOOT) * em
    else:
        each = (tall - GAP / 2 * em) / 2
        places = [(left, page.edge + FOOT * em + step * (each + GAP / 2 * em)) for step in (1, 0)]
        size = wide - NAME * em, each - (HEAD + FOOT) * em
    before, after = (place_axes(figure, *place, *size) for place in places)
    return before, after


def alt_text(case: SaturationCase) -> str:
    """What the figure shows, in words, with its numbers."""
    before, after = (
        ", ".join(fixed(weight, digits_of(list(weights))) for weight in weights)
        for weights in (case.weights, case.multiplied_weights)
    )
    scores, multiplied = (", ".join(short(score) for score in scores) for scores in (case.scores, case.multiplied))
    return (
        f"Two rows of bars, the softmax weights of the same scores. The scores {scores} have the weights {before}. "
        f"Multiplied by √d_k, {short(case.factor)}, they are {multiplied} and have the weights {after}."
    )
