"""The weight on the best key, without the division and with it."""

from core.cases import best_key_case
from core.numerals import short, whole
from core.parameters import Parameters
from core.tables.base import Column, Table, decimals

TITLE = "Weight on a key that scores √d_k"
USES = ("d_k", "sizes")

COLUMNS = (
    Column("d_k", "d_k", write=whole),
    Column("raw_score", "raw score", "√d_k", short),
    Column("raw_weight", "raw weight", write=decimals(4)),
    Column("scaled_score", "scaled score", "÷ √d_k", short),
    Column("scaled_weight", "scaled weight", write=decimals(4)),
)


def table(parameters: Parameters) -> Table:
    """One row for ``parameters.d_k`` and for each of ``parameters.sizes``, in order of size."""
    cases = [best_key_case(d_k) for d_k in sorted({parameters.d_k, *parameters.sizes})]
    return Table(
        title=TITLE,
        columns=COLUMNS,
        rows=tuple(
            (case.d_k, float(case.raw_scores[0]), case.raw_best, float(case.scaled_scores[0]), case.scaled_best)
            for case in cases
        ),
        note=f"Softmax over {len(cases[0].raw_scores)} keys, the others of score 0. Exact: nothing is drawn at random.",
    )
