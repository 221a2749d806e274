"""Numbers are rounded as Python's exact decimals are, and written one way everywhere."""

import math
from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.numerals import MINUS, fixed, ratio_text, ratio_words, short, significant, slope_words, whole

numbers = st.floats(-1e9, 1e9)


def value_of(text: str) -> Decimal:
    return Decimal(text.replace(",", "").replace(MINUS, "-"))


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (-3.1161, 2, "−3.12"),
        (0.6652, 2, "0.67"),
        (1024, 0, "1,024"),
        (-1234567.891, 1, "−1,234,567.9"),
        (2.5, 0, "2"),
        (0, 4, "0.0000"),
        (-0.0, 2, "0.00"),
        (-0.004, 2, "0.00"),
        (-0.005001, 2, "−0.01"),
        (-0.4, 0, "0"),
    ],
)
def test_fixed(value, digits, text):
    assert fixed(value, digits) == text


@pytest.mark.parametrize(("value", "text"), [(1024, "1,024"), (63.97, "64"), (-0.2, "0"), (10_000, "10,000")])
def test_whole(value, text):
    assert whole(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (2.0, "2"),
        (0.5, "0.5"),
        (-2.25, "−2.25"),
        (0.0625, "0.062"),
        (1000.0, "1,000"),
        (20, "20"),
        (0.0004, "0"),
        (-0.0004, "0"),
        (1234.5, "1,234.5"),
    ],
)
def test_short(value, text):
    assert short(value) == text


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (663.6, 3, "664"),
        (0.0625, 3, "0.0625"),
        (0.000335, 2, "0.00034"),
        (99.96, 3, "100"),
        (999.6, 3, "1,000"),
        (0.9996, 3, "1.00"),
        (1_234_567, 2, "1,200,000"),
        (-15.94, 3, "−15.9"),
        (8, 3, "8.00"),
        (0, 3, "0"),
    ],
)
def test_significant(value, digits, text):
    assert significant(value, digits) == text


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (663.6, "664 times more"),
        (2.04, "2 times more"),
        (3.96, "4 times more"),
        (1.41, "1.4 times more"),
        (9.96, "10 times more"),
        (99.97, "100 times more"),
        (13.46, "13.5 times more"),
        (12_345, "12,300 times more"),
        (999_400, "999,000 times more"),
        (1e6, "about 10⁶ times more"),
        (1.4e27, "about 10²⁷ times more"),
        (4e27, "about 10²⁸ times more"),
        (math.inf, "more than 10³⁰⁰ times more"),
        (1, "about as much"),
        (1.04, "about as much"),
        (0.97, "about as much"),
        (0.5, "2 times less"),
        (1e-9, "about 10⁹ times less"),
        (0, "more than 10³⁰⁰ times less"),
    ],
)
def test_ratio_words(ratio, text):
    assert ratio_words(ratio) == text


def test_ratio_words_are_the_callers():
    said = [ratio_words(ratio, "flatter", "steeper", "as steep") for ratio in (8, 1 / 8, 1.01)]
    assert said == ["8 times flatter", "8 times steeper", "as steep"]


@pytest.mark.parametrize(
    ("slope", "text"),
    [
        (0.25, "0.25"),
        (0.2227, "0.22"),
        (0.01, "0.01"),
        (0.0099, "0.0099"),
        (0.000335, "0.0003"),
        (0.00005001, "0.0001"),
        (0.00004, "below 0.0001"),
        (1.6e-28, "below 0.0001"),
        (0, "below 0.0001"),
    ],
)
def test_slope_words(slope, text):
    assert slope_words(slope) == text


@given(st.floats(1, 1e6, exclude_max=True))
def test_ratio_words_say_the_ratio_to_its_last_digit(ratio):
    said = ratio_words(ratio)
    stated = 1 if said == "about as much" else float(said.removesuffix(" times more").replace(",", ""))
    assert stated == pytest.approx(ratio, abs=max(0.0501, 0.00501 * ratio))


@given(numbers, st.integers(0, 6))
def test_fixed_is_the_nearest_decimal(value, digits):
    step = Decimal(1).scaleb(-digits)
    assert value_of(fixed(value, digits)) == Decimal(value).quantize(step, ROUND_HALF_EVEN)


@given(st.floats(1e-6, 1e9), st.integers(1, 6))
def test_significant_is_the_nearest_number_of_that_many_digits(value, digits):
    step = Decimal(1).scaleb(Decimal(value).adjusted() + 1 - digits)
    assert value_of(significant(value, digits)) == Decimal(value).quantize(step, ROUND_HALF_EVEN)


@given(numbers)
def test_short_is_fixed_without_the_zeros_at_its_end(value):
    text = short(value)
    assert value_of(text) == value_of(fixed(value, 3))
    assert "." not in text or text[-1] not in "0."


@given(numbers, st.integers(0, 4))
def test_no_text_has_a_hyphen_or_a_minus_before_a_zero(value, digits):
    for text in (fixed(value, digits), short(value), whole(value), significant(value, digits + 1)):
        assert "-" not in text
        assert not text.startswith(MINUS) or value_of(text) < 0


@pytest.mark.parametrize(("value", "words"), [(16.0, "16"), (2048, "2,048"), (45.2548, "45.3"), (1.5, "1.50")])
def test_a_ratio_has_three_digits_unless_it_is_whole(value, words):
    assert ratio_text(value) == words
