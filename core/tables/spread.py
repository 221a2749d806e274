"""Spread of a score against size: one stream for all sizes, and a stream of its own for each."""

import math

from core.cases import shared_stream_case, spread_case
from core.numerals import whole
from core.parameters import Parameters
from core.tables.base import Column, Row, Table, decimals, side_by_side

TITLE = "Spread of a score"
USES = ("sizes", "pairs", "seed")

COLUMNS = (
    Column("stream", "stream"),
    Column("pairs", "pairs", write=whole),
    Column("d", "d", write=whole),
    Column("law", "√d", write=decimals(2)),
    Column("raw_std", "raw spread", "standard deviation", decimals(2)),
    Column("scaled_std", "scaled spread", "after ÷ √d", decimals(2)),
)


def table(parameters: Parameters) -> Table:
    """Sizes drawn in turn from one stream, then ``parameters.sizes``, each from a stream of its own."""
    shared, own = shared_stream_case(), spread_case(parameters)
    rows: list[Row] = [
        ("shared", shared.pairs, d, math.sqrt(d), *spreads)
        for d, spreads in zip(shared.sizes, side_by_side(shared.raw_std, shared.scaled_std), strict=True)
    ]
    rows += [
        ("own", parameters.pairs, d, *spreads)
        for d, spreads in zip(own.sizes, side_by_side(own.law, own.raw_std, own.scaled_std), strict=True)
    ]
    return Table(
        title=TITLE,
        columns=COLUMNS,
        rows=tuple(rows),
        note=f"Shared: all sizes in turn from one default_rng(0), all queries of a size and then its keys. Own: "
        f"score_std(d, {parameters.pairs}, {parameters.seed}) and scaled_score_std of the same, which start "
        f"default_rng({parameters.seed}) afresh at each size. Films and figures show the second.",
    )
