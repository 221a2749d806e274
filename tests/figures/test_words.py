"""How the figures put numbers into words, and how words keep apart."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures.plots import apart, thinned
from figures.wording import brief, mathematical, rises_and_falls, root_in_numbers, sharp, smaller

lengths = st.floats(0.5, 50)
places = st.floats(-200, 200)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.6652, "0.67"),
        (0.9997, "0.9997"),
        (0.00034, "0.0003"),
        (1.0, "1.0000"),
    ],
)
def test_a_number_near_0_or_1_gets_the_digits_that_tell_it_apart(value, words):
    assert sharp(value) == words


@pytest.mark.parametrize(
    ("factor", "words"),
    [
        (663.6, "664 times smaller"),
        (1.25e9, "about 10⁹ times smaller"),
        (0.5, "2 times larger"),
        (1.004, "about the same"),
        (math.inf, "more than 10³⁰⁰ times smaller"),
    ],
)
def test_how_much_smaller(factor, words):
    assert smaller(factor) == words


@pytest.mark.parametrize(
    ("value", "digits", "words"),
    [
        (1.4142, 2, "1.41"),
        (1.4142, 1, "1.4"),
        (-27.0049, 2, "−27.0"),
        (9.9999, 2, "10.0"),
        (316.23, 2, "316"),
        (9.5, 2, "9.5"),
        (16.0, 2, "16"),
    ],
)
def test_a_score_has_three_digits_at_most_and_no_zeros_if_it_is_exact_without(value, digits, words):
    assert brief(value, digits) == words


@pytest.mark.parametrize(
    ("rises", "falls", "words"),
    [
        (35, 29, "rises 35 times and falls 29 times"),
        (1, 1234, "rises once and falls 1,234 times"),
        (2, 0, "rises twice and never falls"),
        (0, 2, "never rises and falls twice"),
    ],
)
def test_how_often_a_walk_goes_up_and_down(rises, falls, words):
    assert rises_and_falls(rises, falls) == words


@pytest.mark.parametrize(
    ("square", "symbol", "text"),
    [
        (64, "", r"$\sqrt{\!64} = 8$"),
        (4096, "", r"$\sqrt{\!4{,}096} = 64$"),
        (128, "d", r"$\sqrt{\!d} \approx 11.3$"),
        (4095, "d", r"$\sqrt{\!d} \approx 64.0$"),
    ],
)
def test_a_root_is_said_to_equal_only_what_it_equals(square, symbol, text):
    assert root_in_numbers(square, math.sqrt(square), symbol) == text


@pytest.mark.parametrize(
    ("plain", "set_"),
    [
        ("Adding d products", "Adding $d$ products"),
        ("only √d is", r"only $\sqrt{\!d}$ is"),
        ("padded words", "padded words"),
    ],
)
def test_symbols_in_plain_words_are_set_as_mathematics(plain, set_):
    assert mathematical(plain) == set_


@given(st.lists(st.tuples(places, lengths), min_size=1, max_size=8))
def test_things_kept_apart_do_not_touch_keep_their_order_and_their_middle(things):
    centres, heights = map(np.array, zip(*things, strict=True))
    moved = apart(centres, heights)
    order = np.argsort(centres, kind="stable")
    gaps = np.diff(moved[order]) - (heights[order][:-1] + heights[order][1:]) / 2
    assert (gaps >= -1e-9).all()
    assert moved.mean() == pytest.approx(centres.mean(), abs=1e-9)


@given(st.lists(lengths, min_size=1, max_size=8), places)
def test_things_that_are_apart_stay_where_they_are(heights, start):
    centres = start + np.cumsum(heights) - np.array(heights) / 2 + 3 * np.arange(len(heights))
    np.testing.assert_allclose(apart(centres, heights), centres, atol=1e-9)


def test_two_labels_for_one_place_share_the_way():
    np.testing.assert_allclose(apart([5, 5], [2, 2]), [4, 6])


@given(st.lists(st.tuples(places, lengths), min_size=1, max_size=10), st.data())
def test_of_numbers_in_a_row_none_touch_the_kept_one_stays_and_none_is_left_out_for_nothing(things, data):
    at, extents = zip(*things, strict=True)
    keep = data.draw(st.integers(0, len(things) - 1))
    shown = thinned(at, extents, 1, keep)
    assert keep in shown

    def touch(one, other):
        return abs(at[one] - at[other]) < (extents[one] + extents[other]) / 2 + 1

    assert not any(touch(one, other) for one in shown for other in shown if one < other)
    assert all(any(touch(index, other) for other in shown) for index in range(len(things)) if index not in shown)
