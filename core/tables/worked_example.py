"""Attention by hand: one query, three keys, three values."""

from core.cases import worked_example_case
from core.numerals import short
from core.parameters import Parameters
from core.tables.base import Column, Row, Table, decimals, side_by_side, vector

TITLE = "Attention by hand"
USES = ()

COLUMNS = (
    Column("row", "row"),
    Column("key", "key"),
    Column("value", "value"),
    Column("score", "score", "q · k", short),
    Column("scaled_score", "scaled", "÷ √d_k", short),
    Column("weight", "weight", "of scaled", decimals(4)),
    Column("raw_weight", "weight", "without ÷ √d_k", decimals(4)),
)


def table(parameters: Parameters) -> Table:
    """One row a key, then the output's entries under the weights they follow from; ``parameters`` change nothing."""
    case = worked_example_case()
    numbers = side_by_side(case.scores, case.scaled, case.weights, case.raw_weights)
    rows: list[Row] = [
        (f"key {i + 1}", vector(case.keys[i]), vector(case.values[i]), *numbers[i]) for i in range(len(numbers))
    ]
    outputs = side_by_side(case.output, case.raw_output)
    rows += [(f"output {i}", None, None, None, None, *entries) for i, entries in enumerate(outputs, start=1)]
    return Table(
        title=TITLE,
        columns=COLUMNS,
        rows=tuple(rows),
        note=f"The query is {vector(case.query)}, so scores are divided by √{case.d_k} = {short(case.factor)}. The "
        "output is the average of the values by these weights. Exact: nothing is drawn at random.",
    )
