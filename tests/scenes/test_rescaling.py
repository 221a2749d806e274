"""The scene Rescaling draws what core computes, and says nothing that some draw would make false."""

import math
import re
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
from core.cases import collapse_case, divisors_case, rescaling_case, saturation_case, spread_case
from core.numerals import fixed, slope_words, whole
from core.parameters import Parameters
from core.theme import DARK
from scenes.base import RIGHT_EDGE
from scenes.parts import Area, Bars, Dots, LogPlot, times
from scenes.rendering import FilmOptions, Moment, rehearse
from scenes.rescaling import (
    AXIS_LEFT,
    AXIS_WIDTH,
    COUNTS,
    CURVE,
    GAP,
    HALF,
    KEY_CLEARANCE,
    THIRD,
    Rescaling,
    SizeAxis,
    entropy_text,
    growing_title,
    key_texts,
    moving_number,
    number,
    raw_caption,
    restored_caption,
    saturated_caption,
    scaled_caption,
    share_words,
    weight_texts,
    without_zeros,
)
from scenes.typesetting import HEADING, LABEL, SMALL, Readout, SetText, maths

SPREADS, SLOPE, GROWING = "every spread divided", "the slope comes back", "d grows"
EXAMPLE, ROOT, ANSWER = "an example with numbers", "why the root", "the answer"
TRACKERS = ("fallen", "restored", "grown", "divided", "exponent")
ALL = {
    "defaults": Parameters(),
    "many": Parameters(
        d_k=2, n_keys=16, scores=(10, -10, 9.5, 3, -2.25, 0, 1, 7), seed=3, sizes=(2, 4, 64, 100, 4000, 4096)
    ),
    "few": Parameters(d_k=4096, n_keys=2, scores=(-10, 10), seed=2**32 - 1, pairs=100, sizes=(2, 3)),
    "near ties": Parameters(d_k=63, n_keys=11, scores=(0.1, 0, 0, 0, 0, 0, 0, 0), seed=12),
}
THIRD_COLUMN = RIGHT_EDGE - THIRD  # where it begins
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
    spots: tuple[tuple[str, bool, np.ndarray], ...]  # of many in one shape: colour, whether they are full, middles
    halos: int  # how many bars keep others off
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
        spots=tuple(
            (
                str((part.get_stroke_color() if part.get_stroke_width() > 0 else part.get_fill_color()).to_hex()),
                hex_color(part) != DARK.ground,
                part.points.reshape(-1, 32, 3).mean(axis=1),
            )
            for part in family
            if isinstance(part, Dots)
        ),
        halos=sum(part.get_stroke_width(background=True) > 0 for part in bars),
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
        if not begins or moment.beat == SPREADS:  # where the beat before goes, its shapes are still there
            pictures.append(picture(moment))

    scene = rehearse(Rescaling, parameters, FilmOptions(), look, points=(0.3, 0.5, 0.7))
    assert isinstance(scene, Rescaling)
    captions = tuple(" ".join(cue.lines).replace("\N{NO-BREAK SPACE}", " ") for cue in scene.cues)
    return Rehearsal(scene, tuple(pictures), captions)


# What is drawn


@EVERY
def test_every_spread_falls_from_the_root_to_one(parameters: Parameters) -> None:
    case, falls = spread_case(parameters), set()
    plot = LogPlot(case.sizes, [*case.raw_std, *case.scaled_std, 1])
    raw, scaled = (
        np.array([plot.point(d, std) for d, std in zip(case.sizes, stds, strict=True)])
        for stds in (case.raw_std, case.scaled_std)
    )
    for shown in rehearsal(parameters).during(SPREADS):
        spots = {(color, full): middles for color, full, middles in shown.spots}
        falling, fallen = spots[DARK.raw, True], spots.get((DARK.scaled, True), np.zeros((0, 3)))
        assert len(falling) + len(fallen) == len(case.sizes)
        np.testing.assert_allclose(fallen, scaled[: len(fallen)], atol=1e-6)  # those of small sizes first
        np.testing.assert_allclose(falling[:, 0], raw[len(fallen) :, 0], atol=1e-6)
        low, high = scaled[len(fallen) :, 1], raw[len(fallen) :, 1]
        assert np.all((falling[:, 1] >= low - 1e-6) & (falling[:, 1] <= high + 1e-6))
        hollow = spots.get((DARK.raw, False), np.zeros((0, 3)))
        np.testing.assert_allclose(hollow, raw[: len(hollow)], atol=1e-6)
        falls.add(len(fallen))
    assert {0, len(case.sizes)} <= falls
    assert len(falls) >= 3
    end = rehearsal(parameters).end(SPREADS)
    assert end.says("raw scores") == end.says("divided by $sqrt(d)$") == 1
    if parameters.sizes == Parameters().sizes:
        assert all(end.says(f"÷ {times(root)}") == 1 for root in case.law)


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
            assert shown.says(entropy_text(float(entropy(weights)))) >= 1
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


def test_a_copy_keeps_off_the_bars_it_passes_and_no_others() -> None:
    """And only while it travels: the arrow and the numbers of the example come when it is there."""
    pictures = rehearsal(Parameters()).pictures
    assert {shown.beat for shown in pictures if shown.halos} == {EXAMPLE, ROOT}
    assert all(shown.halos <= 1 for shown in pictures)
    assert not any(shown.halos for shown in pictures if shown.held)
    travels = [shown for shown in pictures if shown.beat == EXAMPLE and len(shown.bars) < 2 and shown.halos]
    assert travels
    assert all(shown.says(f"÷ {whole(collapse_case().factor)}") == 0 for shown in travels)


# What is said


def test_every_number_of_the_example_stands_at_its_bar() -> None:
    case, end = collapse_case(), rehearsal(Parameters()).end(EXAMPLE)
    for scores, weights in ((case.scores, case.raw_weights), (case.scaled, case.scaled_weights)):
        for score, weight in zip(scores, weights, strict=True):
            text = fixed(weight, 2)
            middles = [x for said, x, _ in end.texts if said == fixed(score, 1)]
            beside = any(abs(x - other) < 0.02 for x in middles for said, other, _ in end.texts if said == text)
            assert middles
            assert beside == (text != "0.00"), "a weight that rounds to 0 has no number"
    assert [end.says(text) for text in ("0.0003", "1.79", "of 2.08")] == [1, 1, 2]
    assert [entropy_text(value) for value in (case.raw_entropy, case.scaled_entropy)] == ["0.0003", "1.79"]
    assert end.says(f"÷ {whole(case.factor)}") == 1
    assert end.says(whole(case.d)) == 1


@EVERY
def test_the_size_and_the_entropies_stand_at_the_end_of_the_sweep(parameters: Parameters) -> None:
    case, last = rescaling_case(parameters), parameters.sizes[-1]
    end = rehearsal(parameters).end(GROWING)
    assert end.says(whole(last)) == 1
    for weights in (case.raw_weights(last), case.scaled_weights(last)):
        assert end.says(entropy_text(float(entropy(weights)))) >= 1
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
        assert end.says(f"score spread {text}") == 1
    assert [collapse_case().d, collapse_case().factor, 1 / collapse_case().factor] == [256, 16, 0.0625]


@EVERY
def test_captions_are_true_of_the_cases_and_read_no_number_aloud(parameters: Parameters) -> None:
    """But for one that stands nowhere else: how many times the slope has changed."""
    captions = rehearsal(parameters).captions
    saturated, example = saturation_case(parameters), collapse_case()
    said = {saturated_caption(saturated), restored_caption(saturated), raw_caption(example), scaled_caption(example)}
    assert said <= set(captions)
    others = " ".join(caption for caption in captions if caption != restored_caption(saturated))
    assert not re.search(r"\d\.\d", others)
    assert not re.search(r"steep|flat", " ".join(captions)), "where a slope is large its curve is flat"


@EVERY
def test_spread_is_a_word_for_scores_alone(parameters: Parameters) -> None:
    seen = rehearsal(parameters)
    said = [*seen.captions, growing_title(rescaling_case(parameters)), Rescaling.TITLE]
    assert any("spread" in text for text in said)
    assert not any("spread" in text and "weight" in text for text in said)


@EVERY
def test_the_film_ends_on_the_answer(parameters: Parameters) -> None:
    seen = rehearsal(parameters)
    end = seen.end(ANSWER)
    assert seen.pictures[-1].beat == ANSWER
    assert not end.bars
    assert end.says("Why attention divides by $sqrt(d)$") == 1
    assert any("softmax" in text and DARK.scaled in text for text, _, _ in end.texts)
    for text in ("a spread of $sqrt(d)$", "one key takes all, its slope is near 0", "a spread of 1 at every $d$"):
        assert end.says(text) == 1
    assert "on purpose" in seen.captions[-1], "it holds for random entries, and training may leave them"


@EVERY
def test_the_film_is_about_as_long_as_it_says(parameters: Parameters) -> None:
    assert rehearsal(parameters).scene.elapsed == pytest.approx(Rescaling.SECONDS, rel=0.1)


@pytest.mark.parametrize(
    ("scores", "d_k", "expected"),
    [
        ((2, 1, 0), 64, "The weights are what they were, and the slope is 664 times larger."),
        ((10, -10), 64, "One key takes nearly all the same: these scores lie far apart by themselves."),
        ((5, 0), 4096, "The weights are what they were, and the slope is about 10¹³⁷ times larger."),
        ((0.1, 0, 0, 0, 0, 0, 0, 0), 4, "The weights are what they were, and the slope is 1.1 times smaller."),
        ((2, 1, 0), 2, "The weights are what they were, and the slope is 1.2 times larger."),
        ((0.1, 0), 2, "The weights are what they were, and the slope is about as large as before."),
    ],
)
def test_what_is_said_of_scores_that_are_back(scores: tuple[float, ...], d_k: int, expected: str) -> None:
    assert restored_caption(saturation_case(Parameters(scores=scores, d_k=d_k))) == expected


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=8, unique=True), st.integers(2, 4096))
def test_a_key_is_said_to_take_nearly_all_only_when_it_does(scores: list[float], d_k: int) -> None:
    case = saturation_case(Parameters(scores=tuple(scores), d_k=d_k))
    if saturated_caption(case).startswith("One key takes nearly all the weight"):
        assert case.multiplied_weights.max() >= 0.99
        assert case.multiplied_slope < 0.01
    assert restored_caption(case).startswith("One key takes") == (case.weights.max() >= 0.995)


@pytest.mark.parametrize(
    ("weight", "expected"),
    [(1, "all"), (0.95, "nearly all"), (0.6, "most"), (0.5, "half"), (0.4, "much"), (0.35, "a third")],
)
def test_a_weight_in_words(weight: float, expected: str) -> None:
    assert share_words(weight) == expected


def test_what_is_said_of_the_example() -> None:
    case = collapse_case()
    assert raw_caption(case).endswith("One key gets all of the weight, the others nothing.")
    assert scaled_caption(case) == "The best key keeps a third of the weight; others count again."
    assert fixed(case.raw_max, 2) == "1.00"
    assert abs(case.scaled_max - 1 / 3) < 0.02


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
def test_several_keys_of_the_title_keep_their_weight(seed: int, n_keys: int) -> None:
    case = rescaling_case(Parameters(seed=seed, n_keys=n_keys, sizes=(2, 64)))
    third = min(np.sort(case.scaled_weights(d))[-3] if n_keys > 2 else 0 for d in case.sizes)
    assert growing_title(case).endswith("several keys keep their weight") == (third >= COUNTS)


# Numbers that fit


def test_every_weight_has_its_number_where_there_is_room() -> None:
    assert weight_texts(np.array([0.25, 0.75]), 1.0, LABEL) == ["0.25", "0.75"]


def test_a_number_that_is_all_zeros_is_left_out() -> None:
    assert without_zeros(["0.00", "0.01", "1.00", "", "0.0000"]) == ["", "0.01", "1.00", "", ""]


def test_an_entropy_has_four_decimals_where_two_would_hide_it_and_never_on_its_way() -> None:
    assert [entropy_text(nats) for nats in (1.7909, 0.01, 0.0003, 0.00001, 0)] == [
        "1.79",
        "0.01",
        "0.0003",
        "0.00",
        "0.00",
    ]
    assert entropy_text(0.0003, moving=True) == "0.00"


def test_numbers_have_three_digits() -> None:
    assert [number(value) for value in (math.sqrt(1000), math.sqrt(2), 8.0, -616.57)] == ["31.6", "1.41", "8", "−617"]
    assert [moving_number(value, 0.5) for value in (8.0, 316.2)] == ["8.0", "316"]


@given(st.integers(2, 16), st.floats(0.35, 2))
def test_numbers_of_keys_never_come_near_each_other(n: int, pitch: float) -> None:
    texts, width = key_texts(n, pitch), Readout.width_of(str(n), LABEL, "regular")
    shown = [index for index, text in enumerate(texts) if text]
    assert [texts[index] for index in shown] == [str(index + 1) for index in shown]
    steps = set(np.diff(shown).tolist()) or {2}
    assert steps == ({1} if pitch - width >= KEY_CLEARANCE else {2})


def test_of_sixteen_keys_every_second_one_has_its_number() -> None:
    assert key_texts(16, HALF / (16 - GAP)) == [str(key) if key % 2 else "" for key in range(1, 17)]
    assert key_texts(8, THIRD / (8 - GAP)) == [str(key) for key in range(1, 9)]


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
        with tempconfig({"pixel_width": pixels}):
            for _ in range(2):
                root = maths("sqrt(d)", em=HEADING, color=DARK.ink)
                widths.add(max(float(part.get_stroke_width()) for part in root))
    (width,) = widths
    assert width == pytest.approx(100 * 0.04 * HEADING)  # rules of this font are 0.04 em thick
