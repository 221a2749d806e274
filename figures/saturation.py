"""The same scores before and after they are multiplied: softmax gives the largest one nearly everything."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.cases import SaturationCase, saturation_case
from core.numerals import fixed, ratio_text
from core.parameters import Parameters
from core.theme import Theme
from figures.bars import draw_bars, head_panel, pitch_of, score_words, weight_row
from figures.page import Page, page_of, place_axes
from figures.plots import room
from figures.wording import brief, digits_of, listed, root, root_in_numbers

TITLE = "Bigger scores push softmax towards all or nothing"
UNSATURATED = "Bigger scores, less even weights"  # its title where the largest weight stays below this:
NEARLY_ALL = 0.9
USES = ("d_k", "scores")

# In em.
NAME = 3.1  # left of the bars, for the name of their numbers
GAP = 2.0  # between two panels
HEAD, FOOT = 4.6, 1.4  # over a panel's bars for two lines of heading and numbers, and under them for scores
FLAT_HEAD = 3.1  # over them for one line of heading


def case(parameters: Parameters) -> SaturationCase:
    """The numbers drawn."""
    return saturation_case(parameters)


def title(case: SaturationCase) -> str:
    """What there is to see."""
    return TITLE if case.multiplied_weights[case.top] >= NEARLY_ALL else UNSATURATED


def draw_saturation(figure: Figure, case: SaturationCase, theme: Theme) -> Figure:
    """Draw the weights of the scores, and of the scores sqrt(d) times bigger, as bars.

    Adds its own axes to ``figure`` and returns it.
    """
    page = page_of(figure)
    beside = _fit_beside(figure, page, case)
    before, after = _panels(figure, page, beside)
    pitch = pitch_of(room(before)[0], len(case.scores))
    size = min(weight_row(figure, weights, pitch).size for weights in (case.weights, case.multiplied_weights))
    draw_bars(before, case.weights, case.scores, theme.scaled, theme, size=size)
    draw_bars(after, case.multiplied_weights, case.multiplied, theme.raw, theme, size=size)
    scores = [f"scores {listed(case.scores)}", "scores"]
    head_panel(before, theme, theme.scaled, scores, beside=not beside)
    root_of = root_in_numbers(round(case.factor**2), case.factor)
    root_words = [f"${root('d')} = {root_of[1:]}", root_of]
    head_panel(after, theme, theme.raw, [f"every score × {ratio_text(case.factor)}"], root_words, beside=not beside)
    return figure


def _fit_beside(figure: Figure, page: Page, case: SaturationCase) -> bool:
    """Whether the numbers have room where the two panels are beside each other."""
    pitch = pitch_of(_half(page), len(case.scores))
    return (
        score_words(figure, case.scores, pitch, least=2) is not None  # these are given, so they are not rounded
        and score_words(figure, case.multiplied, pitch) is not None
        and weight_row(figure, case.weights, pitch).complete
        and weight_row(figure, case.multiplied_weights, pitch).complete
    )


def _half(page: Page) -> float:
    """The width of one of two panels beside each other."""
    return (page.width - 2 * page.edge - GAP * page.label) / 2 - NAME * page.label


def _panels(figure: Figure, page: Page, beside: bool) -> tuple[Axes, Axes]:
    """Two panels beside each other, or above each other."""
    em = page.label
    left, bottom, tall = page.edge + NAME * em, page.edge + FOOT * em, page.top - page.edge
    if beside:
        wide = _half(page)
        places = [(left + step * (wide + (NAME + GAP) * em), bottom) for step in (0, 1)]
        size = wide, tall - (HEAD + FOOT) * em
    else:
        each = (tall - GAP / 2 * em) / 2
        places = [(left, bottom + step * (each + GAP / 2 * em)) for step in (1, 0)]
        size = page.width - 2 * page.edge - NAME * em, each - (FLAT_HEAD + FOOT) * em
    before, after = (place_axes(figure, *place, *size) for place in places)
    return before, after


def alt_text(case: SaturationCase) -> str:
    """What the figure shows, in words, with its numbers."""
    before, after = (
        ", ".join(fixed(weight, digits_of(list(weights))) for weight in weights)
        for weights in (case.weights, case.multiplied_weights)
    )
    multiplied = ", ".join(brief(score) for score in case.multiplied)
    return (
        f"Two rows of bars, the softmax weights of the same scores. The scores {listed(case.scores)} have the "
        f"weights {before}. Multiplied by √d, {ratio_text(case.factor)}, they are {multiplied} and have the weights "
        f"{after}."
    )
