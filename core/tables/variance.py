"""Variance of a score against size, over many pairs."""

from core.cases import variance_case
from core.numerals import whole
from core.parameters import Parameters
from core.tables.base import Column, Table, decimals, side_by_side

TITLE = "Variance of a score"
USES = ()

COLUMNS = (
    Column("d", "d", write=whole),
    Column("raw_variance", "raw variance", "expected: d", decimals(3)),
    Column("scaled_variance", "scaled variance", "expected: 1", decimals(4)),
)


def table(parameters: Parameters) -> Table:
    """One row a size; ``parameters`` change nothing."""
    case = variance_case()
    return Table(
        title=TITLE,
        columns=COLUMNS,
        rows=tuple(
            (d, *variances)
            for d, variances in zip(case.sizes, side_by_side(case.raw_variance, case.scaled_variance), strict=True)
        ),
        note=f"{whole(case.pairs)} pairs a size, all sizes in turn from one RandomState(42): all queries of a size and "
        "then its keys.",
    )
