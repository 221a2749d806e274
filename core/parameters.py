"""The few things a user may change, and how far."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

D_K_RANGE = (2, 4096)
N_SIZES_RANGE = (2, 6)
N_KEYS_RANGE = (2, 16)
N_SCORES_RANGE = (2, 8)
SCORE_RANGE = (-10, 10)
PAIRS_RANGE = (100, 1_000_000)
SEED_RANGE = (0, 2**32 - 1)


@dataclass(frozen=True)
class Parameters:
    """What the lesson is drawn from: two equal sets of parameters give the same films, figures and tables.

    Parameters
    ----------
    d_k : int, 2 to 4096
        Entries of a query and of a key, where one size is shown.
    sizes : 2 to 6 ints, each 2 to 4096, strictly increasing
        The sizes compared, where several are shown.
    n_keys : int, 2 to 16
        Keys that one query is scored against.
    scores : 2 to 8 numbers, each -10 to 10
        The scores that softmax is shown with. One is the largest: with a tie for it softmax would never saturate.
    pairs : int, 100 to 1,000,000
        Random query-key pairs a measured spread is taken over.
    seed : int, 0 to 4,294,967,295

    Raises
    ------
    ValueError
        A value is out of its range; the message names the field, the value and the range.
    """

    d_k: int = 64
    sizes: tuple[int, ...] = (4, 16, 64, 256, 1024)
    n_keys: int = 8
    scores: tuple[float, ...] = (2.0, 1.0, 0.0)
    pairs: int = 10_000
    seed: int = 0

    def __post_init__(self) -> None:
        checked = {
            "d_k": _whole(self.d_k, "d_k", D_K_RANGE),
            "sizes": _sizes(self.sizes),
            "n_keys": _whole(self.n_keys, "n_keys", N_KEYS_RANGE),
            "scores": _scores(self.scores),
            "pairs": _whole(self.pairs, "pairs", PAIRS_RANGE),
            "seed": _whole(self.seed, "seed", SEED_RANGE),
        }
        # Plain ints, floats and tuples, whatever they were given as: equal parameters hash and print alike.
        for field, value in checked.items():
            object.__setattr__(self, field, value)


def _whole(value: object, field: str, allowed: tuple[int, int]) -> int:
    low, high = allowed
    if isinstance(value, bool) or not isinstance(value, Integral) or not low <= int(value) <= high:
        raise ValueError(f"{field} must be a whole number from {low} to {high}, not {value!r}")
    return int(value)


def _sizes(sizes: Iterable[int]) -> tuple[int, ...]:
    entries = _entries(sizes, "sizes", N_SIZES_RANGE)
    whole = tuple(_whole(size, "each of sizes", D_K_RANGE) for size in entries)
    if any(later <= earlier for earlier, later in pairwise(whole)):
        raise ValueError(f"sizes must grow strictly, within {D_K_RANGE[0]} to {D_K_RANGE[1]}, not {whole}")
    return whole


def _scores(scores: Iterable[float]) -> tuple[float, ...]:
    low, high = SCORE_RANGE
    entries = _entries(scores, "scores", N_SCORES_RANGE)
    numbers = tuple(_number(score, "each of scores", SCORE_RANGE) for score in entries)
    if numbers.count(max(numbers)) > 1:
        raise ValueError(f"scores must have one largest entry, from {low} to {high}, not {numbers}")
    return numbers


def _number(value: Any, field: str, allowed: tuple[int, int]) -> float:
    low, high = allowed
    if isinstance(value, bool) or not isinstance(value, Real) or value < low or not value <= high:
        raise ValueError(f"{field} must be a number from {low} to {high}, not {value!r}")
    return float(value) + 0.0  # + 0.0 turns -0.0 into 0.0


def _entries(values: Iterable[object], field: str, allowed: tuple[int, int]) -> tuple[object, ...]:
    low, high = allowed
    # A text is refused whole: its letters are no numbers, and saying so letter by letter would help nobody.
    entries = tuple(values) if isinstance(values, Iterable) and not isinstance(values, str) else None
    if entries is None or not low <= len(entries) <= high:
        raise ValueError(f"{field} must be {low} to {high} numbers, not {values!r}")
    return entries
