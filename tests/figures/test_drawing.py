"""What is drawn is what the case says: the artists hold its numbers."""

import re
import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

from core.cases import collapse_case, density_case, divisors_case, saturation_case, spread_case, walks_case
from core.numerals import fixed
from core.parameters import Parameters
from core.theme import DARK, LIGHT
from figures import ORDER, SIZES
from figures.density import draw_density, shown
from figures.divisors import draw_divisors
from figures.entropy import draw_entropy
from figures.export import Look, figure_module, title_of
from figures.rescaling import draw_rescaling
from figures.saturation import draw_saturation
from figures.slope import draw_slope
from figures.spread import draw_spread
from figures.walks import draw_walks
from figures.wording import mathematical

OTHERS = Parameters(
    d_k=97, sizes=(3, 50, 900), n_keys=5, scores=(-1.5, 0.25, 4, 3), pairs=500, seed=11
)  # unlike the defaults in everything
BOTH = pytest.mark.parametrize("parameters", [Parameters(pairs=1000), OTHERS], ids=["defaults", "others"])


def axes():
    return Figure((40 / 3, 7.5)).subplots()


def words(figure):
    """Every text on a figure."""
    return [text.get_text() for text in figure.findobj(Text) if text.get_text()]


def points(line):
    return np.asarray(line.get_xydata())


def heights(ax):
    """The heights of the bars on ``ax``, in the order of drawing."""
    return [patch.get_height() for patch in ax.patches]


@BOTH
def test_walks(parameters):
    ax, case = axes(), walks_case(parameters)
    assert draw_walks(ax, case, DARK) is ax
    (cloud,) = ax.collections
    for segment, walk in zip(cloud.get_segments(), case.walks, strict=True):
        np.testing.assert_array_equal(segment, np.column_stack([case.positions, walk]))
    above, below, followed, end = (points(line) for line in ax.lines)
    np.testing.assert_array_equal(above, np.column_stack([case.positions, case.envelope]))
    np.testing.assert_array_equal(below, np.column_stack([case.positions, -case.envelope]))
    np.testing.assert_array_equal(followed, np.column_stack([case.positions, case.walks[case.followed]]))
    np.testing.assert_array_equal(end, [[case.d_k, case.ends[case.followed]]])
    assert ax.get_ylim()[0] < case.walks.min() < case.walks.max() < ax.get_ylim()[1]


def test_walks_say_how_many_end_inside(drawn):
    said, case = words(drawn("walks")), walks_case(Parameters())
    inside = int((np.abs(case.ends) <= np.sqrt(case.d_k)).sum())
    assert f"{inside} of 60\nend inside" in said
    assert any(f"rises {case.steps_up} times and falls {case.steps_down} times" in text for text in said)


@pytest.mark.parametrize(("d_k", "root"), [(4, 2), (64, 8), (4096, 64)])
def test_walks_are_numbered_in_steps_of_the_root(d_k, root):
    ax = axes()
    draw_walks(ax, walks_case(Parameters(d_k=d_k)), DARK)
    ticks = list(ax.get_yticks())
    assert {-root, 0, root} <= set(ticks)
    assert not [tick for tick in ticks if tick % root]


@BOTH
def test_density(parameters):
    ax, case = axes(), density_case(parameters)
    assert draw_density(ax, case, DARK) is ax
    *laws, bracket = ax.lines
    for line, law in zip(laws, case.laws, strict=True):
        np.testing.assert_array_equal(points(line), np.column_stack([case.grid, law]))
    one = shown(case)
    np.testing.assert_array_equal(points(bracket)[:, 0], [-case.std_law[one], case.std_law[one]])
    np.testing.assert_array_equal(heights(ax), case.heights[one])
    middles = [patch.get_x() + patch.get_width() / 2 for patch in ax.patches]
    np.testing.assert_allclose(middles, (case.edges[one][:-1] + case.edges[one][1:]) / 2, atol=1e-9)
    assert any(f"measured {fixed(case.measured_std[one], 2)}" in text for text in words(ax))


@BOTH
def test_spread(parameters):
    ax, case = axes(), spread_case(parameters)
    assert draw_spread(ax, case, DARK) is ax
    law, raw, scaled, step = ax.lines
    for line, values in ((law, case.law), (raw, case.raw_std), (scaled, case.scaled_std)):
        np.testing.assert_array_equal(points(line), np.column_stack([case.sizes, values]))
    low, high = np.sqrt(case.from_size), np.sqrt(case.to_size)
    np.testing.assert_allclose(points(step), [[case.from_size, low], [case.to_size, low], [case.to_size, high]])
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        (Parameters().sizes, {"16 times the numbers", "4 times the spread"}),
        ((2, 4096), {"2,048 times the numbers", "45.3 times the spread"}),
        ((2, 7), {"3.5 times the numbers", "1.9 times the spread"}),
    ],
)
def test_the_step_says_how_much_bigger_and_how_much_wider(sizes, said):
    ax = axes()
    draw_spread(ax, spread_case(Parameters(pairs=1000, sizes=sizes)), DARK)
    assert said <= {text.replace("\n", " ") for text in words(ax)}


@BOTH
def test_saturation(parameters):
    figure, case = Figure((40 / 3, 7.5)), saturation_case(parameters)
    assert draw_saturation(figure, case, DARK) is figure
    before, after = figure.axes
    n = len(case.scores)
    assert heights(before)[:n] == heights(after)[:n] == [1] * n  # the tracks
    np.testing.assert_array_equal(heights(before)[n:], case.weights)
    np.testing.assert_array_equal(heights(after)[n:], case.multiplied_weights)


@pytest.mark.parametrize("scores", [(2, 1, 0), (2, 1)])
def test_what_the_rows_of_numbers_are_stands_at_the_first_bar(drawn, scores):
    for ax in drawn("saturation", Parameters(scores=scores)).axes:
        name = next(text for text in ax.texts if text.get_text() == "score").get_window_extent()
        gap = ax.patches[0].get_window_extent().x0 - name.x1
        assert 0 < gap < name.width


def test_saturation_says_the_lessons_numbers():
    figure = Figure((40 / 3, 7.5))
    draw_saturation(figure, saturation_case(Parameters()), DARK)
    before, after = figure.axes
    assert words(before)[:3] == ["0.67", "0.24", "0.09"]
    assert words(after)[:3] == ["0.9997", "0.0003", "0.0000"]
    assert [text for text in words(after) if text.isdigit()] == ["16", "8", "0"]
    assert "scores 2, 1, 0" in words(before)
    assert {"every score × 8", r"$\sqrt{\!d} = \sqrt{\!64} = 8$", "weight", "score"} <= set(words(after))


@BOTH
def test_slope(parameters):
    ax, case = axes(), saturation_case(parameters)
    assert draw_slope(ax, case, DARK) is ax
    curve, before, after = ax.lines
    np.testing.assert_array_equal(points(curve), np.column_stack([case.curve_weights, case.curve_slopes]))
    np.testing.assert_array_equal(points(before), [[case.weights[case.top], case.slope]])
    np.testing.assert_array_equal(points(after), [[case.multiplied_weights[case.top], case.multiplied_slope]])


def test_slope_says_the_lessons_numbers():
    ax = axes()
    draw_slope(ax, saturation_case(Parameters()), DARK)
    assert {"weight 0.67\nslope 0.22", "weight 0.9997\nslope 0.0003", "slope 664 times smaller"} <= set(words(ax))
    assert "slope $p(1 - p)$ of a weight with respect to its own score" in words(ax)


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        (Parameters(d_k=2, scores=(0.1, *[0] * 7)), {"slope about the same"}),  # 1.03 times larger
        (Parameters(d_k=64, scores=(0.5, *[0] * 7)), {"slope 1.5 times smaller"}),
        (Parameters(d_k=16, scores=(0.5, *[0] * 7)), {"slope 1.6 times larger"}),
        (Parameters(d_k=4096), {"slope about 10²⁷ times smaller", "weight 1.0000\nslope below 0.0001"}),
    ],
)
def test_slope_says_what_becomes_of_it_whichever_way(parameters, said):
    ax = axes()
    draw_slope(ax, saturation_case(parameters), DARK)
    assert said <= set(words(ax))


def test_rescaling():
    figure, case = Figure((40 / 3, 7.5)), collapse_case()
    assert draw_rescaling(figure, case, DARK) is figure
    raw, raw_entropy, scaled, scaled_entropy = figure.axes
    np.testing.assert_array_equal(heights(raw)[8:], case.raw_weights)
    np.testing.assert_array_equal(heights(scaled)[8:], case.scaled_weights)
    for ax, entropy in ((raw_entropy, case.raw_entropy), (scaled_entropy, case.scaled_entropy)):
        track, bar = ax.patches
        assert (track.get_width(), bar.get_width()) == (case.uniform_entropy, entropy)
        assert ax.get_xlim() == (0, case.uniform_entropy)


def test_rescaling_says_the_lessons_numbers(drawn):
    said = set(words(drawn("rescaling")))
    assert {"entropy 0.0003 of 2.08", "entropy 1.79 of 2.08", "0.35", "1.0000"} <= said
    assert {"−3.12", "−27.0", "24.3", "−1.69", "1.52"} <= said


@pytest.mark.parametrize("size", SIZES)
def test_rescaling_says_that_its_bars_are_weights(drawn, size):
    said = words(drawn("rescaling", look=Look(size)))
    assert {r"$\mathrm{softmax}(q \cdot k)$", r"$\mathrm{softmax}(q \cdot k\,/\,\sqrt{\!d})$"} <= set(said)


@BOTH
@pytest.mark.parametrize(("draw", "statistic"), [(draw_divisors, "max_weight"), (draw_entropy, "entropy")])
def test_divisors_and_entropy(draw, statistic, parameters):
    ax, case = axes(), divisors_case(parameters)
    assert draw(ax, case, DARK) is ax
    uniform, *lines = ax.lines
    assert set(uniform.get_ydata()) == {case.uniform_weight if statistic == "max_weight" else case.uniform_entropy}
    for index, (name, band) in enumerate(zip(("raw", "scaled", "over_scaled"), ax.collections, strict=True)):
        low, high, median = (getattr(getattr(case, name), f"{statistic}_{part}") for part in ("low", "high", "median"))
        for line, values in zip(lines[3 * index : 3 * index + 3], (low, high, median), strict=True):
            np.testing.assert_array_equal(points(line), np.column_stack([case.sizes, values]))
        corners = {tuple(corner) for corner in band.get_paths()[0].vertices}
        assert {*zip(case.sizes, low, strict=True), *zip(case.sizes, high, strict=True)} <= corners
        assert any(fixed(median[-1], 2) in text for text in words(ax))
    assert len({line.get_marker() for line in lines[2::3]}) == 3


@pytest.mark.parametrize("name", ["divisors", "entropy"])
@pytest.mark.parametrize("size", SIZES)
def test_bands_say_of_how_many_draws_they_are_and_end_values_of_which_size(drawn, name, size):
    said = words(drawn(name, look=Look(size)))
    assert r"at $d = 1{,}024$" in said
    assert [text for text in said if text.endswith("middle 80% of 4,000 draws")]


def test_a_role_has_the_same_marker_in_every_figure(drawn):
    markers = {}
    for name in ORDER:
        for ax in drawn(name).axes:
            for line in ax.lines:
                if line.get_marker() not in ("None", "|"):
                    markers.setdefault(line.get_color(), set()).add(line.get_marker())
    assert markers == {DARK.raw: {"o"}, DARK.scaled: {"s"}, DARK.over_scaled: {"^"}}


def test_measured_spreads_have_two_decimals_as_in_the_film(drawn):
    case = spread_case(Parameters(pairs=1000))
    assert {fixed(std, 2) for std in case.raw_std} <= set(words(drawn("spread")))


@pytest.mark.parametrize("name", ["walks", "saturation", "slope"])
def test_a_root_that_is_not_whole_is_said_with_three_digits_wherever_it_stands(drawn, name):
    parameters = Parameters(d_k=1000)
    module = figure_module(name)
    said = [*words(drawn(name, parameters)), module.alt_text(module.case(parameters))]
    assert not [text for text in said if re.search(r"31\.6\d", text)]
    assert [text for text in said if "31.6" in text]


@pytest.mark.parametrize(
    ("name", "parameters", "title"),
    [
        ("saturation", Parameters(), "Bigger scores push softmax towards all or nothing"),
        ("saturation", Parameters(d_k=2, scores=(1, 0.9)), "Bigger scores, less even weights"),
        ("slope", Parameters(), "A weight near 0 or 1 passes almost no gradient"),
        ("slope", Parameters(d_k=2, scores=(1, 0.9)), "The slope of a weight is largest at one half"),
        ("slope", Parameters(d_k=2, scores=(10, -10)), "A weight near 0 or 1 passes almost no gradient"),
    ],
)
def test_a_title_promises_only_what_the_case_shows(drawn, name, parameters, title):
    assert title_of(name, parameters) == title
    assert " ".join(text.get_text() for text in drawn(name, parameters).texts) == mathematical(title)


@pytest.mark.parametrize("name", ORDER)
def test_a_slope_is_a_number_that_is_larger_or_smaller(drawn, name):
    """The arch it is drawn as is level where the slope is largest, so "flat" and "steep" would say the opposite."""
    module = figure_module(name)
    for parameters in (Parameters(pairs=1000), OTHERS, Parameters(d_k=2, scores=(1, 0.9), pairs=1000)):
        said = [*words(drawn(name, parameters)), module.alt_text(module.case(parameters))]
        assert not [text for text in said if re.search("flat|steep", text)]


@pytest.mark.parametrize("name", ORDER)
def test_drawing_changes_nothing_but_the_axes_given(name):
    """On a caller's own figure, with the caller's own settings."""
    before = dict(matplotlib.rcParams)
    module, figure = figure_module(name), Figure((8, 4))
    case = module.case(Parameters(pairs=1000))
    if hasattr(module, "MARGINS"):
        mine, other = figure.subplots(1, 2)
        place = mine.get_position().bounds
        getattr(module, f"draw_{name}")(mine, case, LIGHT)
        assert figure.axes == [mine, other]
        assert mine.get_position().bounds == place
        assert not other.has_data()
    else:
        getattr(module, f"draw_{name}")(figure, case, LIGHT)
    assert not figure.texts
    assert dict(matplotlib.rcParams) == before


@pytest.mark.parametrize("name", ORDER)
def test_the_title_is_a_short_plain_line(name):
    """It is listed on terminals and read aloud, too."""
    for title in {figure_module(name).TITLE, title_of(name, OTHERS), title_of(name, Parameters(d_k=2, pairs=200))}:
        assert len(title) <= 50
        assert "$" not in title
        assert "\\" not in title


@pytest.mark.parametrize("name", ORDER)
@BOTH
def test_only_what_a_figure_declares_changes_it(name, parameters):
    """USES is what the command line goes by when it refuses an option."""
    module = figure_module(name)
    used = {field: getattr(parameters, field) for field in module.USES}
    assert module.case(Parameters(**used)) is not None
    assert module.alt_text(module.case(Parameters(**used))) == module.alt_text(module.case(parameters))


def test_neither_pyplot_nor_manim_is_imported_and_names_come_without_matplotlib():
    program = (
        "import sys, figures\n"
        "assert not {'matplotlib', 'numpy'} & set(sys.modules)\n"
        "from figures.export import export, figure_module\n"
        "[figure_module(name) for name in figures.ORDER]\n"
        "assert not {'matplotlib.pyplot', 'manim', 'click'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
