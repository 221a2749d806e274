"""Attention weights of six positions."""

from core.cases import attention_case
from core.numerals import whole
from core.parameters import Parameters
from core.tables.base import Column, Table, decimals

TITLE = "Attention weights of six positions"
USES = ()


def table(parameters: Parameters) -> Table:
    """One row a query, with its weight on each key and their sum; ``parameters`` change nothing."""
    case = attention_case()
    weights = case.weights[0]
    n_keys, d_k = case.keys.shape[-2:]
    return Table(
        title=TITLE,
        columns=(
            Column("query", "query", write=whole),
            *(Column(f"key_{i}", f"key {i}", "weight", decimals(3)) for i in range(1, n_keys + 1)),
            Column("sum", "sum", write=decimals(3)),
        ),
        rows=tuple((i, *row.tolist(), float(row.sum())) for i, row in enumerate(weights, start=1)),
        note=f"default_rng(42), d_k = {d_k}: Q, K and V drawn in that order. Scores are divided by √{d_k}.",
    )
