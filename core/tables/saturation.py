"""Softmax of moderate scores and of the same scores multiplied, with the slope of every weight."""

import math

import numpy as np

from core.arrays import FloatArray
from core.cases import best_key_case, saturation_case
from core.numerals import ratio_text, short, whole
from core.parameters import Parameters
from core.tables.base import Column, Row, Table, brief, decimals, side_by_side

TITLE = "Softmax, saturated by large scores"
USES = ("d_k", "scores")

COLUMNS = (
    Column("scores", "scores"),
    Column("key", "key"),
    Column("score", "score", write=short),
    Column("exponential", "exponential", write=brief(5)),
    Column("weight", "weight", write=decimals(4)),
    Column("slope", "slope", "p(1 − p)", brief(3)),
)


def table(parameters: Parameters) -> Table:
    """Each key of ``parameters.scores``, of √d_k times as much, and of one key ahead of two: scaled, then raw."""
    case, ahead = saturation_case(parameters), best_key_case(parameters.d_k, n_keys=3)
    factor, exact = ratio_text(case.factor), case.factor == round(case.factor)
    rows = [
        *_rows("as given", case.scores, case.weights),
        *_rows(f"× {factor}", case.multiplied, case.multiplied_weights),
        *_rows("one ahead by 1", ahead.scaled_scores, ahead.scaled_weights),
        *_rows(f"one ahead by {factor}", ahead.raw_scores, ahead.raw_weights),
    ]
    return Table(
        title=TITLE,
        columns=COLUMNS,
        rows=tuple(rows),
        note=f"× {factor} is {'' if exact else 'about '}× √{whole(parameters.d_k)}: it makes the slope of the largest "
        f"weight {_change(case.times_smaller)}. Exact: nothing is drawn at random.",
    )


def _rows(name: str, scores: FloatArray, weights: FloatArray) -> list[Row]:
    """A row for each key and one for their sum."""
    exponentials = np.exp(scores)
    others = np.where(np.eye(len(weights), dtype=bool), 0.0, weights).sum(axis=-1)  # 1 - p, exact however near 1 p is
    columns = (scores, exponentials, weights, weights * others)
    keys: list[Row] = [(name, str(key), *numbers) for key, numbers in enumerate(side_by_side(*columns), start=1)]
    return [*keys, (name, "sum", None, float(exponentials.sum()), float(weights.sum()), None)]


def _change(ratio: float) -> str:
    """In words: 664.07 is "664 times smaller". Far from saturation the slope may grow, too."""
    if ratio < 1:
        return f"{brief(3)(1 / ratio)} times larger"
    times = brief(3)(ratio) if math.isfinite(ratio) else "more than 10³⁰⁰"
    return f"{times} times smaller"
