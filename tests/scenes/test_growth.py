"""What the growth scene draws and prints is what core says, at the defaults and at extreme parameters."""

import math
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manim import Dot, smooth

from core.cases import density_case, product_case, spread_case, walks_case
from core.numerals import fixed, significant, whole
from core.parameters import Parameters
from core.spread import score_density
from core.theme import DARK
from scenes.growth import (
    CELLS,
    HIGH,
    LOW,
    SLOW_DRAWS,
    DotProductGrowth,
    apart,
    fold,
    halves,
    product_plane,
    root_formula,
    root_ticks,
    root_value,
    score_plane,
    shown_draws,
    zoom,
)
from scenes.parts import Bars, Lines, LogPlot, bracket, dashes, spaced, ticks, times, up_to
from scenes.rendering import FilmOptions, Moment, rehearse
from scenes.typesetting import Readout, SetText

EVERY = {
    "defaults": Parameters(),
    "smallest": Parameters(d_k=2, sizes=(2, 3), pairs=100),
    "largest": Parameters(d_k=4096, sizes=(2, 3, 4, 5, 6, 4096), seed=5),
    "ragged": Parameters(d_k=129, sizes=(1000, 1010, 4095), pairs=100, seed=2**32 - 1),
}


@dataclass
class Held:
    """What stands on screen at the end of a beat, as plain numbers and texts."""

    texts: list[str]
    lines: list[np.ndarray]
    dots: list[np.ndarray]
    bars: list[Bars]


@dataclass
class Film:
    """A scene that was gone through, and what every beat ended on."""

    parameters: Parameters
    scene: DotProductGrowth
    ends: dict[str, Held] = field(default_factory=dict)
    rows: list[tuple[float, float]] = field(default_factory=list)  # ends of the newest bracket at every size


def parts_of(scene: Any, kind: type) -> list[Any]:
    return [mobject for mobject in scene.get_mobject_family_members() if isinstance(mobject, kind)]


@cache  # the films are only looked at
def go_through(parameters: Parameters) -> Film:
    ends: dict[str, Held] = {}
    rows: list[tuple[float, float]] = []

    def look(moment: Moment) -> None:
        scene: Any = moment.scene
        if not moment.held:
            return
        ends[moment.beat] = Held(
            [text.source for text in parts_of(scene, SetText)] + [text.text for text in parts_of(scene, Readout)],
            [line.points.copy() for line in parts_of(scene, Lines)],
            [dot.get_center() for dot in parts_of(scene, Dot)],
            [bars.copy() for bars in parts_of(scene, Bars)],
        )
        if moment.beat == "every size" and len(scene.brackets) > len(rows):
            line = scene.brackets[-1]
            rows.append((line.get_left()[0], line.get_right()[0]))

    scene: Any = rehearse(DotProductGrowth, parameters, FilmOptions(quality="l", captions="none"), look)
    return Film(parameters, scene, ends, rows)


@pytest.fixture(scope="module", params=EVERY.values(), ids=EVERY.keys())
def film(request: pytest.FixtureRequest) -> Film:
    return go_through(request.param)


def spoken(film: Film) -> str:
    return " ".join(line for cue in film.scene.cues for line in cue.lines)


def points_of(lines: list[np.ndarray], anchor: np.ndarray) -> bool:
    """Whether one of ``lines`` has a corner at ``anchor``."""
    return any(len(points) and np.abs(points - anchor).max(axis=1).min() < 1e-6 for points in lines)


# Shapes and words


@given(st.floats(0.02, 1e4))
def test_ticks_are_even_and_inside_and_at_least_two_to_each_side(reach):
    marks = ticks(reach)
    assert len(marks) >= 5
    assert len(marks) <= 11
    assert max(marks) <= reach * (1 + 1e-6)
    assert marks[len(marks) // 2] == 0
    np.testing.assert_allclose(np.diff(marks), np.diff(marks)[0])
    digit = float(f"{marks[-1] / (len(marks) // 2):e}".partition("e")[0])
    assert any(math.isclose(digit, round_number) for round_number in (1, 2, 4, 5))


@pytest.mark.parametrize(("reach", "expected"), [(4, [-4, -2, 0, 2, 4]), (23.4, [-20, -10, 0, 10, 20])])
def test_ticks_by_hand(reach, expected):
    np.testing.assert_allclose(ticks(reach), expected)


def test_a_dashed_line_shows_dashes_along_its_path_and_leaves_the_gaps_out():
    corner = np.array([[0, 0, 0], [1, 0, 0], [1, 0.3, 0]], dtype=float)
    pieces = dashes(corner, dash=0.2, gap=0.1)
    lengths = [np.linalg.norm(np.diff(piece, axis=0), axis=1).sum() for piece in pieces]
    np.testing.assert_allclose(lengths, [0.2, 0.2, 0.2, 0.2, 0.1])  # 1.3 long: the fifth dash ends with the path
    np.testing.assert_allclose(pieces[3], [[0.9, 0, 0], [1, 0, 0], [1, 0.1, 0]])  # one goes round the corner
    assert dashes(np.zeros((2, 3))) == []


def test_a_polyline_is_cut_between_its_corners():
    xs, ys = up_to(np.array([0, 1, 2]), np.array([0, 10, 0]), 1.5)
    np.testing.assert_allclose(xs, [0, 1, 1.5])
    np.testing.assert_allclose(ys, [0, 10, 5])


def test_a_bracket_is_a_level_line_between_two_caps():
    level, *caps = bracket(-1.0, 2.0, 0.5, cap=0.1)
    np.testing.assert_allclose(level, [[-1, 0.5, 0], [2, 0.5, 0]])
    np.testing.assert_allclose(caps, [[[x, 0.4, 0], [x, 0.6, 0]] for x in (-1, 2)])


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        (16.0, "16"),
        (4.0, "4"),
        (1.5, "1.5"),
        (45.2548, "45.3"),
        (4.0958, "4.1"),
        (2048.0, "2,048"),
        (1365.33, "1,365"),
        (4096 / 4095, "1.0002"),
        (math.sqrt(4096 / 4095), "1.0001"),
        (1.0, "1"),
    ],
)
def test_times(ratio, expected):
    assert times(ratio) == expected


def test_twice_is_said_of_two_alone():
    assert [fold(ratio) for ratio in (2.0, 2.004, 2.02, 4.0, 2048.0)] == [
        "twice",
        "twice",
        "2.02 times",
        "4 times",
        "2,048 times",
    ]


@given(st.floats(1.5, 512), st.floats(0, 1))
def test_a_zoom_grows_by_equal_factors_but_for_its_smooth_start_and_end(factor, share):
    assert [zoom(factor)(t) for t in (0, 1)] == pytest.approx([0, 1])
    grown = 1 + (factor - 1) * zoom(factor)(share)
    assert math.log(grown) == pytest.approx(math.log(factor) * smooth(share), abs=1e-6)
    assert zoom(1)(share) == smooth(share)


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=5).map(sorted), st.floats(0.1, 1))
def test_texts_are_moved_apart_and_no_further_than_they_must(places, room):
    moved = apart(places, room)
    assert (np.diff(moved) >= room - 1e-9).all()
    assert moved.mean() == pytest.approx(np.mean(places))
    if all(np.diff(places) >= room):
        np.testing.assert_allclose(moved, places, atol=1e-12)
    # Least squares under the same rule, by trying every way to let neighbours touch.
    n, best = len(places), np.inf
    for touching in product([False, True], repeat=n - 1):
        runs = np.cumsum([0, *(not touch for touch in touching)])
        less = np.array(places) - room * np.arange(n)
        level = np.array([less[runs == run].mean() for run in runs])
        if (np.diff(level) >= -1e-12).all():
            best = min(best, ((level - less) ** 2).sum())
    assert ((moved - places) ** 2).sum() == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize(
    ("d", "reach", "expected"),
    [
        (64, 23.4, [-16, -8, 0, 8, 16]),
        (4, 4.2, [-4, -2, 0, 2, 4]),
        (4096, 150.0, [-128, -64, 0, 64, 128]),
        (4, 13.0, [-12, -8, -4, 0, 4, 8, 12]),
        (50, 23.4, [-20, -10, 0, 10, 20]),
    ],
)
def test_an_axis_is_marked_at_multiples_of_the_root_where_it_is_whole(d, reach, expected):
    np.testing.assert_allclose(root_ticks(d, reach), expected)


def test_halves_by_hand():
    assert halves(16, 8) == [8]
    assert halves(15, 1) == [7, 3, 1]
    assert halves(2, 1) == [1]
    assert halves(1, 1) == []


def test_a_root_is_called_equal_only_when_it_is_whole():
    assert root_value(64) == "= 8"
    assert root_value(4095) == "≈ 64.0"
    assert root_formula(1024) == 'sqrt("1,024") = "32"'
    assert root_formula(2) == 'sqrt("2") approx "1.41"'


@given(st.lists(st.floats(0, 10), min_size=1, max_size=8, unique=True), st.floats(0.1, 3))
def test_labels_are_kept_apart_and_none_is_left_out_that_would_fit(places, room):
    kept = spaced(places, range(len(places)), room)
    assert kept[0] == 0
    for index, here in enumerate(places):
        others = [places[other] for other in kept if other != index]
        fits = all(abs(here - other) >= room for other in others)
        if index in kept:
            assert fits
        else:
            assert not fits


@pytest.mark.parametrize("pairs", [100, 1000, 10_000])
@pytest.mark.parametrize("seed", [0, 1, 7, 2**32 - 1])
def test_shown_draws_are_inside_the_plot_and_multiply_as_printed(seed, pairs):
    case = product_case(Parameters(seed=seed, pairs=pairs))
    shown = shown_draws(case)
    assert (np.diff(shown) >= 0).all()
    assert len(set(shown[: SLOW_DRAWS + 1])) == SLOW_DRAWS + 1
    for draw in shown:
        assert abs(case.products[draw]) < 4
        query, key, product = (float(f"{values[draw]:.2f}") for values in (case.queries, case.keys, case.products))
        assert abs(query * key - product) < 0.005
    for values in (case.queries, case.keys):
        assert (np.abs(values[shown[:SLOW_DRAWS]]) >= 0.1).all()


def test_watched_draws_may_have_factors_near_0_where_there_are_too_few_others():
    values = np.tile([0.05, -0.05], 100)
    case = replace(product_case(Parameters(pairs=200)), queries=values, keys=values, products=values**2)
    np.testing.assert_array_equal(shown_draws(case)[: SLOW_DRAWS + 1], range(SLOW_DRAWS + 1))


# One product, many products


def test_beats_come_in_their_order(film):
    names = ["the question", "one product", "many products", "one score", "many scores", "every size", "the root law"]
    assert [beat.name for beat in film.scene.beats] == names
    assert list(film.ends) == names


# The question


def test_the_question_is_asked_and_d_is_named_once_as_papers_do(film):
    assert "Attention divides every score by √d. Why?" in spoken(film)
    assert "A query q and a key k hold d numbers each." in spoken(film)
    assert "_" not in spoken(film)
    texts = film.ends["the question"].texts
    assert "Why divide by $sqrt(d)$?" in texts
    assert sum("d_k" in text for end in film.ends.values() for text in end.texts) == 1
    assert "$d$ numbers, $d_k$ in papers" in texts


def test_numbers_of_a_vector_stand_in_their_cells_and_fly_to_their_places_in_the_sum(film):
    scene = film.scene
    formula, home = scene.sum_of_products(), scene.sum_of_products()
    for name in scene.ways_home:
        part, expected = formula.select(name), home.select(name).get_center()
        way = scene.into_cell(name, part)
        assert part.get_x() == pytest.approx(CELLS[name[1:]])
        np.testing.assert_allclose(part.get_center() + way, expected, atol=1e-9)
        np.testing.assert_allclose(way, scene.ways_home[name], atol=1e-9)


def test_the_pile_is_the_cases_histogram_and_its_mean_and_spread_are_printed(film):
    case, end = product_case(film.parameters), film.ends["many products"]
    (bars,) = end.bars
    plane = product_plane(case, HIGH)
    np.testing.assert_allclose(bars.heights, plane.height * case.heights / plane.y_range[1], atol=1e-9)
    np.testing.assert_allclose(bars.middles(), plane.x((case.edges[:-1] + case.edges[1:]) / 2))
    assert plane.bottom + bars.heights.max() <= plane.bottom + plane.height
    assert f"mean {fixed(case.mean, 2)}, spread {fixed(case.std, 2)}" in end.texts
    assert f"{whole(film.parameters.pairs)} products" in end.texts
    ends_of_bracket = plane.x([case.mean - case.std, case.mean + case.std])
    assert any(
        np.allclose([points[:, 0].min(), points[:, 0].max()], ends_of_bracket, atol=1e-6) for points in end.lines
    )
    assert f"The {whole(film.parameters.pairs)} products follow the curve." in spoken(film)
    assert "Spread (standard deviation) is the typical distance from the mean." in spoken(film)


@pytest.mark.parametrize("draws", [0, 1, 2.5, 3, 20, 46.2, 47])
def test_the_pile_holds_the_products_drawn_by_now(film, draws):
    case, scene = product_case(film.parameters), film.scene
    scene.draws.set_value(draws)
    watched = scene.shown[:SLOW_DRAWS]
    order = [*watched, *(draw for draw in range(film.parameters.pairs) if draw not in watched)]
    so_far = case.products[order[: scene.drawn()]]
    counts, _ = np.histogram(so_far, case.edges)
    np.testing.assert_allclose(scene.pile(), counts / (film.parameters.pairs * np.diff(case.edges)))
    assert scene.drawn() == (int(draws) if draws <= SLOW_DRAWS else scene.drawn())
    assert draws < len(scene.shown) or scene.drawn() == film.parameters.pairs
    assert scene.count_text() == f"{whole(len(so_far))} product{'' if len(so_far) == 1 else 's'}"


def test_a_slow_product_lands_on_its_value(film):
    case, scene, plane = product_case(film.parameters), film.scene, product_plane(product_case(film.parameters), LOW)
    scene.height.set_value(LOW)
    for draw in range(SLOW_DRAWS):
        scene.draws.set_value(draw + 0.999999)
        x, y, _ = scene.falling_products()[-1]
        assert x == pytest.approx(plane.x(case.products[scene.shown[draw]]), abs=1e-4)
        assert y < plane.bottom + 0.1
        before = scene.falling_products()
        scene.draws.set_value(draw + 0.3)  # its factors are read before it falls
        assert len(scene.falling_products()) == len(before) - 1


@pytest.mark.parametrize("draw", [0, 2, 3, 30, 46])
def test_the_numbers_shown_are_those_of_the_draw(film, draw):
    case, scene = product_case(film.parameters), film.scene
    scene.draws.set_value(draw + 0.9)
    index = scene.shown[draw]
    for values in (case.queries, case.keys, case.products):
        readout = scene.drawn_number(values, 0, "#FFFFFF", 0.3)
        readout.update()
        assert readout.text == fixed(values[index], 2)


def test_theory_is_revealed_from_the_left_up_to_the_top_of_the_plot(film):
    case, scene, plane = product_case(film.parameters), film.scene, product_plane(product_case(film.parameters), HIGH)
    scene.height.set_value(HIGH)
    scene.revealed.set_value(1)
    for path, side in zip(scene.law_branches(), (case.grid < 0, case.grid > 0), strict=True):
        xs = case.grid[side & (case.law <= plane.y_range[1])]
        np.testing.assert_allclose(path, plane.points(xs, score_density(xs, 1)), atol=1e-9)
    scene.revealed.set_value(0.25)
    (left,) = scene.law_branches()
    assert left[-1, 0] == pytest.approx(plane.x(case.grid[0] + 0.25 * np.ptp(case.grid)))


# One score, many scores


def test_the_followed_score_and_its_steps_are_printed(film):
    case, end = walks_case(film.parameters), film.ends["one score"]
    score = fixed(case.ends[case.followed], film.scene.digits())
    assert score in end.texts
    up = f"{whole(case.steps_up)} step{'' if case.steps_up == 1 else 's'} up, {whole(case.steps_down)} down"
    assert spoken(film).count(up) == 1
    assert f" cancel, and it ends at {score}." in spoken(film)
    for count in (case.d_k, round(case.d_k / 2)):
        assert whole(count) in end.texts
    words = "most" if math.sqrt(case.d_k) < case.d_k / 2 else "some"
    assert f"A score adds $d$ products, and {words} of them cancel" in end.texts


def test_the_head_is_where_the_walk_is_and_always_inside_the_plot(film):
    case, scene = walks_case(film.parameters), film.scene
    first = case.positions[min(8, len(case.positions) - 1)]
    for share in np.linspace(0, 1, 23):
        added = share * case.d_k
        scene.added.set_value(added)
        scene.room.set_value(max(first, added))
        field = scene.field()
        score = np.interp(added, case.positions, case.walks[case.followed])
        path = scene.followed_walk()
        np.testing.assert_allclose(path[-1], field.point(added, score))
        assert field.y_range[0] == -field.y_range[1]
        assert (np.abs(path[:, 1] - field.y(0)) <= field.height / 2).all()
        readout = Readout(color="#FFFFFF", align="left")
        scene.show_score(readout)
        assert readout.text == fixed(score, scene.digits())


@pytest.mark.parametrize(
    ("d_k", "up", "down", "end", "expected"),
    [
        (64, 35, 29, 7.98, "35 steps up, 29 down, big and small: most cancel, and it ends at 7.98."),
        (64, 1, 63, -9, "1 step up, 63 down, big and small: some cancel, and it ends at −9.00."),
        (5, 3, 2, 2.6, "3 steps up, 2 down, big and small: some cancel, and it ends at 2.60."),
        (2, 0, 2, -1.36, "0 steps up, 2 down: none cancel, and it ends at −1.36."),
    ],
)
def test_what_is_said_of_the_steps_depends_on_how_many_cancel(d_k, up, down, end, expected):
    scene = DotProductGrowth(Parameters(d_k=d_k))
    scene.setup()
    ends = np.full(60, end)
    scene.walk = replace(scene.walk, steps_up=up, steps_down=down, ends=ends)
    assert scene.steps_caption() == expected


def test_numbers_of_the_axes_come_in_as_the_plot_grows_and_all_stand_in_the_end(film):
    case, scene = walks_case(film.parameters), film.scene
    for room in (scene.first_room(), case.d_k):
        scene.room.set_value(room)
        field = scene.field()
        for text, axis, value, goes in scene.marks:
            scene.put_mark(text, axis, value, goes)
            inside = value <= room if axis == "x" else abs(value) <= field.y_range[1]
            opacity = text[0].get_fill_opacity()
            if not goes:
                assert opacity == (1 if inside else 0)
            elif not inside or room == case.d_k:
                assert opacity == 0
            elif axis == "x":
                assert opacity == 1
            assert inside or room < case.d_k
            if axis == "x":
                assert text.get_x() == pytest.approx(field.x(value))
    assert {value for _, axis, value, goes in scene.marks if goes and axis == "x" and value <= 8} <= {2, 4, 6, 8}


@pytest.mark.parametrize("d_k", [9, 12, 64, 129, 225, 1000, 3001, 4096])
def test_at_every_moment_of_the_zoom_an_axis_has_numbers_that_stand_apart(d_k):
    scene = DotProductGrowth(Parameters(d_k=d_k, seed=7))
    scene.setup()
    scene.make_walks()
    for room in np.geomspace(scene.first_room(), d_k, 60):
        scene.room.set_value(room)
        for axis, least in (("x", 0.4), ("y", 0.3)):
            marks = [text for text, *mark in scene.marks if mark[0] == axis and scene.put_mark(text, *mark)]
            seen = [text for text in marks if text[0].get_fill_opacity() > 0.05]
            places = sorted(text.get_x() if axis == "x" else text.get_y() for text in seen)
            assert (np.diff(places) > least).all(), (axis, room)
            assert len(places) >= {"x": 1, "y": 3}[axis], (axis, room)


def test_each_slow_step_is_one_product(film):
    case, scene = walks_case(film.parameters), film.scene
    assert scene.first_room() == min(case.d_k, 8)
    scene.room.set_value(scene.first_room())
    for added in range(min(case.d_k, 8) + 1):
        scene.added.set_value(added)
        ends = scene.followed_walk()
        assert len(ends) == added + 1 or added == 0
        rng = np.random.default_rng(film.parameters.seed)
        queries, keys = (rng.standard_normal((60, case.d_k))[case.followed, :added] for _ in range(2))
        np.testing.assert_allclose(ends[-1], scene.field().point(added, queries @ keys), atol=1e-9)


def test_every_other_walk_is_drawn_to_its_end_and_fits(film):
    case, scene = walks_case(film.parameters), film.scene
    scene.room.set_value(case.d_k)
    scene.others.set_value(case.d_k)
    field, walks = scene.field(), scene.other_walks()
    assert len(walks) == len(case.ends) - 1
    ends = np.delete(case.ends, case.followed)
    np.testing.assert_allclose([walk[-1] for walk in walks], [field.point(case.d_k, end) for end in ends])
    assert np.abs(case.walks).max() <= field.y_range[1]
    assert f"{len(case.ends)} scores" in spoken(film)


@pytest.mark.parametrize("share", [0.3, 1])
def test_the_envelope_is_the_root_of_the_products_added(film, share):
    case, scene = walks_case(film.parameters), film.scene
    scene.room.set_value(case.d_k)
    scene.root.set_value(share * case.d_k)
    field = scene.field()
    corners = np.concatenate(scene.envelope_dashes())
    xs = (corners[:, 0] - field.left) / field.width * case.d_k
    ys = (corners[:, 1] - field.y(0)) / (field.height / 2) * field.y_range[1]
    # Between its corners the curve is drawn straight, so it may be a little inside.
    np.testing.assert_allclose(np.abs(ys), np.sqrt(np.maximum(xs, 0)), atol=0.005 * case.spread_at_end)
    assert xs.max() == pytest.approx(share * case.d_k, abs=0.03 * case.d_k)
    assert (ys > 0).any()
    assert (ys < 0).any()


def test_the_root_and_the_straight_line_are_labelled(film):
    case, end = walks_case(film.parameters), film.ends["many scores"]
    assert f"+{root_formula(case.d_k)}" in end.texts
    assert fixed(case.ends[case.followed], film.scene.digits()) in end.texts
    assert f'-sqrt("{whole(case.d_k)}")' in end.texts
    theory = f"Theory says a spread of √{whole(case.d_k)} {root_value(case.d_k)}; these {len(case.ends)} scores have"
    assert f"{theory} {significant(np.std(case.ends), 3)}." in spoken(film)
    assert "variance $1 + 1 + dots.c + 1 = d$, so the spread is $sqrt(d)$" in end.texts
    assert f"{whole(case.d_k)} steps of 1, all one way, would reach {whole(case.d_k)}." in spoken(film)
    field = film.scene.field()
    reached = film.scene.straight_end()
    assert reached == min(case.d_k, field.y_range[1])
    assert points_of(end.lines, field.point(0, 0))


@pytest.mark.parametrize(
    ("end", "order"),
    [
        (7.98, ["-sqrt", "score", "+sqrt"]),
        (8.02, ["-sqrt", "+sqrt", "score"]),
        (-7.98, ["-sqrt", "score", "+sqrt"]),
        (-8.02, ["score", "-sqrt", "+sqrt"]),
    ],
)
def test_labels_at_the_ends_stand_in_the_order_of_their_values(end, order):
    scene = DotProductGrowth(Parameters())
    scene.setup()
    scene.room.set_value(64)
    scene.added.set_value(64)
    scene.make_walks()
    scene.walk = replace(scene.walk, ends=np.full(60, end))
    roots, way, _ = scene.end_labels()
    heights = {text.source[:5]: text.get_y() for text in roots} | {"score": scene.score.get_y() + way[1]}
    assert sorted(heights, key=heights.__getitem__) == order
    assert np.diff(sorted(heights.values())).min() > 0.35
    labels = {text.source[:5]: text for text in roots}
    assert labels["+sqrt"].get_y() == pytest.approx(scene.field().y(8), abs=0.1)  # level with the end of the envelope


def test_the_halo_of_the_followed_walk_leaves_the_envelope_whole_and_the_others_sink(film):
    def paths(moment: Moment) -> None:
        scene: Any = moment.scene
        if moment.held and moment.beat == "many scores" and len(scene.crowd.points):
            drawn = scene.mobjects
            halo, followed = scene.walker[:2]
            assert drawn.index(scene.crowd) < drawn.index(halo) < drawn.index(scene.envelope) < drawn.index(followed)
            widths.append(scene.crowd.get_stroke_width())

    widths: list[float] = []
    rehearse(DotProductGrowth, film.parameters, FilmOptions(quality="l", captions="none"), paths)
    assert widths[-1] < widths[0]


# Every size


def test_each_bracket_is_as_wide_as_the_measured_spread_which_stands_beside_it(film):
    case, end = density_case(film.parameters), film.ends["every size"]
    plane = score_plane(case)
    assert len(film.rows) == len(case.sizes)
    for (left, right), spread, d in zip(film.rows, case.measured_std, case.sizes, strict=True):
        np.testing.assert_allclose([left, right], plane.x([-spread, spread]), atol=1e-6)
        assert fixed(spread, 2) in end.texts
        assert f"$d =$ {whole(d)}" in end.texts
    assert f"With {whole(case.sizes[0])} numbers in a vector" in spoken(film)
    typical = f"{case.measured_std[0]:.1f}".removesuffix(".0")
    assert f"{whole(film.parameters.pairs)} scores, typically about {typical} from 0." in spoken(film)
    for before, after in pairwise(case.sizes):
        step = f"{fold(after / before).capitalize()} as many numbers: {fold(math.sqrt(after / before))} the spread."
        assert step in spoken(film)
    assert whole(case.sizes[-1]) in end.texts
    assert fixed(math.sqrt(case.sizes[-1]), 2) in end.texts


def test_the_last_histogram_is_the_measured_one_beside_the_law(film):
    case, end = density_case(film.parameters), film.ends["every size"]
    plane, d = score_plane(case), case.sizes[-1]
    (bars,) = end.bars
    middles = (case.edges[-1][:-1] + case.edges[-1][1:]) / 2
    drawn = np.abs(middles) < plane.x_range[1] - 0.1 * math.sqrt(d)
    np.testing.assert_allclose(bars.middles(), plane.x(middles[drawn]))
    peak = score_density(0.0, d)
    expected = plane.height * case.heights[-1][drawn] / peak / plane.y_range[1]
    np.testing.assert_allclose(bars.heights, expected, atol=1e-9)


@pytest.mark.parametrize("share", [0, 0.37, 0.8, 1])
def test_between_sizes_the_exact_law_of_that_size_is_drawn(film, share):
    case, scene = density_case(film.parameters), film.scene
    plane = score_plane(case)
    log_d = (1 - share) * math.log(case.sizes[0]) + share * math.log(case.sizes[-1])
    scene.size.set_value(log_d)
    d = math.exp(log_d)
    path = scene.density_curve(scene.d())
    xs = (path[:, 0] - plane.x(0)) / plane.width * np.ptp(plane.x_range)
    shares = (path[:, 1] - plane.bottom) / plane.height * plane.y_range[1]
    np.testing.assert_allclose(shares, score_density(xs, d) / score_density(0.0, d), atol=1e-9)
    assert shares.max() == pytest.approx(1)
    assert path[0, 0] == pytest.approx(plane.left)
    assert path[-1, 0] == pytest.approx(plane.left + plane.width)
    for side, sign in zip(scene.spread_sides(), (-1, 1), strict=True):
        np.testing.assert_allclose(side[:, 0], plane.x(sign * math.sqrt(d)))
    assert len(scene.passed_curves()) == sum(size < d * (1 - 1e-6) for size in case.sizes)


# The root law


def test_spreads_have_an_axis_only_once_every_dot_stands_at_its_own(film):
    heights: list[tuple[bool, bool]] = []

    def look(moment: Moment) -> None:
        scene: Any = moment.scene
        if moment.beat == "the root law":
            dots = [dot.get_center() for dot in parts_of(scene, Dot)]
            there = len(dots) == len(goals) and np.allclose(dots, goals, atol=1e-6)
            heights.append(("spread" in [text.source for text in parts_of(scene, SetText)], there))

    case, plot = spread_case(film.parameters), film.scene.plot
    goals = [plot.point(d, std) for d, std in zip(case.sizes, case.raw_std, strict=True)]
    rehearse(DotProductGrowth, film.parameters, FilmOptions(quality="l", captions="none"), look, (0.3, 0.7))
    assert all(there for axis, there in heights if axis)
    assert sum(not axis for axis, _ in heights) > 10


def test_the_dots_stand_at_the_measured_spreads_on_logarithmic_scales(film):
    case, end, plane = spread_case(film.parameters), film.ends["the root law"], film.scene.plot.plane
    expected = [plane.point(math.log(d), math.log(std)) for d, std in zip(case.sizes, case.raw_std, strict=True)]
    np.testing.assert_allclose(end.dots, expected, atol=1e-6)
    for x, y, _ in end.dots:
        assert plane.left < x < plane.left + plane.width
        assert plane.bottom < y < plane.bottom + plane.height


def test_ten_times_is_as_far_upwards_as_sideways_unless_chance_needs_more_room(film):
    case, plane = spread_case(film.parameters), film.scene.plot.plane
    sideways = plane.width / np.ptp(plane.x_range)
    upwards = plane.height / np.ptp(plane.y_range)
    assert upwards <= sideways * (1 + 1e-9)
    if film.parameters.pairs >= 10_000:
        assert upwards == pytest.approx(sideways, rel=0.02)
    assert plane.x(math.log(4)) - plane.x(0) <= 7.4 * (1 + 1e-9)  # close-by sizes are not blown up
    assert plane.x(math.log(case.sizes[-1])) <= plane.left + plane.width


def test_a_plot_of_spreads_has_room_for_all_that_it_is_given():
    sizes = (4, 16, 64, 256, 1024)
    plot = LogPlot(sizes, [1, 2.1, 40], left=-4, bottom=-2, width=6, height=2)
    left, right, below, above = LogPlot.PADS
    np.testing.assert_allclose(plot.point(4, 1), [-4 + left, -2 + below, 0])
    np.testing.assert_allclose(plot.point(1024, 40), [-4 + left + 6, -2 + below + 2, 0])
    np.testing.assert_allclose([plot.plane.width, plot.plane.height], [left + 6 + right, below + 2 + above])
    corners = np.concatenate(plot.root_line(math.log(64)))
    np.testing.assert_allclose(corners[-1], plot.point(64, 8), atol=0.11)  # or the line ends on a gap
    for axis, marks in ((plot.x_axis(DARK), sizes), (plot.y_axis(DARK, [1, 2, 4]), (1, 2, 4))):
        assert {text.source for text in axis[2:]} == {whole(mark) for mark in marks}
    _, _, *kept = plot.y_axis(DARK, [1, 1.01, 1.02], first=[2])
    assert [text.source for text in kept] == ["1.02"]


def test_the_law_is_a_straight_line_at_half_the_logarithm(film):
    scene, plane = film.scene, film.scene.plot.plane
    scene.line.set_value(plane.x_range[1])
    corners = np.concatenate(scene.root_line())
    xs = plane.x_range[0] + (corners[:, 0] - plane.left) / plane.width * np.ptp(plane.x_range)
    np.testing.assert_allclose(corners[:, 1], plane.y(xs / 2))
    assert plane.bottom <= corners[:, 1].min()
    assert corners[:, 1].max() <= plane.bottom + plane.height


def test_the_step_goes_from_one_dot_round_a_right_angle_to_the_other(film):
    case, end = spread_case(film.parameters), film.ends["the root law"]
    start, stop = (end.dots[case.sizes.index(d)] for d in (case.from_size, case.to_size))
    corner = np.array([stop[0], start[1], 0])
    assert any(all(points_of([line], anchor) for anchor in (start, corner, stop)) for line in end.lines)
    assert f"{times(case.size_ratio)} times the numbers" in end.texts
    assert f"{times(case.spread_ratio)} times the spread" in end.texts
    assert f"measured {fixed(case.measured_ratio, 2)}" in end.texts
    assert fixed(case.raw_std[case.sizes.index(case.to_size)], 2) in end.texts
    told = f"{times(case.size_ratio)} times the numbers, from {whole(case.from_size)} to {whole(case.to_size)}: "
    assert f"{told}only {times(case.spread_ratio)} times the spread." in spoken(film)


def test_the_default_film_says_what_the_lesson_states():
    film = go_through(Parameters())
    assert "16 times the numbers" in film.ends["the root law"].texts
    assert "4 times the spread" in film.ends["the root law"].texts
    assert "Theory says a spread of √64 = 8; these 60 scores have 8.92." in spoken(film)
    assert "35 steps up, 29 down, big and small: most cancel, and it ends at 7.98." in spoken(film)
    assert spoken(film).count("4 times as many numbers: twice the spread. And again. Put") == 1
    assert film.scene.elapsed == pytest.approx(DotProductGrowth.SECONDS, rel=0.1)
