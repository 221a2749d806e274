"""Numbers are rounded as Python's exact decimals are, and written one way everywhere."""

from decimal import ROUND_HALF_EVEN, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.numerals import MINUS, fixed, short, significant, whole

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
