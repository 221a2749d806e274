"""How the figures put things in words and in mathtext: roots, and numbers near 0 and 1."""

import re

import numpy as np
from numpy.typing import ArrayLike

from core.numerals import fixed, ratio_words, short, significant, whole


def rises_and_falls(rises: int, falls: int) -> str:
    """How often something goes up and down: "rises 35 times and falls 29 times", "never rises and falls twice"."""
    return f"{_often('rises', rises)} and {_often('falls', falls)}"


def _often(verb: str, count: int) -> str:
    if count == 0:
        return f"never {verb}"
    return f"{verb} {({1: 'once', 2: 'twice'}).get(count, f'{whole(count)} times')}"


def listed(numbers: ArrayLike) -> str:
    """Numbers one after the other: "2, 1, 0"."""
    return ", ".join(short(number) for number in np.asarray(numbers).tolist())


def brief(value: float, digits: int = 2) -> str:
    """A number to three digits and at most two decimals, or ``digits``, and with fewer if it is exact with fewer."""
    size = abs(round(value, 2))
    digits = min(digits, 2 if size < 10 else 1 if size < 100 else 0)
    return short(value) if value == round(value, digits) else fixed(value, digits)


def sharp(weight: float) -> str:
    """A weight with as many decimals as tell it from 0 and 1: 0.67, 0.9997."""
    return fixed(weight, digits_of([weight]))


def digits_of(weights: list[float]) -> int:
    """How many decimals numbers from 0 to 1 need: two, or four if with two one of them would look like 0 or 1."""
    return 4 if any(f"{weight:.2f}" in ("0.00", "1.00") for weight in weights) else 2


def smaller(factor: float) -> str:
    """How a slope has changed that is ``factor`` times smaller: "664 times smaller", "2 times larger"."""
    return ratio_words(factor, more="smaller", less="larger", same="about the same")


def in_maths(number: int) -> str:
    """A whole number for mathtext, without a gap after its commas."""
    return whole(number).replace(",", "{,}")


def root(symbol: str) -> str:
    """The square root of ``symbol``, for mathtext."""
    return rf"\sqrt{{\!{symbol}}}"  # \! takes out a gap that matplotlib leaves behind the sign


def root_in_numbers(square: int, value: float, symbol: str = "") -> str:
    """For mathtext: the root of ``square``, or of its ``symbol``, and its ``value``, as "= 8" or else as "≈ 11.3"."""
    exact = round(value) ** 2 == square
    under = symbol or in_maths(square)
    sign, number = ("=", whole(value)) if exact else (r"\approx", significant(value, 3))
    return f"${root(under)} {sign} {number}$"


def mathematical(words: str) -> str:
    """Plain words with every lone d and p, and every root of one, set as mathematics."""
    return re.sub(r"(√?)\b([dp])\b", lambda match: f"${root(match[2]) if match[1] else match[2]}$", words)
