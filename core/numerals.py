"""How numbers are written, in films, figures and tables alike: true minus signs, commas between thousands."""

import math

__all__ = ["fixed", "ratio_words", "short", "significant", "slope_words", "whole"]

MINUS = "−"
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
LARGE = 1e6  # ratios from here on are powers of ten
HUGE = 1e300  # and beyond here floating point loses count


def fixed(value: float, digits: int) -> str:
    """``value`` with ``digits`` decimals: -3.1161 and 2 give "−3.12"; no minus before a zero."""
    text = f"{value:,.{digits}f}"
    if not text.strip("-0.,"):
        text = text.lstrip("-")
    return text.replace("-", MINUS)


def whole(value: float) -> str:
    """``value`` rounded to a whole number: 1024 gives "1,024"."""
    return fixed(value, 0)


def short(value: float) -> str:
    """``value`` with at most three decimals and none that are 0: 2.0 gives "2", 0.5 gives "0.5"."""
    text = fixed(value, 3)
    return text.rstrip("0").rstrip(".") if "." in text else text


def significant(value: float, digits: int) -> str:
    """``value`` rounded to ``digits`` significant digits, never in powers of ten: 663.6 and 3 give "664"."""
    if value == 0:
        return "0"
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    return fixed(round(value, digits - 1 - exponent), max(0, digits - 1 - exponent))


def ratio_text(value: float) -> str:
    """A root, or how many times as much: whole where it is a whole number, else to three digits."""
    return whole(value) if value == round(value) else significant(value, 3)


def ratio_words(ratio: float, more: str = "more", less: str = "less", same: str = "about as much") -> str:
    """How ``ratio``, at least 0, compares with 1: 663.6 gives "664 times more", 0.5 "2 times less", 1.04 ``same``.

    Below ten there is one decimal, then there are three digits, and from a million on there is a power of ten.
    """
    size, direction = (ratio, more) if ratio >= 1 else (1 / ratio if ratio > 0 else math.inf, less)
    if size > HUGE:
        return f"more than {_power_of_ten(HUGE)} times {direction}"
    if size >= LARGE:
        return f"about {_power_of_ten(size)} times {direction}"
    text = fixed(size, 1).removesuffix(".0") if size < 10 else significant(size, 3).removesuffix(".0")
    return same if text == "1" else f"{text} times {direction}"


def slope_words(slope: float) -> str:
    """A slope from 0 to 0.25 with two decimals, or with four where two would hide what is left; never just 0."""
    if slope >= 0.01:
        return fixed(slope, 2)
    text = fixed(slope, 4)
    return "below 0.0001" if text == "0.0000" else text


def _power_of_ten(value: float) -> str:
    return f"10{str(round(math.log10(value))).translate(SUPERSCRIPTS)}"
