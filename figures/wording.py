"""How the figures put things in words and in mathtext: roots, and numbers that may be very large or very small."""

import math
import re

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
    if math.isinf(factor):
        return "more than 10^300", "times flatter"
    if f"{factor:.2f}" == "1.00":
        return "about", "as steep"
    if factor < 1:
        return significant(1 / factor, 3), "times steeper"
    return scientific(factor) if factor >= LARGE else significant(factor, 3), "times flatter"


def root(symbol: str) -> str:
    """The square root of ``symbol``, for mathtext."""
    return rf"\sqrt{{\!{symbol}}}"  # \! takes out a gap that matplotlib leaves behind the sign


def root_in_numbers(square: int, value: float, symbol: str = "") -> str:
    """For mathtext: the root of ``square``, or of its ``symbol``, and its ``value``, as "= 8" or else as "≈ 11.3"."""
    exact = round(value) ** 2 == square
    under = symbol or whole(square).replace(",", "{,}")  # braces: no gap after the comma
    sign, number = ("=", whole(value)) if exact else (r"\approx", significant(value, 3))
    return f"${root(under)} {sign} {number}$"


def mathematical(words: str) -> str:
    """Plain words with every lone d, p, d_k, root and power of ten set as mathematics."""
    words = re.sub(r"(√?)\b(d_k|[dp])\b", lambda match: f"${root(match[2]) if match[1] else match[2]}$", words)
    return re.sub(r"(?:([\d.]+) × )?10\^(−?\d+)", _power, words)


def _power(match: re.Match[str]) -> str:
    # mathregular: the letters of the words around it.
    mantissa = rf"{match[1]}\times" if match[1] else ""
    return rf"$\mathregular{{{mantissa}10^{{{match[2]}}}}}$"
