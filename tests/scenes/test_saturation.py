"""The scene SoftmaxSaturation draws what core computes, and its words hold at every parameter."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manim import ManimColor

from core import softmax
from core.cases import SaturationCase, saturation_case
from core.numerals import ratio_words, slope_words
from core.parameters import Parameters
from core.theme import DARK, THEMES, Theme
from scenes import saturation
from scenes.base import CAPTION_LINES, caption_lines
from scenes.parts import Area, Bars, Dots, Lines, WeightBars, boxes
from scenes.rendering import FilmOptions, Moment, rehearse
from scenes.saturation import (
    ARROW_LENGTH,
    ARROWS_LEFT,
    BASE,
    CURVE,
    FULL,
    ScoreRow,
    ScoreScale,
    SoftmaxSaturation,
    WeightCurve,
)
from scenes.typesetting import Readout, SetText

BECOME, ADD, BIGGER, SLOPE = "scores become weights", "add or multiply", "every score bigger", "the slope"
ALL = {
    "defaults": Parameters(),
    "many": Parameters(d_k=200, scores=(10, -10, 9.5, 3, -2.25, 0, 1, 7)),
    "two far apart": Parameters(d_k=4096, scores=(-10, 10)),
    "near tie": Parameters(d_k=2, scores=(0.1, 0)),
    "top below one half": Parameters(d_k=2, scores=(0, 0, 0, 0, 0, 0, 0, 1)),
    "all low": Parameters(d_k=5, scores=(-10, -9, -8, -7, -6)),
    "all high": Parameters(d_k=4096, scores=(9.5, 10, 9.99, 9.98, 9.97, 9.96, 9.95, 9.94)),
}
SETS = pytest.mark.parametrize("parameters", ALL.values(), ids=ALL)
scores_and_sizes = st.builds(
    Parameters,
    d_k=st.integers(2, 4096),
    scores=st.lists(st.floats(-10, 10), min_size=2, max_size=8)
    .filter(lambda scores: sorted(scores)[-1] > sorted(scores)[-2])
    .map(tuple),
)


@dataclass(frozen=True)
class Picture:
    """What stands on the scene at one moment, read off its shapes."""

    beat: str
    held: bool
    animation: int
    factor: float  # by which the scores are multiplied
    shift: float  # which is added to them
    rise: float  # which is added to the largest alone
    weights: np.ndarray | None  # (n,), as high as the bars are
    weight_texts: tuple[str, ...]
    dots: np.ndarray | None  # (n,) scores, as high as the dots on their scale are
    stems: np.ndarray | None  # (n,) scores, as long as the lines from the dots are
    row: tuple[str, ...]  # scores as numbers
    point: tuple[float, float] | None  # weight and slope, where the dot on the curve is
    arrows: tuple[float, ...]  # lengths of the arrows of the gradients, in gradients at the weight
    hollow_arrows: tuple[float, ...]  # likewise
    curve: np.ndarray | None  # (m, 2) weights and slopes
    readouts: tuple[str, ...]  # what else is said by numbers
    texts: tuple[str, ...]  # all else that is said, as Typst source
    tiles: np.ndarray | None  # (n, 2) bottom and top of the parts of the sum
    extent: tuple[np.ndarray, np.ndarray]  # the left lower and the right upper corner of everything


@dataclass(frozen=True)
class Rehearsal:
    scene: SoftmaxSaturation
    pictures: tuple[Picture, ...]
    captions: tuple[str, ...]

    def during(self, beat: str) -> list[Picture]:
        return [picture for picture in self.pictures if picture.beat == beat]

    def end(self, beat: str) -> Picture:
        return [picture for picture in self.during(beat) if picture.held][-1]


def tops_of(bars: Bars) -> np.ndarray:
    """Where each bar ends, (n,), read off its corners: its foot where there is none."""
    tops = np.full(len(bars.lefts), bars.bottom)
    corners = bars.points.reshape(-1, 16, 3)  # four sides of four points a bar
    for box in corners:
        tops[np.abs(bars.lefts - box[:, 0].min()).argmin()] = box[:, 1].max()
    return tops


def ends_of(lines: Any) -> np.ndarray:
    """(n, 2, 3): where each of the straight lines in one shape begins and ends."""
    return np.asarray(lines.points.reshape(-1, 4, 3)[:, [0, 3]])


def data(plane: Any, points: np.ndarray) -> np.ndarray:
    """(m, 2) data of scene points (m, 3)."""
    xs = plane.x_range[0] + (points[:, 0] - plane.left) / plane.width * np.ptp(plane.x_range)
    ys = plane.y_range[0] + (points[:, 1] - plane.bottom) / plane.height * np.ptp(plane.y_range)
    return np.stack([xs, ys], axis=-1)


def picture(moment: Moment) -> Picture:
    scene: Any = moment.scene
    family = [part for mobject in scene.mobjects for part in mobject.get_family()]

    def shown(kind: type) -> list[Any]:
        return [part for part in family if type(part) is kind]

    bars, scale, row = (next(iter(shown(kind)), None) for kind in (WeightBars, ScoreScale, ScoreRow))
    dots = stems = point = curve = None
    if scale:
        dots = data(scale.plane, scale.dots.points.reshape(scene.n, -1, 3).mean(axis=1))[:, 1]
        per_unit = scale.plane.height / np.ptp(scale.plane.y_range)
        stems = np.ptp(ends_of(scale.stems)[..., 1], axis=1) / per_unit
    for part in shown(Dots):
        if part.get_fill_opacity() == 1 and part.has_points() and not (scale and part is scale.dots):
            x, y = data(CURVE, part.get_center()[None])[0]
            point = (float(x), float(y))
    for part in shown(Lines):
        if len(part.points) == 4 * 200:
            curve = data(CURVE, np.concatenate([ends_of(part)[:, 0], ends_of(part)[-1:, 1]]))
    solid = [part for part in shown(Area) if part.get_fill_opacity() == 1]
    arrows, hollow = (
        [part for part in parts if abs(part.get_left()[0] - ARROWS_LEFT) < 1e-3]
        for parts in (solid, [part for part in shown(Area) if part.get_fill_opacity() == 0])
    )
    tiles = [part.points.reshape(-1, 16, 3)[..., 1] for part in solid if len(part.points) == 16 * scene.n]
    of_bars = list(bars.readouts) if bars else []
    ours = {id(readout) for part in shown(ScoreRow) for readout in part.readouts} | {id(part) for part in of_bars}
    others = [part for part in shown(Readout) if id(part) not in ours]
    inked = np.concatenate([part.points for part in family if part.has_points()])
    return Picture(
        beat=moment.beat,
        held=moment.held,
        animation=moment.animation,
        factor=scene.case.factor ** scene.growth.get_value() * scene.stretch.get_value(),
        shift=scene.shift.get_value(),
        rise=scene.rise.get_value(),
        weights=(tops_of(bars.bars) - BASE) / FULL if bars else None,
        weight_texts=tuple(readout.text for readout in of_bars),
        dots=dots,
        stems=stems,
        row=tuple(readout.text for readout in row.readouts) if row else (),
        point=point,
        arrows=tuple(part.width / ARROW_LENGTH for part in arrows),
        hollow_arrows=tuple(part.width / ARROW_LENGTH for part in hollow),
        curve=curve,
        readouts=tuple(part.text for part in others),
        texts=tuple(part.source for part in shown(SetText)),
        tiles=np.stack([tiles[0].min(axis=1), tiles[0].max(axis=1)], axis=-1) if tiles else None,
        extent=(inked.min(axis=0), inked.max(axis=0)),
    )


@cache
def rehearsal(parameters: Parameters) -> Rehearsal:
    pictures: list[Picture] = []
    scene = rehearse(
        SoftmaxSaturation,
        parameters,
        FilmOptions(captions="none"),
        lambda moment: pictures.append(picture(moment)),
        points=(0.3, 0.7),
    )
    assert isinstance(scene, SoftmaxSaturation)
    return Rehearsal(scene, tuple(pictures), tuple(" ".join(cue.lines) for cue in scene.cues))


def plain_softmax(scores: Any) -> list[float]:
    powers = [math.exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]


def scores_at(now: Picture, parameters: Parameters) -> list[float]:
    largest = max(parameters.scores)
    return [score * now.factor + now.shift + now.rise * (score == largest) for score in parameters.scores]


def rounded(value: float) -> str:
    """A number as it should stand when nothing moves, by other means than the scene's."""
    text = f"{value:,.2f}" if abs(value) < 10 else f"{value:,.1f}" if abs(value) < 100 else f"{value:,.0f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text == "-0" else text.replace("-", "\N{MINUS SIGN}")


# What is drawn is what core says


@SETS
def test_bars_are_the_weights_of_the_scores_at_every_moment(parameters: Parameters) -> None:
    seen = 0
    for now in rehearsal(parameters).pictures:
        if now.weights is not None:
            expected = plain_softmax(scores_at(now, parameters))
            np.testing.assert_allclose(now.weights, expected, atol=1e-6)
            digits = 4 if max(expected) >= 0.995 else 2
            texts = [f"{weight:.{digits}f}" for weight in expected]
            if len(expected) >= 5:
                largest, top = max(expected), texts[np.argmax(expected)]
                texts = [top if weight == largest else f"{weight:.2f}" for weight in expected]
                texts = ["" if text == "0.00" else text for text in texts]
            assert now.weight_texts == tuple(texts)
            seen += 1
    assert seen > 50


@SETS
def test_dots_are_the_scores_standing_on_0_and_later_hung_from_the_largest(parameters: Parameters) -> None:
    seen = set()
    for now in rehearsal(parameters).pictures:
        if now.dots is not None:
            scores = np.array(scores_at(now, parameters))
            size = max(abs(scores).max(), 1)
            np.testing.assert_allclose(now.dots, scores, atol=1e-5 * size)
            lengths = abs(scores) if now.beat == BECOME else scores.max() - scores
            np.testing.assert_allclose(now.stems, lengths, atol=1e-5 * size)
            seen.add((now.beat, round(now.factor, 6), round(now.shift, 6)))
    assert len(seen) > 10


@SETS
def test_scores_stand_in_their_row_whenever_nothing_moves(parameters: Parameters) -> None:
    held = [now for now in rehearsal(parameters).pictures if now.held]
    assert len(held) > 12
    for now in held:
        assert now.row == tuple(map(rounded, scores_at(now, parameters)))


@SETS
def test_the_point_and_the_arrow_follow_the_largest_weight(parameters: Parameters) -> None:
    both = [now for now in rehearsal(parameters).during(SLOPE) if len(now.arrows) == 2]
    moving = [now for now in both if now.held or now.factor > 1]  # not while the second arrow comes out of the first
    assert len({now.factor for now in moving}) >= 4
    for now in moving:
        p = max(plain_softmax([score * now.factor for score in parameters.scores]))
        assert now.point == pytest.approx((p, p * (1 - p)), abs=1e-6)
        assert now.arrows == pytest.approx((1, max(p * (1 - p), saturation.SHORTEST / ARROW_LENGTH)), abs=1e-6)


def test_the_curve_is_the_slope_of_every_weight() -> None:
    curve = rehearsal(Parameters()).end(SLOPE).curve
    assert curve is not None
    np.testing.assert_allclose(curve[:, 0], np.linspace(0, 1, 201), atol=1e-6)
    np.testing.assert_allclose(curve[:, 1], curve[:, 0] * (1 - curve[:, 0]), atol=1e-6)


@SETS
def test_the_largest_weight_is_drawn_against_its_own_score_with_its_slope_as_a_tangent(parameters: Parameters) -> None:
    """The weights of the bars, the dot's height and the tangent's direction agree while that one score rises."""
    scores, top = np.array(parameters.scores), int(np.argmax(parameters.scores))
    seen = []

    def look(moment: Moment) -> None:
        scene: Any = moment.scene
        family = [part for mobject in scene.mobjects for part in mobject.get_family()]
        tangents = [part for part in family if type(part) is Lines and part.get_stroke_width() == 5]
        if moment.beat != SLOPE or not tangents or tangents[0].get_stroke_opacity() < 1:
            return
        rise = scene.rise.get_value()
        p = plain_softmax(scores + rise * (np.arange(len(scores)) == top))[top]
        (dot,) = (part for part in family if type(part) is Dots)
        x, y, _ = dot.get_center()
        assert (y - CURVE.bottom) / CURVE.height == pytest.approx(p, abs=1e-6)
        (start, end) = ends_of(tangents[0])[0]
        np.testing.assert_allclose((start + end) / 2, dot.get_center(), atol=1e-6)
        per_score = CURVE.width / np.ptp(WeightCurve(scene.case, scene.theme).plane.x_range)
        found = (end[1] - start[1]) / (end[0] - start[0]) * per_score / CURVE.height
        assert found == pytest.approx(p * (1 - p), abs=1e-6)
        seen.append((round(rise, 3), x))

    rehearse(SoftmaxSaturation, parameters, FilmOptions(captions="none"), look, (0.3, 0.7))
    rises, places = np.array(sorted(set(seen))).T
    assert len(rises) >= 4
    assert rises.min() == 0
    assert (np.diff(places) > 0).all()


@SETS
def test_the_curve_of_the_largest_weight_passes_one_half_where_its_score_equals_all_others(
    parameters: Parameters,
) -> None:
    case = saturation_case(parameters)
    curve = WeightCurve(case, DARK)
    assert curve.weight(0) == pytest.approx(0.5)
    assert curve.weight(curve.lead) == pytest.approx(case.weights[case.top])
    low, high = curve.plane.x_range
    assert low < curve.lead < curve.lead + curve.room < high
    assert curve.weight(low) < 0.01
    assert curve.weight(high) > 0.99


def test_the_lesson_ends_on_the_slope() -> None:
    lesson = rehearsal(Parameters())
    assert [beat.name for beat in lesson.scene.beats] == [BECOME, ADD, BIGGER, SLOPE]
    assert lesson.captions[-1].startswith("Next:")


@SETS
def test_a_stack_of_all_exponentials_is_as_high_as_a_weight_of_1(parameters: Parameters) -> None:
    """The tiles keep their heights on the way from exponentials to shares of the sum, but for seams in the stack."""
    pictures = [now for now in rehearsal(parameters).during(BECOME) if now.tiles is not None]
    stack, landed = next(now.tiles for now in pictures if now.held), pictures[-1].tiles
    weights = np.array(plain_softmax(parameters.scores))
    assert stack is not None
    assert landed is not None
    assert stack[:, 0].min() == pytest.approx(BASE, abs=1e-5)
    np.testing.assert_allclose(stack[:, 1], BASE + FULL * np.cumsum(weights[::-1])[::-1], atol=1e-5)
    np.testing.assert_allclose(landed[:, 0], BASE, atol=1e-5)
    np.testing.assert_allclose(landed[:, 1] - BASE, FULL * weights, atol=1e-5)


@SETS
def test_bars_meet_no_other_bar_and_no_bar_left_behind_on_their_way_to_the_stack(parameters: Parameters) -> None:
    case = saturation_case(parameters)
    n, heights = len(case.scores), FULL * case.weights
    lefts, bar = saturation.columns(n, saturation.LEFT_MIDDLE)
    below = np.append(np.cumsum(heights[:0:-1])[::-1], 0)
    apart = boxes(lefts, BASE, bar, heights)
    stacked = boxes(saturation.STACK_MIDDLE - bar / 2, BASE + below, bar, heights)
    for progress in np.linspace(0, 1, 101):
        now = saturation.onto_the_stack(apart, stacked, progress)
        for upper in range(n):
            for lower in range(upper + 1, n):
                clear = 1e-9 + now[upper][:, 0].max() < now[lower][:, 0].min()
                assert clear or now[upper][:, 1].min() > now[lower][:, 1].max() - 1e-9
                assert now[upper][:, 0].max() < lefts[lower] or now[upper][:, 1].min() >= BASE + heights[lower] - 1e-9
    np.testing.assert_allclose(now, stacked, atol=1e-12)


@SETS
def test_exponentials_grow_from_1_by_the_score(parameters: Parameters) -> None:
    scene = rehearsal(parameters).scene
    for raised in (0, 0.25, 0.5, 1):
        powers = [math.exp(raised * score) for score in parameters.scores]
        heights = scene.exponential_heights(raised)
        np.testing.assert_allclose(heights / heights[0], np.array(powers) / powers[0], rtol=1e-9)
        assert 0 < sum(heights) <= FULL * (1 + 1e-9)
    np.testing.assert_allclose(heights, FULL * np.array(plain_softmax(parameters.scores)), rtol=1e-9)


@SETS
def test_exponentials_and_their_sum_are_printed(parameters: Parameters) -> None:
    readouts = rehearsal(parameters).end(BECOME).readouts
    texts = " ".join(rehearsal(parameters).end(BECOME).texts)
    unit = 1e-3 if "thousandths" in texts else 1e3 if "thousands" in texts else 1
    total, *printed = readouts
    digits = len(total.partition(".")[2])
    for text, score in zip(printed, parameters.scores, strict=True):
        expected = f"{math.exp(score) / unit:,.{digits}f}"
        assert text == (expected if float(expected.replace(",", "")) else "")
    assert total == f"{sum(map(math.exp, parameters.scores)) / unit:,.{digits}f}"
    assert all(len(text) <= 7 for text in readouts)


def test_exponentials_are_seen_as_numbers_only_when_they_are_true() -> None:
    pictures = rehearsal(Parameters()).during(BECOME)
    first = next(now for now in pictures if "7.389" in now.readouts)
    assert all("." not in text for now in pictures if now.animation < first.animation for text in now.readouts)


@SETS
def test_the_name_of_the_scores_does_not_stand_under_their_sum(parameters: Parameters) -> None:
    sums = [now for now in rehearsal(parameters).during(BECOME) if "sum" in now.texts]
    assert sums
    assert not any("score" in now.texts for now in sums)
    for beat in (ADD, BIGGER, SLOPE):
        assert "score" in rehearsal(parameters).end(beat).texts


def test_the_default_lesson_states_the_numbers_it_is_known_for() -> None:
    lesson = rehearsal(Parameters())
    start, added, bigger, slope = (lesson.end(beat) for beat in (BECOME, ADD, BIGGER, SLOPE))
    assert start.row == ("2", "1", "0")
    assert start.readouts == ("11.107", "7.389", "2.718", "1.000")
    assert start.weight_texts == ("0.67", "0.24", "0.09")
    assert bigger.row == ("16", "8", "0")
    assert set(bigger.readouts) == {"0", "every score × 8"}
    assert bigger.weight_texts == ("0.9997", "0.0003", "0.0000")
    assert {"0.22", "0.0003"} <= set(slope.readouts)
    assert {"664 times less", "before", "A slope near 0 stalls learning"} <= set(slope.texts)
    assert "664 times smaller: the same mistake moves the score that much less." in lesson.captions
    assert "Softmax gives nearly all to one key: the others are hardly heard." in lesson.captions
    assert "These scores have a spread near 1. Scores of 64 products have √64 = 8." in lesson.captions
    assert added.row == ("6", "3", "0")


@SETS
def test_adding_slides_every_score_and_moves_no_weight(parameters: Parameters) -> None:
    pictures = [now for now in rehearsal(parameters).during(ADD) if now.dots is not None and now.factor == 1]
    assert max(now.shift for now in pictures) == pytest.approx(3)
    still = pictures[0]
    assert still.dots is not None
    for now in pictures:
        assert now.dots is not None
        np.testing.assert_allclose(now.dots - still.dots, now.shift, atol=1e-4)
        np.testing.assert_allclose(now.weights, still.weights, atol=1e-6)
        assert now.weight_texts == still.weight_texts


@SETS
def test_titles_and_verdict_fit_the_parameters(parameters: Parameters) -> None:
    lesson, case = rehearsal(parameters), saturation_case(parameters)
    times = rounded(case.factor)
    assert saturation.growth_title(case) in lesson.end(BIGGER).texts
    assert f"every score × {times}" in lesson.end(BIGGER).readouts
    assert f"every score × {times}" in lesson.end(SLOPE).readouts
    assert saturation.slope_verdict(case) in lesson.end(SLOPE).texts
    assert slope_words(case.multiplied_slope) in lesson.end(SLOPE).readouts
    assert abs(lesson.scene.elapsed - SoftmaxSaturation.SECONDS) < 0.1 * SoftmaxSaturation.SECONDS


@SETS
@pytest.mark.parametrize("theme", THEMES.values(), ids=THEMES)
def test_scores_as_they_are_have_one_colour_and_multiplied_ones_another(parameters: Parameters, theme: Theme) -> None:
    """At every hold: bars, dots and the point on the curve; what was there before keeps its colour."""
    seen = set()

    def look(moment: Moment) -> None:
        scene: Any = moment.scene
        if not moment.held:
            return
        color = theme.raw if scene.factor() > 1 else theme.scaled
        family = [part for mobject in scene.mobjects for part in mobject.get_family()]
        marks = [part.bars for part in family if type(part) is WeightBars]
        marks += [part.dots for part in family if type(part) is ScoreScale]
        marks += [part for part in family if type(part) is Dots and part.get_fill_opacity() == 1]
        for mark in marks:
            if mark.get_fill_opacity() == 1:
                assert mark.get_fill_color().to_hex() == color
                seen.add(color)

    rehearse(SoftmaxSaturation, parameters, FilmOptions(captions="none", theme=theme), look, ())
    assert seen == {theme.raw, theme.scaled}


def test_what_takes_another_colour_is_never_of_a_third() -> None:
    """Between blue and orange lies a dusty pink, which stands for scores divided by d."""
    roles = {color: ManimColor(color).to_rgb() for color in (DARK.raw, DARK.scaled)}
    seen = set()

    def look(moment: Moment) -> None:
        family = [part for mobject in moment.scene.mobjects for part in mobject.get_family()]
        marks = [part.bars for part in family if type(part) is WeightBars]
        marks += [part for part in family if type(part) is Dots]
        for mark in marks:
            (color,) = (name for name, rgb in roles.items() if abs(rgb - mark.get_fill_color().to_rgb()).max() < 0.01)
            seen.add((color, moment.progress))

    rehearse(SoftmaxSaturation, Parameters(), FilmOptions(captions="none"), look, (0.3, 0.6))
    assert seen >= {(color, progress) for color in roles for progress in (0.3, 0.6)}


@SETS
def test_nothing_comes_near_the_captions_or_the_edge_of_the_frame(parameters: Parameters) -> None:
    for now in rehearsal(parameters).pictures:
        (left, bottom, _), (right, top, _) = now.extent
        assert max(-left, right) < 64 / 9 - 0.3
        assert bottom > -3
        assert top < 4 - 0.3


# What is said is true


@given(scores_and_sizes)
def test_what_is_said_of_the_slope_is_true_and_short_enough(parameters: Parameters) -> None:
    case = saturation_case(parameters)
    said = saturation.slope_caption(case)
    assert len(caption_lines(said)) <= CAPTION_LINES
    before, after = (max(weights) * (1 - max(weights)) for weights in (case.weights, case.multiplied_weights))
    if "larger" in said:
        assert after > before
        assert abs(max(case.multiplied_weights) - 0.5) < abs(max(case.weights) - 0.5)
    elif "about what it was" in said:
        assert after == pytest.approx(before, rel=0.06)
        assert after > 0.05  # so not saturated
    else:
        assert case.times_smaller > 1
        assert said.endswith("smaller: the same mistake moves the score that much less.")
        assert said.lower().startswith(ratio_words(case.times_smaller, "smaller"))


@given(scores_and_sizes)
def test_what_is_said_of_the_weights_is_true_and_short_enough(parameters: Parameters) -> None:
    case = saturation_case(parameters)
    said = saturation.weight_caption(case)
    before, after = max(case.weights), max(case.multiplied_weights)
    assert len(caption_lines(said)) <= CAPTION_LINES
    assert ("nearly all" in said.lower()) == ("nearly all" in saturation.growth_title(case)) == (after >= 0.9)
    if "hardly move" in said or "already" in said:
        assert after == pytest.approx(before, abs=0.01)
    elif "grows" in said:
        assert before < after < 0.9


@given(scores_and_sizes)
def test_a_title_says_that_a_slope_is_near_0_only_if_it_is(parameters: Parameters) -> None:
    case = saturation_case(parameters)
    p = max(case.multiplied_weights)
    assert ("near 0" in saturation.slope_title(case)) == (p * (1 - p) < 0.01)


@SETS
def test_what_came_through_before_is_set_aside_hollow_and_named(parameters: Parameters) -> None:
    """And what comes through now is the only full arrow at the score, however little it is."""
    now = rehearsal(parameters).end(SLOPE)
    p = max(plain_softmax(parameters.scores))
    assert now.hollow_arrows == pytest.approx((max(p * (1 - p), saturation.SHORTEST / ARROW_LENGTH),), abs=1e-6)
    assert len(now.arrows) == 2
    assert min(now.arrows) * ARROW_LENGTH > 0.05
    assert "before" in now.texts
    first = [other for other in rehearsal(parameters).during(SLOPE) if other.held and other.factor == 1]
    assert first
    assert not any("before" in other.texts or other.hollow_arrows for other in first)


@pytest.mark.parametrize(
    ("scores", "d_k", "said"),
    [
        ((2, 1, 0), 64, "These scores have a spread near 1. Scores of 64 products have √64 = 8."),
        ((2, 1, 0), 3999, "These scores have a spread near 1. Scores of 3,999 products have √3,999 ≈ 63.2."),
        ((10, -10), 16, "A score of 16 products spreads √16 = 4 times as far as one product."),
        ((0.1, 0), 2, "A score of 2 products spreads √2 ≈ 1.41 times as far as one product."),
    ],
)
def test_scores_are_said_to_have_a_spread_near_1_only_if_they_have(
    scores: tuple[float, ...], d_k: int, said: str
) -> None:
    assert saturation.spread_caption(saturation_case(Parameters(d_k=d_k, scores=scores)), d_k) == said
    assert len(caption_lines(said)) <= CAPTION_LINES


def flattened(ratio: float) -> SaturationCase:
    case = saturation_case(Parameters())
    return type(case)(**{**case.__dict__, "times_smaller": ratio})


@pytest.mark.parametrize(
    ("ratio", "verdict", "caption"),
    [
        (663.6, "664 times less", "664 times smaller: the same mistake moves the score that much less."),
        (2.04, "2 times less", "2 times smaller: the same mistake moves the score that much less."),
        (1.04, "about as much", "The slope is about what it was: softmax is not saturated yet."),
        (0.97, "about as much", "The slope is about what it was: softmax is not saturated yet."),
        (0.5, "2 times more", "2 times larger: the largest weight has come nearer to one half."),
        (3e27, "10²⁷ times less", "About 10²⁷ times smaller: the same mistake moves the score that much less."),
        (
            math.inf,
            "more than 10³⁰⁰ times less",
            "More than 10³⁰⁰ times smaller: the same mistake moves the score that much less.",
        ),
    ],
)
def test_ratios_are_said_sensibly_however_large(ratio: float, verdict: str, caption: str) -> None:
    assert saturation.slope_verdict(flattened(ratio)) == verdict
    assert saturation.slope_caption(flattened(ratio)) == caption


@pytest.mark.parametrize(
    ("value", "moving", "text"),
    [
        (16, False, "16"),
        (16, True, "16.0"),
        (-2.25, False, "−2.25"),
        (2 * 2**0.5, False, "2.83"),
        (-14.142, False, "−14.1"),
        (141.42, False, "141"),
        (-640.0, True, "−640"),
        (-0.001, False, "0"),
        (-0.001, True, "0.0"),
    ],
)
def test_scores_keep_their_decimals_while_they_move(value: float, moving: bool, text: str) -> None:
    assert saturation.number_text(value, moving) == text


def test_softmax_of_the_scene_is_that_of_core() -> None:
    """The oracle of these tests, plain Python, and core agree."""
    np.testing.assert_allclose(plain_softmax([2, 1, 0]), softmax([2, 1, 0]), atol=1e-15)
