"""Every statement of the lesson that has a number, the number as it is stated, and how it is computed anew.

A stated value is compared in the digits it is stated with: "0.67" holds for what rounds to 0.67, "8.9 million" for
what rounds to 8.9 when counted in millions. "about" goes before a whole number whose last zeros are only rounding, so
"about 660" holds for 664; "near" goes before what a measured value only scatters around, and allows it 1 %.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from core.arrays import FloatArray
from core.attention import scale_factor, scaled_dot_product_attention, scaled_scores, softmax
from core.cases import (
    attention_case,
    best_key_case,
    collapse_case,
    heads_case,
    saturation_case,
    shared_stream_case,
    single_draw_case,
    variance_case,
    worked_example_case,
)
from core.numerals import fixed
from core.parameters import Parameters
from core.saturation import slope
from core.spread import running_scores, score_density

__all__ = ["CLAIMS", "LESSONS", "Claim", "Outcome", "check", "check_all"]

LESSONS = {
    "A": "Scaling",
    "B": "Why the scores are scaled",
    "C": "Scaled Dot-Product Attention",
    "D": "Beyond the three lessons",
}
NEAR = 0.01  # relative distance that "near" allows

_STATED = re.compile(r"(?P<hedge>about |near )?(?P<number>−?[\d,]+(?:\.(?P<decimals>\d+))?)(?P<unit> million)?")


@dataclass(frozen=True)
class Claim:
    """One statement with one or several numbers.

    ``id`` begins with the letter of the lesson that states it. ``stated`` holds the numbers as they are stated, and
    ``compute`` gives as many, in the same order, at full precision.
    """

    id: str
    statement: str
    stated: tuple[str, ...]
    compute: Callable[[], FloatArray]

    @property
    def lesson(self) -> str:
        """Letter and title of the lesson that states it."""
        return f"{self.id[0]}. {LESSONS[self.id[0]]}"


@dataclass(frozen=True)
class Outcome:
    """What became of a claim: its ``values`` computed anew, and written with the digits that are stated."""

    claim: Claim
    values: tuple[float, ...]
    computed: tuple[str, ...]
    agreements: tuple[bool, ...]

    @property
    def stated(self) -> tuple[str, ...]:
        """The claim's numbers as they are stated."""
        return self.claim.stated

    @property
    def holds(self) -> bool:
        """Whether every number agrees in every stated digit."""
        return all(self.agreements)


def check(claim: Claim) -> Outcome:
    """Compute a claim anew and compare it digit by digit.

    Raises
    ------
    ValueError
        The claim computes more or fewer numbers than it states, or states something that cannot be read.
    """
    values = tuple(float(value) for value in claim.compute())
    if len(values) != len(claim.stated):
        raise ValueError(f"claim {claim.id} states {len(claim.stated)} numbers but computes {len(values)}")
    compared = [_compare(value, stated) for value, stated in zip(values, claim.stated, strict=True)]
    return Outcome(
        claim=claim,
        values=values,
        computed=tuple(text for text, _ in compared),
        agreements=tuple(agrees for _, agrees in compared),
    )


def check_all() -> tuple[Outcome, ...]:
    """`check` of every claim, in order. Takes seconds: some claims are about hundreds of millions of random numbers."""
    return tuple(check(claim) for claim in CLAIMS)


def _compare(value: float, stated: str) -> tuple[str, bool]:
    """``value`` written as ``stated`` is, and whether the two agree."""
    parts = _STATED.fullmatch(stated)
    if parts is None:
        raise ValueError(f"stated must be a number such as '0.67', '2,981' or 'about 8.9 million', not {stated!r}")
    number, hedge, unit = parts["number"], parts["hedge"] or "", parts["unit"] or ""
    if unit:
        value /= 1e6
    decimals = len(parts["decimals"] or "")
    if hedge == "near ":
        target = float(number.replace(",", "").replace("−", "-"))
        return fixed(value, decimals) + unit, abs(value - target) <= NEAR * abs(target)
    if hedge == "about " and decimals == 0:
        value = round(value, len(number.rstrip("0")) - len(number))  # 664.07 to tens, for "about 660"
    text = fixed(value, decimals)
    return text + unit, text == number


def _flat(*parts: ArrayLike) -> FloatArray:
    """Numbers and arrays one after the other."""
    return np.concatenate([np.ravel(np.asarray(part, dtype=np.float64)) for part in parts])


def _law_moment(d: float, power: int) -> float:
    """Mean of score^power under the exact law of a score of ``d`` products.

    The trapezoid rule over log|x|: there the integrand is smooth and dies out at both ends, even for d = 1,
    whose density is infinite at 0.
    """
    log_x = np.linspace(-40.0, np.log(12 * np.sqrt(d) + 60), 2001)
    x = np.exp(log_x)
    both_sides = score_density(x, d) + (-1) ** power * score_density(-x, d)
    return float(np.trapezoid(both_sides * x ** (power + 1), log_x))  # dx = x dlog(x)


def _law_spread(d: float) -> float:
    """Standard deviation of a score of ``d`` products under its exact law."""
    return float(np.sqrt(_law_moment(d, 2)))


def _law_excess(d: float) -> float:
    """Excess kurtosis of a score of ``d`` products under its exact law."""
    return _law_moment(d, 4) / _law_moment(d, 2) ** 2 - 3


# q = (1, 0) against two keys, the rows of the identity; the values are the same rows doubled.
_TWO_KEYS = ([[1.0, 0.0]], np.eye(2), 2 * np.eye(2))


def _two_keys() -> FloatArray:
    queries, keys, values = _TWO_KEYS
    output, weights = scaled_dot_product_attention(queries, keys, values)
    return _flat(scaled_scores(queries, keys), weights, output)


def _two_keys_first_allowed() -> FloatArray:
    output, _ = scaled_dot_product_attention(*_TWO_KEYS, mask=[[True, False]])
    return _flat(output)


def _one_product() -> FloatArray:
    return _flat(_law_moment(1, 1), _law_spread(1))


def _eight_times_bigger() -> FloatArray:
    case = saturation_case(Parameters())
    return _flat(case.multiplied, case.multiplied_weights, case.multiplied_exponentials[:2])


def _moderate_scores() -> FloatArray:
    case = saturation_case(Parameters())
    return _flat(case.weights, case.exponentials, case.total)


def _top_slopes() -> FloatArray:
    case = saturation_case(Parameters())
    return _flat(case.slope, case.multiplied_slope, case.times_smaller, case.times_smaller)


def _one_key_ahead() -> FloatArray:
    case = best_key_case(64, n_keys=3)
    return _flat(case.scaled_weights, slope(case.scaled_best), case.raw_best, slope(case.raw_best))


def _by_hand() -> FloatArray:
    case = worked_example_case()
    return _flat(case.scores, case.scaled, case.weights, case.output)


def _head_divisors() -> FloatArray:
    return _flat([(head.d_k, head.divisor) for head in heads_case().rows])


def _shared_stream() -> FloatArray:
    case = shared_stream_case()
    return _flat(np.column_stack([case.raw_std, case.scaled_std]))


def _variances(sizes: slice) -> FloatArray:
    case = variance_case()
    return _flat(np.column_stack([case.raw_variance, case.scaled_variance])[sizes])


def _largest_and_entropy() -> FloatArray:
    case = collapse_case()
    return _flat(case.raw_max, case.raw_entropy, case.scaled_max, case.scaled_entropy, case.uniform_entropy)


def _attention_weights() -> FloatArray:
    weights = attention_case().weights
    return _flat(weights, weights.sum(axis=-1))


def _half_precision() -> FloatArray:
    vector = np.full((1, 128), 40.0, dtype=np.float16)
    raw = running_scores(vector, vector)[..., -1]
    return _flat(raw, np.finfo(np.float16).max, scaled_scores(vector, vector))


def _both_sides_divided() -> FloatArray:
    case = worked_example_case()
    fourth_root = np.sqrt(scale_factor(case.d_k))
    return running_scores(case.query / fourth_root, case.keys / fourth_root)[..., -1]


CLAIMS = (
    Claim(
        "A1",
        "Scores are divided by √d_k: the divisor for d_k = 4 and for d_k = 64.",
        ("2", "8"),
        lambda: _flat(scale_factor(4), scale_factor(64)),
    ),
    Claim(
        "A2",
        "At d_k = 64 one of four keys scores √d_k and the others 0: its weight without the division, and with it.",
        ("0.999", "0.4754"),
        lambda: _flat(best_key_case(64).raw_best, best_key_case(64).scaled_best),
    ),
    Claim(
        "A3",
        "At d_k = 4 raw scores of 2 and 0 become 1 and 0: the weight on the first key.",
        ("0.731",),
        lambda: _flat(best_key_case(4, n_keys=2).scaled_best),
    ),
    Claim(
        "A4",
        "q = (1, 0), keys (1, 0) and (0, 1), values (2, 0) and (0, 2): scaled scores (the first is 1/√2), weights, "
        "output.",
        ("0.707107", "0", "0.669762", "0.330238", "1.339523", "0.660477"),
        _two_keys,
    ),
    Claim(
        "A5",
        "The same with only the first key allowed: the output is the first value.",
        ("2", "0"),
        _two_keys_first_allowed,
    ),
    Claim(
        "B1",
        "One product of two independent numbers of mean 0 and spread 1: its mean and its spread.",
        ("0.00", "1.00"),
        _one_product,
    ),
    Claim(
        "B2",
        "A score of 64 such products: its variance and its spread.",
        ("64", "8"),
        lambda: _flat(_law_moment(64, 2), _law_spread(64)),
    ),
    Claim(
        "B3",
        "From 64 numbers to 1,024, 16 times as many, the spread of a score grows so many times.",
        ("4",),
        lambda: _flat(_law_spread(1024) / _law_spread(64)),
    ),
    Claim(
        "B5",
        "Softmax of the scores 2, 1, 0: the weights; the exponentials and their sum.",
        ("0.67", "0.24", "0.09", "7.389", "2.718", "1", "11.107"),
        _moderate_scores,
    ),
    Claim(
        "B6",
        "The same scores 8 times bigger: the scores; the weights; the two largest exponentials.",
        ("16", "8", "0", "0.9997", "0.0003", "0.0000", "about 8.9 million", "2,981"),
        _eight_times_bigger,
    ),
    Claim(
        "B7",
        "A weight p moves by p(1 − p) per unit of its own score: for the largest weight of 2, 1, 0; of 16, 8, 0; and "
        "how many times smaller the second is, to three digits and roughly.",
        ("0.22", "0.0003", "664", "about 660"),
        _top_slopes,
    ),
    Claim(
        "B8",
        "Softmax of 1, 0, 0: the weights and the slope of the largest one. Softmax of 8, 0, 0: the largest weight and "
        "its slope.",
        ("0.58", "0.21", "0.21", "0.24", "0.9993", "0.0007"),
        _one_key_ahead,
    ),
    Claim(
        "B10",
        "By hand: q = (1, 2, 0, 1), keys (1, 1, 0, 1), (0, 1, 1, 0), (1, −1, 2, 1), values (1, 0), (0, 1), (1, 1): "
        "scores; divided by 2; weights; output.",
        ("4", "2", "0", "2", "1", "0", "0.67", "0.24", "0.09", "0.76", "0.33"),
        _by_hand,
    ),
    Claim(
        "B11",
        "The same without the division: softmax of 4, 2, 0.",
        ("0.87", "0.12", "0.02"),
        lambda: worked_example_case().raw_weights,
    ),
    Claim(
        "B12",
        "At d = 16 raw scores of 8, 4, 0 are divided to 2, 1, 0: their weights.",
        ("0.67", "0.24", "0.09"),
        lambda: softmax(np.array([8.0, 4.0, 0.0]) / scale_factor(16)),
    ),
    Claim(
        "B14",
        "The d that counts is one head's: d_k and divisor of a width of 512 in 8 heads, of GPT-2 small, and of "
        "Llama 2 7B, whose width is 4,096 in 32 heads.",
        ("64", "8", "64", "8", "128", "11.3"),
        _head_divisors,
    ),
    Claim(
        "B15",
        "10,000 pairs at each of d = 4, 64, 1,024, drawn in turn from one default_rng(0): spread raw, and divided "
        "by √d.",
        ("2.0", "1.00", "8.1", "1.01", "32.0", "1.00"),
        _shared_stream,
    ),
    Claim(
        "C2",
        "100,000 pairs at each of d = 4, 16, 64, 256, drawn in turn from one RandomState(42): variance raw, and "
        "divided by √d.",
        ("3.988", "0.9971", "15.891", "0.9932", "64.249", "1.0039", "256.391", "1.0015"),
        lambda: _variances(slice(0, 4)),
    ),
    Claim(
        "C3",
        "Doubling the head size spreads the scores by √2; going from 16 to 256 spreads them so many times.",
        ("1.4142", "4"),
        lambda: _flat(_law_spread(128) / _law_spread(64), _law_spread(256) / _law_spread(16)),
    ),
    Claim(
        "C4",
        "RandomState(42), d = 256, one query and then 8 keys: the raw scores.",
        ("−3.12", "13.41", "−27.00", "12.41", "2.39", "24.29", "−1.23", "−2.77"),
        lambda: collapse_case().scores,
    ),
    Claim(
        "C5",
        "The same scores divided by √256.",
        ("−0.20", "0.84", "−1.69", "0.78", "0.15", "1.52", "−0.08", "−0.17"),
        lambda: collapse_case().scaled,
    ),
    Claim(
        "C6",
        "Their weights: unscaled, everything goes to the sixth key; scaled, every key keeps a share.",
        (
            *("0.0000", "0.0000", "0.0000", "0.0000", "0.0000", "1.0000", "0.0000", "0.0000"),
            *("0.0634", "0.1781", "0.0142", "0.1673", "0.0894", "0.3514", "0.0713", "0.0648"),
        ),
        lambda: _flat(collapse_case().raw_weights, collapse_case().scaled_weights),
    ),
    Claim(
        "C7",
        "Largest weight and entropy in nats: unscaled; scaled; and the entropy of 8 equal weights, log 8.",
        ("1.0000", "0.0003", "0.3514", "1.7909", "2.0794"),
        _largest_and_entropy,
    ),
    Claim(
        "C9",
        "default_rng(42), Q, K and V of 6 positions with d_k = 16 drawn in that order: the six rows of weights, and "
        "the sum of each.",
        (
            *("0.057", "0.410", "0.130", "0.210", "0.104", "0.090"),
            *("0.072", "0.606", "0.025", "0.089", "0.079", "0.128"),
            *("0.172", "0.162", "0.096", "0.093", "0.185", "0.291"),
            *("0.116", "0.108", "0.216", "0.123", "0.173", "0.263"),
            *("0.056", "0.104", "0.270", "0.301", "0.050", "0.219"),
            *("0.100", "0.083", "0.496", "0.134", "0.107", "0.081"),
            *("1", "1", "1", "1", "1", "1"),
        ),
        _attention_weights,
    ),
    Claim(
        "C10",
        "The 100,000 pairs drawn next, of d = 1,024: variance raw, and divided by √d.",
        ("near 1,024", "near 1"),
        lambda: _variances(slice(4, 5)),
    ),
    Claim(
        "C11",
        "One query and 8 keys at each of d = 4, 16, 64, 256, drawn in turn from one RandomState(42): the entropy of "
        "the raw weights. It falls over many draws; in a single run it need not.",
        ("1.08", "1.48", "0.01", "0.10"),
        lambda: single_draw_case().raw_entropy,
    ),
    Claim(
        "D1",
        "The exact law of a score, at d = 4, 64, 1,024: its variance is d; its excess kurtosis is 6/d, so it nears a "
        "normal law.",
        ("4", "64", "1,024", "1.50000", "0.09375", "0.00586"),
        lambda: _flat([_law_moment(d, 2) for d in (4, 64, 1024)], [_law_excess(d) for d in (4, 64, 1024)]),
    ),
    Claim(
        "D4",
        "float16 vectors of 128 entries, all of them 40: the raw score; the largest float16, which it exceeds; the "
        "scaled score, computed in float64.",
        ("204,800", "65,504", "18,102"),
        _half_precision,
    ),
    Claim(
        "D5",
        "Query and keys of the example by hand each divided by the fourth root of d_k: the scores divided by √d_k.",
        ("2.00", "1.00", "0.00"),
        _both_sides_divided,
    ),
)
