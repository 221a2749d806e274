"""Head sizes of well-known models and what their scores are divided by."""

from core.cases import heads_case
from core.numerals import whole
from core.parameters import Parameters
from core.tables.base import Column, Table, decimals

TITLE = "The d that counts is one head's"
USES = ()

COLUMNS = (
    Column("model", "model"),
    Column("width", "width", "numbers a position", whole),
    Column("heads", "heads", write=whole),
    Column("d_k", "d_k", "width ÷ heads", whole),
    Column("divisor", "divisor", "√d_k", decimals(1)),
)


def table(parameters: Parameters) -> Table:
    """One row a model; ``parameters`` change nothing."""
    return Table(
        title=TITLE,
        columns=COLUMNS,
        rows=tuple((head.name, head.width, head.heads, head.d_k, head.divisor) for head in heads_case().rows),
        note="Widths and heads as their authors published them: Vaswani et al. (2017), Radford et al. (2019), "
        "Touvron et al. (2023).",
    )
