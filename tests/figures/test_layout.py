"""Whatever the size and the parameters: nothing is cut, nothing covers a text, and everything can be read."""

import re
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex, to_rgb, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from core.parameters import Parameters
from core.theme import DARK, FLOOR, LIGHT, Theme
from figures import ORDER, SIZES
from figures.export import Look, figure_module
from figures.page import POINTS
from figures.plots import FAINT_SHARE, TRACK_SHARE, film
from tests.core.test_theme import contrast

PAIRS = 200  # few: what is tested does not depend on it
EIGHT = (10, -10, 9.5, 3, -2.25, 0, 1, 7)
EXTREMES = [
    Parameters(pairs=PAIRS),
    Parameters(pairs=PAIRS, d_k=2, n_keys=2, scores=(10, -10), seed=7),
    Parameters(pairs=PAIRS, d_k=4096, n_keys=16, scores=EIGHT, seed=1),
    Parameters(pairs=PAIRS, d_k=4096, scores=(-10, 10)),
    Parameters(pairs=PAIRS, d_k=97, scores=(-1 / 3, -0.5)),
    Parameters(pairs=PAIRS, d_k=3, scores=(0.1, *[0] * 7)),
    Parameters(pairs=PAIRS, d_k=1000, scores=(0.5, 0.4, 0.3, 0.45, 0.2)),
    Parameters(pairs=PAIRS, d_k=2, scores=(0.1, 0)),
    Parameters(pairs=PAIRS, sizes=(2, 4096)),
    Parameters(pairs=PAIRS, sizes=(2, 3, 4, 5, 6, 7)),
    Parameters(pairs=PAIRS, sizes=(2, 3, 4, 5, 6, 4096), seed=2**32 - 1),
    Parameters(pairs=PAIRS, sizes=(4, 64, 70)),
    Parameters(pairs=PAIRS, sizes=(4091, 4092, 4093, 4094, 4095, 4096), n_keys=16),
]


def different(name: str) -> list[Parameters]:
    """Those of EXTREMES that give different pictures of a figure."""
    uses = figure_module(name).USES
    return list({tuple(getattr(extreme, field) for field in uses): extreme for extreme in reversed(EXTREMES)}.values())


CASES = pytest.mark.parametrize(
    ("name", "parameters"),
    [(name, parameters) for name in ORDER for parameters in different(name)],
    ids=lambda value: value if isinstance(value, str) else "",
)


def texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Every text that shows, and the room its line takes, in points."""
    shown = [text for text in figure.findobj(Text) if text.get_visible() and text.get_text()]
    return [(text.get_text(), text.get_window_extent()) for text in shown]


def ink(box: Bbox) -> Bbox:
    """About what the letters of a text cover, of the room its line takes."""
    return Bbox.from_extents(box.x0, box.y0 + 0.15 * box.height, box.x1, box.y1 - 0.15 * box.height)


def lines(figure: Figure) -> list[np.ndarray]:
    """Points close together along every line on the axes, in points."""
    found = []
    for line in figure.findobj(Line2D):
        if line.axes is not None and line in line.axes.lines:
            path = line.get_transform().transform_path(line.get_path())  # lines are straight on the page, not in data
            found.append((path.interpolated(50) if len(path) > 1 else path).vertices)
    return found


def solid_bars(figure: Figure, theme: Theme) -> list[Bbox]:
    """The bars in the colour of a role; a bar's track is faint, and its number may stand on it."""
    roles = {to_rgba(colour) for colour in (theme.raw, theme.scaled, theme.over_scaled)}
    return [bar.get_window_extent() for bar in figure.findobj(Rectangle) if bar.get_facecolor() in roles]


@CASES
@pytest.mark.parametrize("size", SIZES)
def test_nothing_is_cut_and_no_text_is_covered(drawn, name, parameters, size):
    figure = drawn(name, parameters, Look(size))
    page = figure.bbox
    assert Bbox.union([figure.bbox, figure.get_tightbbox().transformed(figure.dpi_scale_trans)]).bounds == page.bounds

    found = texts(figure)
    least = 2 if size == "column" else 8
    for words, box in found:
        assert least < box.x0, words
        assert box.x1 < page.width - least, words
        assert least < box.y0, words
        assert box.y1 < page.height - least, words
    for (one, box), (other, other_box) in combinations(found, 2):
        assert not ink(box).overlaps(ink(other_box)), (one, other)
    for points in lines(figure):
        for words, box in found:
            inside = ink(box)
            on = (points > [inside.x0, inside.y0]).all(axis=1) & (points < [inside.x1, inside.y1]).all(axis=1)
            assert not on.any(), words
    for bar in solid_bars(figure, DARK):
        for words, box in found:
            assert not ink(box).overlaps(bar), words


@pytest.mark.parametrize("name", [name for name in ORDER if name != "saturation"])
def test_the_picture_keeps_its_place_whatever_the_parameters(drawn, name):
    """So that nothing jumps between two slides."""
    first, *others = ([ax.get_position().bounds for ax in drawn(name, EXTREMES[index]).axes] for index in (0, 1, 2, 9))
    assert others == [first] * 3


@pytest.mark.parametrize(("scores", "beside"), [((2, 1, 0), True), (EIGHT[:2], True), (EIGHT, False)])
def test_bars_whose_numbers_have_no_room_beside_each_other_stand_above_each_other(drawn, scores, beside):
    before, after = (ax.get_position() for ax in drawn("saturation", Parameters(scores=scores), Look("half")).axes)
    assert bool(before.x1 < after.x0) is beside
    assert bool(after.y1 < before.y0) is not beside
    assert before.size == pytest.approx(after.size)


@pytest.mark.parametrize("size", SIZES)
def test_the_gauge_is_as_wide_as_the_bars(drawn, size):
    figure = drawn("rescaling", look=Look(size))
    for bars, gauge in (figure.axes[:2], figure.axes[2:]):
        row = Bbox.union([bar.get_window_extent() for bar in bars.patches])
        track = gauge.patches[0].get_window_extent()
        assert (row.x0, row.x1) == pytest.approx((track.x0, track.x1), abs=1e-6)


@pytest.mark.parametrize("parameters", EXTREMES)
@pytest.mark.parametrize("size", SIZES)
def test_numbers_over_bars_are_of_one_size(drawn, parameters, size):
    panels = drawn("saturation", parameters, Look(size)).axes
    over_bars = [text for ax in panels for text in ax.texts if text.xycoords == "data"]
    assert len({text.get_fontsize() for text in over_bars}) == 1


@pytest.mark.parametrize("size", SIZES)
def test_a_law_is_named_at_its_curve_or_a_line_leads_there(drawn, size):
    ax = drawn("density", look=Look(size)).axes[0]
    ax.figure.draw_without_rendering()
    curves = {f"$d = {d:,}$".replace(",", "{,}"): line for d, line in zip(Parameters().sizes, ax.lines, strict=False)}
    leads = [text.arrow_patch.get_path().vertices[-1] for text in ax.texts if text.arrow_patch]  # where they lead
    named = [text for text in ax.texts if text.get_text() in curves]
    assert len(named) == len(curves)
    for text in named:
        line = curves[text.get_text()]
        path = line.get_transform().transform_path(line.get_path()).interpolated(20).vertices
        box = ink(text.get_window_extent())
        em = SIZES[size][1] * POINTS / 28 if size != "column" else 8
        nearest = np.hypot(*(path - [box.x0, box.y0]).T).min()
        led = min((np.hypot(*(path - start).T).min() for start in leads), default=np.inf)
        assert nearest < 1.1 * em or led < 0.1 * em, text.get_text()


@pytest.mark.parametrize("name", ORDER)
@pytest.mark.parametrize("size", SIZES)
def test_no_text_is_too_small(drawn, name, size):
    figure = drawn(name, EXTREMES[2], Look(size))
    height = SIZES[size][1] * POINTS
    least = 6 if size == "column" else height * FLOOR
    for text in figure.findobj(Text):
        assert text.get_fontsize() >= least or not text.get_text(), text.get_text()


@pytest.mark.parametrize("size", SIZES)
def test_a_column_has_no_title_and_the_other_sizes_do(drawn, size):
    titles = [text.get_text() for text in drawn("density", look=Look(size)).texts]
    assert " ".join(titles) == ("" if size == "column" else figure_module("density").TITLE)


@pytest.mark.parametrize("name", ORDER)
def test_every_parameter_that_a_figure_declares_changes_it(name):
    """USES is what the command line goes by when it takes an option."""
    module, base = figure_module(name), Parameters(pairs=PAIRS)
    by_default = module.alt_text(module.case(base))
    others = {"d_k": 97, "sizes": (3, 31, 2900), "n_keys": 5, "scores": (1.5, -0.5, 3.5), "pairs": 300, "seed": 7}
    changed = {field: module.case(replace(base, **{field: others[field]})) for field in module.USES}
    assert [field for field, case in changed.items() if module.alt_text(case) == by_default] == []


@pytest.mark.parametrize("name", ORDER)
def test_an_alt_text_has_from_two_to_five_sentences(name):
    module = figure_module(name)
    for parameters in different(name):
        assert 2 <= len(re.findall(r"[.:] [A-Z]|\.$", module.alt_text(module.case(parameters)))) <= 5


def over(colour: str | tuple[float, ...], ground: str) -> str:
    """What a colour that may let the ground through looks like on it."""
    *channels, opacity = to_rgba(colour)
    return to_hex([opacity * one + (1 - opacity) * other for one, other in zip(channels, to_rgb(ground), strict=True)])


@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_tracks_look_as_in_the_films(theme):
    """There the gauge's is faint, and those behind bars are faint with an opacity of 0.6."""
    for share, look in ((FAINT_SHARE, theme.faint), (TRACK_SHARE, over((*to_rgb(theme.faint), 0.6), theme.ground))):
        colours = [np.array(to_rgb(colour)) for colour in (over(film(theme, share), theme.ground), look)]
        assert np.abs(colours[0] - colours[1]).max() < 1.5 / 255


@pytest.mark.parametrize("name", ORDER)
@pytest.mark.parametrize("theme", [DARK, LIGHT], ids=lambda theme: theme.name)
def test_texts_and_marks_stand_out_from_the_ground(drawn, name, theme):
    """Text 4.5:1, and marks that mean something 3:1: lines, dots, edges of bands and of bars."""
    figure = drawn(name, Parameters(pairs=PAIRS), Look(theme=theme))
    figure.draw_without_rendering()
    bars = [bar for ax in figure.axes for bar in ax.patches]
    tracks = [
        bar for bar in bars if bar.get_facecolor() in {film(theme, share) for share in (TRACK_SHARE, FAINT_SHARE)}
    ]
    for text in figure.findobj(Text):
        if text.get_text():
            behind = [bar for bar in tracks if bar.get_window_extent().overlaps(text.get_window_extent())]
            grounds = [theme.ground, *(over(bar.get_facecolor(), theme.ground) for bar in behind)]
            assert min(contrast(text.get_color(), ground) for ground in grounds) >= 4.5, text.get_text()
    drawn_lines = [line for ax in figure.axes for line in ax.lines]
    for line in drawn_lines:
        assert line.get_alpha() is None
        assert contrast(to_hex(line.get_color()), theme.ground) >= 3
    for cloud in figure.findobj(LineCollection):
        for colour in cloud.get_colors():
            assert contrast(over(colour, theme.ground), theme.ground) >= 3
    for bar in bars:
        if bar not in tracks:
            edge = bar.get_edgecolor() if bar.get_linewidth() else bar.get_facecolor()
            grounds = [theme.ground, *(over(track.get_facecolor(), theme.ground) for track in tracks)]
            assert min(contrast(over(edge, theme.ground), ground) for ground in grounds) >= 3
    assert drawn_lines or bars
