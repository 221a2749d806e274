"""Shapes are exactly where their numbers say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.numerals import slope_words
from core.theme import DARK, LIGHT
from scenes import parts
from scenes.parts import (
    Area,
    Bars,
    Dots,
    Lines,
    Plane,
    SlopeCurve,
    WeightBars,
    bracket,
    corners_to_bezier,
    dashes,
    ticks,
    up_to,
)
from scenes.typesetting import LABEL

PATH = np.array([[0.0, 0, 0], [3, 4, 0], [3, 6, 0]])  # 5 and 2 long


def corners(shape):
    """(n, 2, 3): where each curve of a shape begins and ends."""
    return shape.points.reshape(-1, 4, 3)[:, [0, 3]]


def boxes(shape):
    """(n, 4) left, bottom, right, top of each of a shape's rectangles."""
    parts = shape.points.reshape(-1, 16, 3)[..., :2]
    return np.concatenate([parts.min(axis=1), parts.max(axis=1)], axis=1)


# Paths


def test_a_straight_line_keeps_its_corners_and_its_pace():
    curves = corners_to_bezier(PATH).reshape(-1, 4, 3)
    np.testing.assert_allclose(curves[:, 0], PATH[:-1])
    np.testing.assert_allclose(curves[:, 3], PATH[1:])
    np.testing.assert_allclose(np.diff(curves, axis=1), np.repeat(np.diff(PATH, axis=0)[:, None] / 3, 3, axis=1))


@pytest.mark.parametrize(
    ("end", "xs", "ys"),
    [
        (0.0, [0], [0]),
        (1.0, [0, 1], [0, 5]),
        (2.0, [0, 1, 2], [0, 5, 3]),
        (2.5, [0, 1, 2, 2.5], [0, 5, 3, 5]),
        (3.0, [0, 1, 2, 3], [0, 5, 3, 7]),
    ],
)
def test_a_path_is_cut_on_its_way(end, xs, ys):
    found = up_to(np.array([0.0, 1, 2, 3]), np.array([0.0, 5, 3, 7]), end)
    np.testing.assert_allclose(found[0], xs)
    np.testing.assert_allclose(found[1], ys)


def test_dashes_lie_on_the_path_at_equal_steps():
    pieces = dashes(PATH, dash=0.5, gap=0.25)
    lengths = [np.linalg.norm(np.diff(piece, axis=0), axis=1).sum() for piece in pieces]
    np.testing.assert_allclose(lengths, [0.5] * 9 + [0.25])  # 7 units hold nine and the start of another
    np.testing.assert_allclose(pieces[1][0], [0.45, 0.6, 0])  # 0.75 along the way
    np.testing.assert_allclose(pieces[6], [[2.7, 3.6, 0], [3, 4, 0]])  # 4.5 to 5, which is the corner
    np.testing.assert_allclose(pieces[-1], [[3, 5.75, 0], [3, 6, 0]])


def test_a_dash_goes_round_a_corner():
    (piece,) = dashes(PATH, dash=7, gap=1)
    np.testing.assert_allclose(piece, PATH)


def test_a_bracket_is_a_line_with_caps():
    level, *caps = bracket(-2, 3, 1, cap=0.1)
    np.testing.assert_allclose(level, [[-2, 1, 0], [3, 1, 0]])
    np.testing.assert_allclose(caps, [[[-2, 0.9, 0], [-2, 1.1, 0]], [[3, 0.9, 0], [3, 1.1, 0]]])


@pytest.mark.parametrize(
    ("reach", "numbers"),
    [
        (4, [-4, -2, 0, 2, 4]),
        (80, [-80, -40, 0, 40, 80]),
        (25, [-20, -10, 0, 10, 20]),
        (0.7, [-0.6, -0.4, -0.2, 0, 0.2, 0.4, 0.6]),
    ],
)
def test_ticks(reach, numbers):
    assert ticks(reach) == pytest.approx(numbers)


@given(st.floats(1e-3, 1e6))
def test_ticks_are_few_round_and_inside(reach):
    marks = np.array(ticks(reach))
    np.testing.assert_allclose(marks, -marks[::-1])
    assert 5 <= len(marks) <= 9
    assert marks[-1] <= reach * (1 + 1e-6)
    steps = np.diff(marks)
    np.testing.assert_allclose(steps, steps[0])
    digit = steps[0] / 10 ** np.floor(np.log10(steps[0]) + 1e-9)
    assert min(abs(digit - number) for number in (1, 2, 4, 5)) < 1e-6


# Planes


PLANE = Plane((-2, 6), (0, 0.5), left=-4, bottom=-1, width=4, height=2)


def test_a_plane_puts_data_into_its_box():
    assert PLANE.point(-2, 0).tolist() == [-4, -1, 0]
    assert PLANE.point(6, 0.5).tolist() == [0, 1, 0]
    assert PLANE.x(2) == pytest.approx(-2)
    assert PLANE.y(0.125) == pytest.approx(-0.5)
    np.testing.assert_allclose(PLANE.points(np.array([-2.0, 2]), np.array([0.5, 0.25])), [[-4, 1, 0], [-2, 0, 0]])
    np.testing.assert_allclose(PLANE.x([-2, 6]), [-4, 0])


# Shapes


def test_lines_are_drawn_along_their_paths():
    lines = Lines(DARK.raw, 4)
    assert lines.show(PATH, PATH[:1], PATH[1:] + 1) is lines
    np.testing.assert_allclose(corners(lines)[:, 0], [PATH[0], PATH[1], PATH[1] + 1])
    np.testing.assert_allclose(corners(lines)[:, 1], [PATH[1], PATH[2], PATH[2] + 1])
    assert lines.get_stroke_width() == 4
    assert lines.get_stroke_color().to_hex() == DARK.raw
    assert lines.get_fill_opacity() == 0
    assert len(lines.show(PATH[:1]).points) == 0
    assert len(lines.show().points) == 0


def test_areas_close_and_have_no_edge():
    area = Area(LIGHT.scaled, 0.7).show(PATH, PATH[:2], PATH + 1)
    found = corners(area)
    np.testing.assert_allclose(found[:3, 0], PATH)
    np.testing.assert_allclose(found[:3, 1], [PATH[1], PATH[2], PATH[0]])
    np.testing.assert_allclose(found[3:, 0], PATH + 1)
    assert area.get_stroke_width() == 0
    assert area.get_fill_opacity() == pytest.approx(0.7)
    assert len(area.show().points) == 0


def test_dots_are_round_and_where_they_are_put():
    middles = np.array([[0.0, 0, 0], [1, 2, 0], [-3, 0.5, 0]])
    dots = Dots(0.25, DARK.raw).show(middles)
    parts = dots.points.reshape(3, -1, 3)
    anchors = parts[:, ::4]
    np.testing.assert_allclose(np.linalg.norm(anchors - middles[:, None], axis=2), 0.25)
    np.testing.assert_allclose(anchors.mean(axis=1), middles, atol=1e-12)
    assert len(dots.show(np.zeros((0, 3))).points) == 0


def test_bars_are_as_high_as_told():
    bars = Bars(np.array([0.0, 1, 2]), 0.5, -1, DARK.raw)
    heights = np.array([0.25, 0, 2])
    assert bars.show(heights) is bars
    np.testing.assert_allclose(boxes(bars), [[0, -1, 0.5, -0.75], [2, -1, 2.5, 1]])
    np.testing.assert_allclose(bars.heights, heights)
    np.testing.assert_allclose(bars.middles(), [0.25, 1.25, 2.25])
    assert bars.get_stroke_width() == 0, "a stroke would show a bar of height 0"
    assert len(bars.show(np.zeros(3)).points) == 0


@pytest.mark.parametrize("n", [1, 3, 16])
def test_weight_bars_fill_their_box(n):
    weights = np.linspace(0, 1, n) if n > 1 else np.array([0.4])
    texts = [f"{weight:.2f}" for weight in weights]
    row = WeightBars(n, -3, -1, 6, 2, DARK, gap=0.25).show(weights, texts)

    tracks = boxes(row.tracks)
    np.testing.assert_allclose(tracks[[0, -1], [0, 2]], [-3, 3])
    np.testing.assert_allclose(tracks[:, [1, 3]], [[-1, 1]] * n)
    widths = tracks[:, 2] - tracks[:, 0]
    np.testing.assert_allclose(widths, widths[0])
    np.testing.assert_allclose(tracks[1:, 0] - tracks[:-1, 2], widths[0] / 3)  # a quarter of a column, three quarters

    drawn = boxes(row.bars)
    shown = weights > 0
    np.testing.assert_allclose(drawn[:, [0, 2]], tracks[shown][:, [0, 2]])
    np.testing.assert_allclose(drawn[:, 1], -1)
    np.testing.assert_allclose(drawn[:, 3], -1 + 2 * weights[shown])

    for readout, text, middle, top in zip(row.readouts, texts, row.middles(), -1 + 2 * weights, strict=True):
        assert readout.text == text
        assert readout.get_x() == pytest.approx(middle, abs=0.02)  # letters are not all in the middle of their room
        assert top + 0.3 * LABEL < readout.get_bottom()[1] < top + 0.5 * LABEL


def test_weight_bars_change_in_place_and_may_leave_numbers_out():
    row = WeightBars(2, 0, 0, 2, 1, LIGHT, color=LIGHT.scaled)
    row.show(np.array([0.25, 0.75]), ["0.25", ""])
    parts = [id(part) for part in row.get_family()]
    assert [len(readout.points) > 0 for readout in row.readouts] == [True, False]
    row.show(np.array([1.0, 0.0]), ["", "0.00"])
    assert [id(part) for part in row.get_family()] == parts
    np.testing.assert_allclose(boxes(row.bars)[:, 3], [1])
    assert [len(readout.points) > 0 for readout in row.readouts] == [False, True]
    assert row.bars.get_fill_color().to_hex() == LIGHT.scaled
    with pytest.raises(ValueError, match="shorter"):
        row.show(np.array([0.5, 0.5]), ["0.50"])


# Boxes and the slope


def test_boxes_are_rectangles_one_for_each_of_the_numbers_given():
    one = parts.boxes(1, 2, 3, 4)
    np.testing.assert_array_equal(one, [[1, 2, 0], [4, 2, 0], [4, 6, 0], [1, 6, 0]])
    two = parts.boxes(np.array([1.0, 5]), 2, np.array([3.0, 1]), 4)
    np.testing.assert_array_equal(two[0], one)
    np.testing.assert_array_equal(two[1], parts.boxes(5, 2, 1, 4))


ARCH = Plane((0, 1), (0, 0.25), left=1, bottom=-1, width=3, height=2.5)


@pytest.fixture
def slope_curve():
    weights = np.linspace(0, 1, 201)
    return SlopeCurve(ARCH, weights, weights * (1 - weights), DARK, DARK.scaled)


def test_the_curve_of_the_slope_is_where_its_numbers_say(slope_curve):
    ends = corners(slope_curve.curve)
    weights = np.linspace(0, 1, 201)
    np.testing.assert_allclose(ends[:, 1, 0], 1 + 3 * weights[1:], atol=1e-12)
    np.testing.assert_allclose(ends[:, 1, 1], -1 + 10 * weights[1:] * (1 - weights[1:]), atol=1e-12)
    tick, peak = slope_curve.peak
    assert peak.text == "0.25"
    np.testing.assert_allclose(tick.points[0], [2.5, 1.5, 0])
    assert peak.get_bottom()[1] > tick.get_top()[1]


@pytest.mark.parametrize("p", [0, 1e-6, 0.02, 0.125, 0.3, 0.49, 0.5, 0.52, 0.67, 0.8, 0.9, 0.97, 0.9997, 1])
def test_the_slope_of_a_weight_is_a_dot_on_the_curve_and_a_number_inside_it(slope_curve, p):
    slope_curve.show(p, p * (1 - p))
    dot, number = slope_curve.dot, slope_curve.number
    np.testing.assert_allclose(dot.get_center(), ARCH.point(p, p * (1 - p)), atol=1e-6)
    assert number.text == slope_words(p * (1 - p))
    left, right = number.get_left()[0], number.get_right()[0]
    bottom, top = number.get_bottom()[1], number.get_top()[1]
    assert bottom > ARCH.bottom + 0.1
    for x in (left, right):  # below the curve, so inside it
        weight = (x - ARCH.left) / ARCH.width
        assert top < ARCH.y(weight * (1 - weight)) - 0.05
    nearest = np.clip(dot.get_center()[:2], [left, bottom], [right, top])
    assert np.linalg.norm(nearest - dot.get_center()[:2]) > SlopeCurve.DOT + 0.04


def test_the_slope_takes_the_colour_of_a_role(slope_curve):
    assert slope_curve.dot.get_fill_color().to_hex() == DARK.scaled
    slope_curve.show(0.5, 0.25).paint(DARK.raw).show(0.9, 0.09)
    assert {part.get_fill_color().to_hex() for part in (slope_curve.dot, slope_curve.number)} == {DARK.raw}
