"""One query against eight keys of d = 256: the weights of the raw scores, and of the scores divided by sqrt(d)."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from core.cases import CollapseCase, collapse_case
from core.numerals import fixed, whole
from core.parameters import Parameters
from core.theme import Theme
from figures.bars import draw_bars, head_panel, pitch_of, score_words
from figures.page import page_of, place_axes
from figures.plots import FAINT_SHARE, film, plain, write
from figures.wording import digits_of, root, root_in_numbers

TITLE = "Divided by √d, several keys count again"
USES = ()  # the example is always the same

# In em.
GAP = 1.2  # between the panels
NAME = 3.0  # left of a panel's bars, for the name of their numbers
HEAD, FOOT = 4.6, 2.5  # over a panel's bars for headings and numbers, and under them for the entropy
SCORES = 1.6  # between bars and entropy, for the scores
TRACK = 0.55  # the height of an entropy's bar


def case(parameters: Parameters) -> CollapseCase:
    """The numbers drawn, which depend on no parameter."""
    return collapse_case()


def draw_rescaling(figure: Figure, case: CollapseCase, theme: Theme) -> Figure:
    """Draw raw weights and scaled weights beside each other, each over the bar of its entropy.

    Adds its own axes to ``figure`` and returns it.
    """
    page = page_of(figure)
    em = page.label
    divisor = root_in_numbers(case.d, case.factor)
    raw = (r"$\mathrm{softmax}(q \cdot k)$", ["raw scores"])
    scaled = (
        rf"$\mathrm{{softmax}}(q \cdot k\,/\,{root('d')})$",
        [f"scores divided by {divisor}", f"divided by {divisor}"],
    )
    panels = (
        (raw, case.scores, case.raw_weights, case.raw_entropy, theme.raw),
        (scaled, case.scaled, case.scaled_weights, case.scaled_entropy, theme.scaled),
    )
    named = (page.width - 2 * page.edge - GAP * em) / 2 - NAME * em
    pitch = pitch_of(named, len(case.scores))
    with_scores = all(score_words(figure, scores, pitch) for scores in (case.scores, case.scaled))
    name = NAME * em if with_scores else 0
    wide = named + NAME * em - name
    bottom = page.edge + (FOOT + SCORES * with_scores) * em
    for index, ((heading, below), scores, weights, entropy, color) in enumerate(panels):
        left = page.edge + name + index * (wide + GAP * em + name)
        bars = place_axes(figure, left, bottom, wide, page.top - HEAD * em - bottom)
        draw_bars(bars, weights, scores, color, theme, rows=with_scores)
        head_panel(bars, theme, color, [heading], below)
        track = place_axes(figure, left, page.edge + 1.3 * em, wide, TRACK * em)
        _draw_entropy(track, entropy, case.uniform_entropy, color, theme)
    return figure


def _draw_entropy(ax: Axes, entropy: float, uniform: float, color: str, theme: Theme) -> None:
    """Draw a bar from 0 to ``entropy`` on a track that ends at ``uniform``, with both numbers below."""
    page = plain(ax, theme, left=False, bottom=False)
    ax.set(xlim=(0, uniform), ylim=(-0.5, 0.5), xticks=[], yticks=[])
    ax.barh(0, uniform, 1, color=film(theme, FAINT_SHARE), linewidth=0, zorder=1)
    ax.barh(0, entropy, 1, color=color, linewidth=0, zorder=2)
    words = f"entropy {fixed(entropy, digits_of([entropy]))} of {fixed(uniform, 2)}"
    below = (0, -1.2 * page.label)
    at = (0.5, 0)
    write(
        ax, words, at, below, color=theme.ink, size=page.label, align="center", stand="baseline", coords="axes fraction"
    )


def alt_text(case: CollapseCase) -> str:
    """What the figure shows, in words, with its numbers."""
    raw, scaled = (
        ", ".join(fixed(weight, 4) for weight in weights) for weights in (case.raw_weights, case.scaled_weights)
    )
    raw_scores, scaled_scores = (
        ", ".join(fixed(score, 2) for score in scores) for scores in (case.scores, case.scaled)
    )
    return (
        f"Two rows of bars, the softmax weights of one query's {len(case.scores)} keys at d = {whole(case.d)}. "
        f"The raw scores {raw_scores} give the weights {raw}, with an entropy of {fixed(case.raw_entropy, 4)}. "
        f"Divided by √d, {whole(case.factor)}, the scores are {scaled_scores} and the weights {scaled}, "
        f"with an entropy of {fixed(case.scaled_entropy, 4)}, out of {fixed(case.uniform_entropy, 4)} if all are equal."
    )
