"""Three divisors compared over many draws: none, √d and d."""

from core.cases import divisors_case
from core.numerals import fixed, whole
from core.parameters import Parameters
from core.tables.base import Column, Row, Table, brief, decimals

TITLE = "Largest weight, its slope and the entropy, by divisor"
USES = ("sizes", "n_keys", "seed")

COLUMNS = (
    Column("d", "d", write=whole),
    Column("divisor", "divided by"),
    Column("max_weight_median", "largest weight", "median", decimals(3)),
    Column("max_weight_mean", "largest weight", "mean", decimals(3)),
    Column("slope_median", "its slope", "median", brief(2)),
    Column("slope_mean", "its slope", "mean", brief(2)),
    Column("entropy_median", "entropy", "median, nats", decimals(3)),
    Column("entropy_mean", "entropy", "mean, nats", decimals(3)),
)


def table(parameters: Parameters) -> Table:
    """At each of ``parameters.sizes`` one row for raw scores, one for ÷√d and one for ÷d."""
    case = divisors_case(parameters)
    rows: list[Row] = []
    for i, d in enumerate(case.sizes):
        for divisor, statistics in (("1", case.raw), ("√d", case.scaled), ("d", case.over_scaled)):
            numbers = (float(getattr(statistics, column.key)[i]) for column in COLUMNS[2:])
            rows.append((d, divisor, *numbers))
    return Table(
        title=TITLE,
        columns=COLUMNS,
        rows=tuple(rows),
        note=f"One query against {case.n_keys} keys, drawn {whole(case.draws)} times a size from "
        f"default_rng({parameters.seed}). Equal weights would be 1/{case.n_keys}, of entropy log {case.n_keys} = "
        f"{fixed(case.uniform_entropy, 3)}. Near ties keep a mean slope up where the median has fallen.",
    )
