"""The scene Rescaling draws what core computes, and says nothing that some draw would make false."""

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from manim import tempconfig

from core import entropy, softmax
from core.cases import collapse_case, divisors_case, rescaling_case, saturation_case
from core.numerals import fixed, slope_words, whole
from core.parameters import Parameters
from core.theme import DARK
from scenes.base import RIGHT_EDGE
from scenes.parts import Area, Bars, Dots
from scenes.rendering import FilmOptions, Moment, rehearse
from scenes.rescaling import (
    AXIS_LEFT,
    AXIS_WIDTH,
    CURVE,
    GAP,
    THIRD,
    Rescaling,
    SizeAxis,
    growing_title,
    number,
    restored_caption,
    sorting_steps,
    weight_texts,
    without_zeros,
)
from scenes.typesetting import HEADING, LABEL, SMALL, Readout, SetText, maths

GROWING, EXAMPLE, SLOPE, ROOT = "d grows", "an example with numbers", "the slope comes back", "why the root"
TRACKERS = ("grown", "divided", "restored", "exponent", "sorted")
ALL = {
    "defaults": Parameters(),
    "many": Parameters(
        d_k=2, n_keys=16, scores=(10, -10, 9.5, 3, -2.25, 0, 1, 7), seed=3, sizes=(2, 4, 64, 100, 4000, 4096)
    ),
    "few": Parameters(d_k=4096, n_keys=2, scores=(-10, 10), seed=2**32 - 1, sizes=(2, 3)),
    "near ties": Parameters(d_k=63, n_keys=11, scores=(0.1, 0, 0, 0, 0, 0, 0, 0), seed=12),
}
THIRD_COLUMN = RIGHT_EDGE - THIRD  # where it begins
BAR = THIRD / (len(collapse_case().scores) - GAP) * (1 - GAP)  # the width of one in a third
EVERY = pytest.mark.parametrize("parameters", ALL.values(), ids=ALL)


@dataclass(frozen=True)
class Picture:
    """What stands on the scene at one moment."""

    beat: str
    held: bool
    trackers: dict[str, float]
    bars: tuple[tuple[str, np.ndarray, np.ndarray], ...]  # colour, left edges, weights read off their corners
    levels: dict[str, float]  # colour of a gauge, and how full it is
    dots: tuple[np.ndarray, ...]  # their middles
    texts: tuple[tuple[str, float, float], ...]  # what they say, their middle, and their lower edge

    def has(self, *colors: str) -> bool:
        return set(colors) <= {color for color, _, _ in self.bars}

    def weights(self, color: str) -> np.ndarray:
        """The weights that the bars of one colour show, in the order of the keys."""
        ((_, _, weights),) = (bars for bars in self.bars if bars[0] == color)
        return weights

    def says(self, text: str) -> int:
        """How often ``text`` stands on the scene."""
        return sum(text == said for said, _, _ in self.texts)


@dataclass(frozen=True)
class Rehearsal:
    scene: Rescaling
    pictures: tuple[Picture, ...]
    captions: tuple[str, ...]

    def during(self, beat: str, *colors: str) -> list[Picture]:
        """Pictures of a beat that show bars of all ``colors``."""
        return [picture for picture in self.pictures if picture.beat == beat and picture.has(*colors)]

    def end(self, beat: str) -> Picture:
        return [picture for picture in self.during(beat) if picture.held][-1]


def hex_color(shape: Any) -> str:
    return str(shape.get_fill_color().to_hex())


def read_weights(bars: Bars, full_height: float) -> np.ndarray:
    """The weight of each bar, (n,), read off its corners."""
    corners = bars.points.reshape(-1, 16, 3)  # four sides of four points
    shown = bars.heights > 0
    np.testing.assert_allclose(corners[:, :, 0].min(axis=1), bars.lefts[shown], atol=1e-9)
    np.testing.assert_allclose(corners[:, :, 1].min(axis=1), bars.bottom, atol=1e-9)
    weights = np.zeros(len(bars.lefts))
    weights[shown] = (corners[:, :, 1].max(axis=1) - bars.bottom) / full_height
    return weights


def picture(moment: Moment) -> Picture:
    family = {id(part): part for mobject in moment.scene.mobjects for part in mobject.get_family()}.values()
    texts = [part for part in family if isinstance(part, Readout | SetText) and part.family_members_with_points()]
    bars = [part for part in family if type(part) is Bars]
    areas = [part for part in family if type(part) is Area and part.has_points()]
    tracks = [part for part in bars if hex_color(part) == DARK.faint]
    gauges = [part for part in areas if hex_color(part) == DARK.faint]
    levels = {}
    for part in areas:
        if hex_color(part) in (DARK.raw, DARK.scaled, DARK.over_scaled):
            for gauge in gauges:
                if abs(gauge.get_left()[0] - part.get_left()[0]) < 1e-6:
                    levels[hex_color(part)] = part.width / gauge.width
    return Picture(
        beat=moment.beat,
        held=moment.held,
        trackers={name: getattr(moment.scene, name).get_value() for name in TRACKERS},
        bars=tuple(
            (hex_color(part), part.lefts.copy(), read_weights(part, tracks[0].heights[0]))
            for part in bars
            if part not in tracks and abs(part.points[:, 0].min() - part.lefts[part.heights > 0].min()) < 1e-9
        ),
        levels=levels,
        dots=tuple(part.get_center() for part in family if isinstance(part, Dots)),
        texts=tuple(
            (part.text if isinstance(part, Readout) else part.source, part.get_x(), part.get_bottom()[1])
            for part in texts
        ),
    )


@cache
def rehearsal(parameters: Parameters) -> Rehearsal:
    pictures: list[Picture] = []

    def look(moment: Moment) -> None:
        begins = moment.animation == moment.scene.beats[-1].start
        if not begins or moment.beat == GROWING:  # where the beat before goes, its shapes are still there
            pictures.append(picture(moment))

    scene = rehearse(Rescaling, parameters, FilmOptions(), look, points=(0.3, 0.5, 0.7))
    assert isinstance(scene, Rescaling)
    captions = tuple(" ".join(cue.lines).replace("\N{NO-BREAK SPACE}", " ") for cue in scene.cues)
    return Rehearsal(scene, tuple(pictures), captions)


# What is drawn


@EVERY
def test_bars_are_the_weights_at_the_size_shown(parameters: Parameters) -> None:
    case, (first, last) = rescaling_case(parameters), (parameters.sizes[0], parameters.sizes[-1])
    shown_sizes, marked = set(), set()
    for shown in rehearsal(parameters).during(GROWING, DARK.raw, DARK.scaled):
        d = min(first * (last / first) ** shown.trackers["grown"], last)
        np.testing.assert_allclose(shown.weights(DARK.raw), case.raw_weights(d), atol=1e-9)
        np.testing.assert_allclose(shown.weights(DARK.scaled), case.scaled_weights(d), atol=1e-9)
        shown_sizes.add(d)
        assert shown.says(whole(d)) >= 1
        if shown.dots:  # the axis makes room for a legend at the end
            assert shown.dots[0][0] == pytest.approx(AXIS_LEFT + AXIS_WIDTH * shown.trackers["grown"], abs=1e-6)
            marked.add(d)
    assert len(shown_sizes) >= 6
    assert marked == shown_sizes
    assert {first, last} <= shown_sizes


@EVERY
def test_gauges_are_as_full_as_the_weights_are_even(parameters: Parameters) -> None:
    checked = 0
    for shown in rehearsal(parameters).pictures:
        if not shown.held:
            continue
        for color, share in shown.levels.items():
            weights = shown.weights(color)
            assert share == pytest.approx(entropy(weights) / math.log(len(weights)), abs=1e-6)
            assert shown.says(fixed(float(entropy(weights)), 2 if shown.beat == GROWING else 4)) >= 1
            checked += 1
    assert checked >= 15


def test_the_example_is_divided_on_screen() -> None:
    case, divisors = collapse_case(), set()
    for shown in rehearsal(Parameters()).during(EXAMPLE, DARK.raw, DARK.scaled):
        divisor = case.factor ** shown.trackers["divided"]
        divisors.add(divisor)
        np.testing.assert_allclose(shown.weights(DARK.raw), case.raw_weights, atol=1e-9)
        np.testing.assert_allclose(shown.weights(DARK.scaled), softmax(case.scores / divisor), atol=1e-9)
        if divisor > 1:
            assert all(shown.says(fixed(score, 1)) for score in case.scores / divisor)
    assert len(divisors) >= 4
    assert {1, case.factor} <= divisors


@EVERY
def test_saturated_scores_and_their_slope_come_back(parameters: Parameters) -> None:
    case, shares = saturation_case(parameters), set()
    found = [*rehearsal(parameters).during(SLOPE, DARK.raw), *rehearsal(parameters).during(SLOPE, DARK.scaled)]
    for shown in found:
        share = shown.trackers["restored"]
        weights = softmax(case.multiplied / case.factor**share)
        np.testing.assert_allclose(
            shown.weights(DARK.scaled if shown.has(DARK.scaled) else DARK.raw), weights, atol=1e-9
        )
        if shown.dots:
            p = weights[case.top]
            np.testing.assert_allclose(shown.dots[0], CURVE.point(p, p * (1 - p)), atol=1e-6)
            shares.add(share)
    assert len(shares) >= 4
    assert {0, 1} <= shares


def test_the_third_column_goes_from_the_root_to_d() -> None:
    case, exponents, headed = collapse_case(), set(), set()
    for shown in rehearsal(Parameters()).during(ROOT, DARK.raw, DARK.scaled, DARK.over_scaled):
        exponent = shown.trackers["exponent"]
        np.testing.assert_allclose(shown.weights(DARK.raw), case.raw_weights, atol=1e-9)
        np.testing.assert_allclose(shown.weights(DARK.scaled), case.scaled_weights, atol=1e-9)
        np.testing.assert_allclose(shown.weights(DARK.over_scaled), softmax(case.scores / case.d**exponent), atol=1e-9)
        exponents.add(exponent)
        headed |= {exponent for text, x, _ in shown.texts if text == whole(case.d**exponent) and x > THIRD_COLUMN}
    assert len(exponents) >= 4
    assert {0.5, 1} <= exponents
    assert headed == exponents, "the heading says what the scores are divided by"


def test_one_order_sorts_all_three_columns() -> None:
    case, end = collapse_case(), rehearsal(Parameters()).end(ROOT)
    assert [text for _, text in keys_in(end)] == [str(key + 1) for key in case.ranking] * 3
    for color in (DARK.raw, DARK.scaled, DARK.over_scaled):
        ((lefts, weights),) = ((lefts, weights) for name, lefts, weights in end.bars if name == color)
        assert np.argsort(lefts).tolist() == case.ranking.tolist()
        assert np.all(np.diff(weights[np.argsort(lefts)]) <= 0)


def keys_in(shown: Picture) -> list[tuple[float, str]]:
    """Where the numbers of keys stand, from left to right, and what they are."""
    keys = {str(key) for key in range(1, len(collapse_case().scores) + 1)}
    return sorted((x, text) for text, x, _ in shown.texts if text in keys)


def test_every_key_travels_with_its_bar_in_all_three_columns() -> None:
    """And one that goes by others is so far below their row that no other number is in its way."""
    travellers, passing = set(), 0
    for shown in rehearsal(Parameters()).during(ROOT, DARK.raw, DARK.scaled, DARK.over_scaled):
        share = shown.trackers["sorted"]
        if not 0 < share < len(sorting_steps(collapse_case().ranking.tolist())):
            continue
        for _, lefts, _ in shown.bars:
            middles = lefts + BAR / 2
            levels = np.array([level_of(shown, str(key), middle) for key, middle in enumerate(middles, start=1)])
            (traveller,) = np.flatnonzero(levels < levels.max() - 0.01)
            travellers.add(int(traveller))
            if (np.abs(np.delete(middles, traveller) - middles[traveller]) < 0.8 * BAR).any():
                assert levels.max() - levels[traveller] > 0.25
                passing += 1
    assert len(travellers) >= 2
    assert passing >= 3


def level_of(shown: Picture, text: str, middle: float) -> float:
    """The lower edge of the one ``text`` that stands around ``middle``."""
    (level,) = (bottom for said, x, bottom in shown.texts if said == text and abs(x - middle) < 0.03)
    return level


@given(st.permutations(range(7)))
def test_sorting_moves_one_key_after_the_other_and_as_few_as_can_be(ranking: list[int]) -> None:
    order = list(range(len(ranking)))
    steps = sorting_steps(ranking)
    for key, after in steps:
        assert [other for other in after if other != key] == [other for other in order if other != key]
        order = after
    assert order == ranking
    longest = [1] * len(ranking)  # run of increasing keys that ends at each
    for end, key in enumerate(ranking):
        longest[end] += max((longest[i] for i in range(end) if ranking[i] < key), default=0)
    assert len(steps) == len(ranking) - max(longest)


# What is said


def test_every_number_of_the_example_stands_at_its_bar() -> None:
    case, end = collapse_case(), rehearsal(Parameters()).end(EXAMPLE)
    for scores, weights, largest in (
        (case.scores, case.raw_weights, case.raw_max),
        (case.scaled, case.scaled_weights, case.scaled_max),
    ):
        for score, weight in zip(scores, weights, strict=True):
            text = fixed(weight, 2)
            middles = [x for said, x, _ in end.texts if said == fixed(score, 1)]
            beside = any(abs(x - other) < 0.02 for x in middles for said, other, _ in end.texts if said == text)
            assert middles
            assert beside == (text != "0.00"), "a weight that rounds to 0 has no number"
        assert f"{fixed(largest, 4)}" in " ".join(rehearsal(Parameters()).captions)
    for value in (case.raw_entropy, case.scaled_entropy):
        assert end.says(fixed(value, 4)) == 1
    assert end.says(f"of {fixed(case.uniform_entropy, 4)}") == 2
    assert end.says(f"÷ {whole(case.factor)}") == 1
    assert end.says(whole(case.d)) == 1


@EVERY
def test_the_size_and_the_entropies_stand_at_the_end_of_the_sweep(parameters: Parameters) -> None:
    case, last = rescaling_case(parameters), parameters.sizes[-1]
    end = rehearsal(parameters).end(GROWING)
    assert end.says(whole(last)) == 1
    for weights in (case.raw_weights(last), case.scaled_weights(last)):
        assert end.says(fixed(float(entropy(weights)), 2)) >= 1
        assert end.says(fixed(weights.max(), 2)) >= 1
    assert end.says(f"of {fixed(case.uniform_entropy, 2)}") == 2
    assert end.says(f"median of {whole(divisors_case(parameters).draws)} draws") == 1


@EVERY
def test_the_slope_before_and_after_stand_at_the_dot(parameters: Parameters) -> None:
    case, found = saturation_case(parameters), rehearsal(parameters).during(SLOPE)
    for share, slope, scores in ((0, case.multiplied_slope, case.multiplied), (1, case.slope, case.scores)):
        shown = next(shown for shown in found if shown.held and shown.dots and shown.trackers["restored"] == share)
        assert shown.says(slope_words(slope)) >= 1
        for score in scores:
            assert shown.says(number(score)) >= 1


def test_the_spread_of_a_score_stands_under_each_divisor() -> None:
    end = rehearsal(Parameters()).end(ROOT)
    for text in ("√256 = 16", "16 ÷ 16 = 1", "16 ÷ 256 = 0.0625"):
        assert end.says(f"typical spread {text}") == 1
    assert [collapse_case().d, collapse_case().factor, 1 / collapse_case().factor] == [256, 16, 0.0625]


@EVERY
def test_captions_state_the_numbers_of_the_cases(parameters: Parameters) -> None:
    case, many = rescaling_case(parameters), divisors_case(parameters)
    captions = rehearsal(parameters).captions
    most = f"log {parameters.n_keys} = {fixed(case.uniform_entropy, 2)}"
    assert f"Entropy tells how even they are: 0 if one takes all, {most} if all are alike." in captions
    raw, scaled = (fixed(draws.entropy_median[-1], 2) for draws in (many.raw, many.scaled))
    assert f"That is one draw. Over {whole(many.draws)}, the median entropy is {raw} raw, {scaled} divided." in captions
    assert restored_caption(saturation_case(parameters)) in captions


@EVERY
def test_the_last_caption_answers_why(parameters: Parameters) -> None:
    seen = rehearsal(parameters)
    assert seen.captions[-1].startswith("So attention divides by √d:")
    assert seen.end(ROOT).says("So attention divides every score by $sqrt(d)$") == 1


@EVERY
def test_the_film_is_about_as_long_as_it_says(parameters: Parameters) -> None:
    assert rehearsal(parameters).scene.elapsed == pytest.approx(Rescaling.SECONDS, rel=0.1)


def test_what_is_said_of_the_default_scores() -> None:
    caption = restored_caption(saturation_case(Parameters()))
    assert caption == "The largest weight is 0.67 again, its slope 0.22, 664 times steeper."


@pytest.mark.parametrize(
    ("scores", "d_k", "expected"),
    [
        ((10, -10), 64, "The largest weight is 1.0000 all the same: these scores lie far apart by themselves."),
        ((5, 0), 4096, "The largest is 0.99 again, its slope 0.0066, about 10¹³⁷ times steeper."),
        ((0.1, 0, 0, 0, 0, 0, 0, 0), 4, "The largest weight is 0.14 again, its slope 0.12, 1.1 times flatter."),
        ((2, 1, 0), 2, "The largest weight is 0.67 again, its slope 0.22, 1.2 times steeper."),
        ((0.1, 0), 2, "The largest weight is 0.52 again, its slope 0.25, about as steep as before."),
    ],
)
def test_what_is_said_of_other_scores(scores: tuple[float, ...], d_k: int, expected: str) -> None:
    assert restored_caption(saturation_case(Parameters(scores=scores, d_k=d_k))) == expected


@given(st.integers(0, 2**32 - 1), st.integers(2, 16), st.integers(2, 64))
def test_dividing_evens_out_the_weights_of_every_draw(seed: int, n_keys: int, d: int) -> None:
    """And keeps them in the same order: by the root, and more so by d."""
    case = rescaling_case(Parameters(seed=seed, n_keys=n_keys, sizes=(2, 64)))
    weights = [case.raw_weights(d), case.scaled_weights(d), case.over_scaled_weights(d)]
    entropies = [entropy(row) for row in weights]
    assert entropies[0] <= entropies[1] + 1e-12
    assert entropies[1] <= entropies[2] + 1e-12
    order = np.argsort(-case.raw_scores(d), kind="stable")
    assert all(np.all(np.diff(row[order]) <= 0) for row in weights)


@given(st.integers(0, 2**32 - 1), st.integers(2, 16))
def test_weights_that_stay_spread_out_in_the_title_do_so(seed: int, n_keys: int) -> None:
    case = rescaling_case(Parameters(seed=seed, n_keys=n_keys, sizes=(2, 64)))
    least = min(entropy(case.scaled_weights(d)) for d in case.sizes) / math.log(n_keys)
    assert growing_title(case).endswith("stay spread out") == (least > 0.5)


# Numbers that fit


def test_every_weight_has_its_number_where_there_is_room() -> None:
    assert weight_texts(np.array([0.25, 0.75]), 1.0, LABEL) == ["0.25", "0.75"]


def test_a_number_that_is_all_zeros_is_left_out() -> None:
    assert without_zeros(["0.00", "0.01", "1.00", "", "0.0000"]) == ["", "0.01", "1.00", "", ""]


def test_few_numbers_stand_over_narrow_bars_the_largest_first() -> None:
    weights = np.array([0.3, 0.29, 0.02, 0.1, 0.05, 0.05, 0.04, 0.15, 0.0, 0.0])
    texts = weight_texts(weights, 0.37, LABEL)
    assert texts == ["0.30", "", "", "0.10", "", "0.05", "", "0.15", "", ""]


@given(
    st.lists(st.floats(-30, 30), min_size=2, max_size=16),
    st.floats(0.3, 1.5),
    st.sampled_from([SMALL, LABEL, HEADING]),
)
def test_a_number_never_stands_on_another_nor_on_a_higher_bar(scores: list[float], pitch: float, em: float) -> None:
    weights = softmax(scores)
    texts = weight_texts(weights, pitch, em)
    assert texts[int(weights.argmax())] == fixed(weights.max(), 2)
    half = Readout("0.00", em=em, color="#FFFFFF").width / 2
    for index, text in enumerate(texts):
        for other in range(len(texts)):
            if text and texts[other] and other != index:
                assert abs(other - index) * pitch > 2 * half
            if text and other != index and abs(other - index) * pitch - 0.325 * pitch < half:
                assert weights[other] <= weights[index] or pitch > 2 * half


def test_sizes_too_close_on_the_axis_share_no_place() -> None:
    assert [label.text for label in SizeAxis((2, 4000, 4096), DARK).labels] == ["4,096", "2"]
    assert len(SizeAxis(Parameters().sizes, DARK).labels) == len(Parameters().sizes)


def test_a_root_has_the_same_bar_each_time_and_at_each_picture_size(tmp_path: Path) -> None:
    widths = set()
    for pixels in (1920, 854):
        with tempconfig({"pixel_width": pixels, "tex_dir": str(tmp_path)}):
            for _ in range(2):
                root = maths("sqrt(d)", em=HEADING, color=DARK.ink)
                widths.add(max(float(part.get_stroke_width()) for part in root))
    (width,) = widths
    assert width == pytest.approx(100 * 0.04 * HEADING)  # rules of this font are 0.04 em thick
