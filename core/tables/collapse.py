"""One query against 8 keys of d = 256: softmax collapses on raw scores and not on scaled ones."""

from core.cases import collapse_case
from core.parameters import Parameters
from core.tables.base import Column, Row, Table, decimals, side_by_side

TITLE = "One query against eight keys of 256 entries"
USES = ()

COLUMNS = (
    Column("key", "key"),
    Column("raw_score", "raw", "score", decimals(2)),
    Column("scaled_score", "÷ √d", "score", decimals(2)),
    Column("over_scaled_score", "÷ d", "score", decimals(2)),
    Column("raw_weight", "raw", "weight", decimals(4)),
    Column("scaled_weight", "÷ √d", "weight", decimals(4)),
    Column("over_scaled_weight", "÷ d", "weight", decimals(4)),
)


def table(parameters: Parameters) -> Table:
    """Scores and weights of each key, then the largest weight and the entropy; ``parameters`` change nothing."""
    case = collapse_case()
    columns = (
        case.scores,
        case.scaled,
        case.over_scaled,
        case.raw_weights,
        case.scaled_weights,
        case.over_scaled_weights,
    )
    rows: list[Row] = [(str(key), *numbers) for key, numbers in enumerate(side_by_side(*columns), start=1)]
    nothing = (None, None, None)
    rows += [
        ("largest", *nothing, case.raw_max, case.scaled_max, case.over_scaled_max),
        ("entropy", *nothing, case.raw_entropy, case.scaled_entropy, case.over_scaled_entropy),
        (f"log {len(case.scores)}", *nothing, case.uniform_entropy, case.uniform_entropy, case.uniform_entropy),
    ]
    return Table(
        title=TITLE,
        columns=COLUMNS,
        rows=tuple(rows),
        note="RandomState(42): the query is drawn first, then the keys. "
        f"Entropies are in nats; equal weights would have log {len(case.scores)}.",
    )
