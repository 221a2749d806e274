"""How the figures put numbers that may be very large or very small, in plain words."""

import math

from core.numerals import fixed, significant, whole

LARGE = 1e6  # from here on counts are written in powers of ten
TINY = "10^−300"  # smaller than this, or its inverse larger, and floating point loses count


def times(count: int) -> str:
    """How often, in words where there are words for it."""
    return {1: "once", 2: "twice"}.get(count, f"{whole(count)} times")


def ratio(value: float) -> str:
    """How many times as much: with three digits, or as a whole number where it is one."""
    return whole(value) if value == round(value) else significant(value, 3)


def scientific(value: float) -> str:
    """``value`` with two digits, in a power of ten: 3.1e-7 gives "3.1 × 10^−7"."""
    mantissa, exponent = f"{value:.1e}".split("e")
    return f"{mantissa} × 10^{whole(int(exponent))}"


def sharp(value: float) -> str:
    """A number from 0 to 1 with as many digits as tell it from both ends: 0.67, 0.9997, 3.1 × 10^−7."""
    digits = digits_of([value])
    if float(f"{value:.{digits}f}") == 0:
        return scientific(value) if value > 0 else f"below {TINY}"
    return fixed(value, digits)


def digits_of(weights: list[float]) -> int:
    """How many decimals numbers from 0 to 1 need: two, or four if with two one of them would look like 0 or 1."""
    return 4 if any(f"{weight:.2f}" in ("0.00", "1.00") for weight in weights) else 2


def flatter(factor: float) -> tuple[str, str]:
    """How a slope has changed that is ``factor`` times smaller: how much, and in which way."""
    if factor < 1:
        return significant(1 / factor, 3), "times steeper"
    if math.isinf(factor):
        return "more than 10^300", "times flatter"
    return scientific(factor) if factor >= LARGE else significant(factor, 3), "times flatter"
