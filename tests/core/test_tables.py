"""The tables hold the cases' numbers, raw and written, and say what they depend on."""

import csv
import io
import json
import math
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import numpy as np
import pytest

from core import cases
from core.claims import CLAIMS, check
from core.parameters import Parameters
from core.spread import scaled_score_std, score_std
from core.tables import ORDER, Column, Table, load, variance
from core.tables.base import brief, decimals, side_by_side, vector

ROOT = Path(__file__).resolve().parents[2]
DEFAULTS = Parameters()
EXTREMES = [
    Parameters(d_k=2, sizes=(2, 3), n_keys=2, scores=(0.1, 0), pairs=100),
    Parameters(
        d_k=4096, sizes=(2, 5, 31, 600, 4095, 4096), n_keys=16, scores=(-10, 10, 9.5, 3, -2.25, 0, 1, 7), pairs=100
    ),
    Parameters(d_k=37, scores=(0, -1e-9), pairs=100, seed=2**32 - 1),
]
CHANGES = {"d_k": 100, "sizes": (3, 65), "n_keys": 3, "scores": (0.0, 1.5), "pairs": 333, "seed": 9}


@pytest.fixture(autouse=True)
def quick_variance(monkeypatch):
    """The variance table of a case made by hand: the real one takes seconds, and has tests of its own."""
    case = cases.VarianceCase((4, 1024), 20, np.array([3.98765, 1027.0954]), np.array([0.99691, 1.00302]))
    assert variance.variance_case is cases.variance_case
    monkeypatch.setattr(variance, "variance_case", lambda: case)


def stated(id_: str) -> list[str]:
    """What a claim states, which a test of the claims finds to be true."""
    return list(next(claim for claim in CLAIMS if claim.id == id_).stated)


def texts(table: Table, column: str, /, **where: object) -> list[str]:
    """The written cells of one column, in the rows that hold these raw values."""
    chosen = [i for i, record in enumerate(table.records()) if where.items() <= record.items()]
    return [table.cells()[i][table.keys.index(column)] for i in chosen]


def values(table: Table, column: str, /, **where: object) -> list:
    """The raw values of one column, in the rows that hold these raw values."""
    return [record[column] for record in table.records() if where.items() <= record.items()]


# Finding them


def test_every_module_is_a_table_in_the_order():
    files = {path.stem for path in (ROOT / "core" / "tables").glob("*.py")} - {"__init__", "base"}
    assert sorted(ORDER) == sorted(stem.replace("_", "-") for stem in files)


def test_the_order_is_had_without_numpy():
    program = "import sys, core.tables; print(*core.tables.ORDER); sys.exit('numpy' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.split() == list(ORDER)


@pytest.mark.parametrize("name", ["", "base", "worked_example", "best-keys", "__init__"])
def test_a_table_that_is_not_there_is_refused(name):
    with pytest.raises(ValueError, match=f"name must be one of best-key, .*, heads, not '{name}'"):
        load(name)


# What holds for each


@pytest.mark.parametrize("parameters", [DEFAULTS, *EXTREMES], ids=["defaults", "small", "large", "uneven"])
@pytest.mark.parametrize("name", ORDER)
def test_a_table_is_plain_values_that_can_be_read_back(name, parameters):
    module = load(name)
    table = module.table(parameters)
    assert table.title == module.TITLE
    assert table.note.endswith(".")
    assert table.rows
    for row in table.rows:
        assert {type(value) for value in row} <= {str, int, float, type(None)}
        assert all(math.isfinite(value) for value in row if isinstance(value, float))

    document = json.loads(json.dumps(table.as_dict(), allow_nan=False))
    assert document["title"] == table.title
    assert document["note"] == table.note
    assert [column["key"] for column in document["columns"]] == list(table.keys)
    assert [tuple(record.values()) for record in document["rows"]] == list(table.rows)

    header, *lines = csv.reader(io.StringIO(table.as_csv()))
    assert header == list(table.keys)
    assert lines == [["" if value is None else str(value) for value in row] for row in table.rows]
    assert "\r" not in table.as_csv()


@pytest.mark.parametrize("parameters", [DEFAULTS, *EXTREMES], ids=["defaults", "small", "large", "uneven"])
@pytest.mark.parametrize("name", ORDER)
def test_cells_are_short_texts_and_numbers_align(name, parameters):
    table = load(name).table(parameters)
    for row, cells in zip(table.rows, table.cells(), strict=True):
        assert len(cells) == len(table.columns)
        assert [cell == "" for cell in cells] == [value is None for value in row]
        assert all(len(cell) <= 19 for cell in cells)
        written = [cell for value, cell in zip(row, cells, strict=True) if isinstance(value, int | float)]
        assert not {"-", "e", "n"} & set("".join(written))  # true minus signs, no 1e-09, no nan
    for place, numeric in enumerate(table.numeric):
        assert numeric == all(isinstance(row[place], int | float | None) for row in table.rows)
    assert all(key.isidentifier() and key == key.lower() for key in table.keys)


@pytest.mark.parametrize("field", CHANGES)
@pytest.mark.parametrize("name", ORDER)
def test_a_table_uses_the_parameters_it_says_and_no_others(name, field):
    module, before = load(name), replace(DEFAULTS, pairs=300)
    after = replace(before, **{field: CHANGES[field]})
    assert (module.table(before).rows != module.table(after).rows) == (field in module.USES)


# What is in them


def test_best_key():
    table = load("best-key").table(Parameters(d_k=100, sizes=(4, 64)))
    assert values(table, "d_k") == [4, 64, 100]
    assert values(table, "raw_score") == pytest.approx([2, 8, 10])
    assert values(table, "raw_weight") == pytest.approx([1 / (1 + 3 * math.exp(-math.sqrt(d))) for d in (4, 64, 100)])
    assert values(table, "scaled_weight") == pytest.approx([math.e / (math.e + 3)] * 3)
    raw, scaled = stated("A2")
    assert f"{values(table, 'raw_weight', d_k=64)[0]:.3f}" == raw
    assert texts(table, "scaled_weight") == [scaled] * 3
    assert table.note.startswith("Softmax over 4 keys")


def test_a_size_that_is_asked_for_twice_stands_once():
    assert values(load("best-key").table(DEFAULTS), "d_k") == [4, 16, 64, 256, 1024]


def test_spread():
    parameters = Parameters(sizes=(3, 9), pairs=250, seed=4)
    table = load("spread").table(parameters)
    shared, own = {"stream": "shared"}, {"stream": "own"}
    assert values(table, "d") == [4, 64, 1024, 3, 9]
    assert values(table, "pairs") == [10_000] * 3 + [250] * 2
    assert values(table, "law") == pytest.approx([2, 8, 32, math.sqrt(3), 3])
    measured = np.array([values(table, "raw_std", **shared), values(table, "scaled_std", **shared)]).T.ravel()
    assert [
        f"{value:.{len(text.partition('.')[2])}f}" for value, text in zip(measured, stated("B15"), strict=True)
    ] == (stated("B15"))
    assert values(table, "raw_std", **own) == pytest.approx([score_std(d, 250, 4) for d in (3, 9)], rel=1e-14)
    assert values(table, "scaled_std", **own) == pytest.approx([scaled_score_std(d, 250, 4) for d in (3, 9)], rel=1e-14)
    assert "score_std(d, 250, 4)" in table.note


def test_variance():
    table = load("variance").table(DEFAULTS)
    assert table.cells() == (("4", "3.988", "0.9969"), ("1,024", "1,027.095", "1.0030"))
    assert table.records()[0] == {"d": 4, "raw_variance": 3.98765, "scaled_variance": 0.99691}
    assert table.note.startswith("20 pairs a size")


def test_saturation_of_the_scores():
    table = load("saturation").table(DEFAULTS)
    case = cases.saturation_case(DEFAULTS)
    given, bigger = {"scores": "as given"}, {"scores": "× 8"}
    assert values(table, "key", **given) == ["1", "2", "3", "sum"]
    assert values(table, "score", **given) == [2, 1, 0, None]
    assert values(table, "score", **bigger) == [16, 8, 0, None]
    weights = stated("B5")[:3]
    assert [f"{value:.2f}" for value in values(table, "weight", **given)] == [*weights, "1.00"]
    assert values(table, "exponential", **given) == [*case.exponentials.tolist(), case.total]
    assert texts(table, "weight", **bigger) == [*stated("B6")[3:6], "1.0000"]
    assert texts(table, "exponential", **bigger)[:3] == ["8.8861 × 10⁶", "2,981.0", "1.0000"]
    slopes = [values(table, "slope", key="1", **which)[0] for which in (given, bigger)]
    assert slopes == pytest.approx([case.slope, case.multiplied_slope], rel=1e-14)
    assert f"{stated('B7')[2]} times smaller" in table.note


def test_saturation_of_one_key_ahead():
    table = load("saturation").table(DEFAULTS)
    scaled, raw = {"scores": "one ahead by 1"}, {"scores": "one ahead by 8"}
    assert values(table, "score", **scaled) == [1, 0, 0, None]
    assert values(table, "score", **raw) == [8, 0, 0, None]
    expected = stated("B8")
    shown = [*values(table, "weight", **scaled)[:3], values(table, "slope", **scaled)[0]]
    assert [f"{value:.2f}" for value in shown] == expected[:4]
    shown = [values(table, "weight", **raw)[0], values(table, "slope", **raw)[0]]
    assert [f"{value:.4f}" for value in shown] == expected[4:]


def test_saturation_of_any_scores():
    """The slope of a weight of nearly 1 is the sum of the others times itself, far below what 1 - p can hold."""
    table = load("saturation").table(EXTREMES[1])
    assert values(table, "slope", scores="one ahead by 64", key="1") == pytest.approx([2 * math.exp(-64)], rel=1e-12)
    assert texts(table, "slope", scores="one ahead by 64", key="1") == ["3.21 × 10⁻²⁸"]
    assert texts(table, "exponential", scores="× 64", key="1") == ["1.1260 × 10⁻²⁷⁸"]
    assert "× 64 is × √4,096" in table.note
    rounded = load("saturation").table(Parameters(d_k=1000))
    assert "× 31.6 is about × √1,000" in rounded.note
    assert "× 31.6" in {row[0] for row in rounded.rows}
    assert sum(record["key"] == "sum" for record in table.records()) == 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"scores": (0.1, 0, 0, 0, 0, 0, 0), "d_k": 2}, "the slope of the largest weight 1.03 times larger"),
        ({"scores": (10, -10), "d_k": 4096}, "the slope of the largest weight more than 10³⁰⁰ times smaller"),
        ({"scores": (10, 0), "d_k": 64}, "the slope of the largest weight 2.52 × 10³⁰ times smaller"),
    ],
)
def test_saturation_says_truly_what_multiplying_does(changes, words):
    assert words in load("saturation").table(Parameters(**changes)).note


def test_collapse():
    table = load("collapse").table(DEFAULTS)
    assert texts(table, "raw_score")[:8] == stated("C4")
    assert texts(table, "scaled_score")[:8] == stated("C5")
    assert texts(table, "raw_weight")[:8] + texts(table, "scaled_weight")[:8] == stated("C6")
    largest, entropy, uniform = table.cells()[8:]
    assert [largest[4], entropy[4], largest[5], entropy[5], uniform[5]] == stated("C7")
    assert (largest[0], entropy[0], uniform[0]) == ("largest", "entropy", "log 8")
    case = cases.collapse_case()
    assert values(table, "over_scaled_score")[:8] == pytest.approx(case.scores / 256, rel=1e-14)
    assert values(table, "over_scaled_weight") == [
        *case.over_scaled_weights.tolist(),
        case.over_scaled_max,
        case.over_scaled_entropy,
        case.uniform_entropy,
    ]


def test_divisors():
    parameters = Parameters(sizes=(4, 64, 1024), n_keys=5, seed=3)
    table, case = load("divisors").table(parameters), cases.divisors_case(parameters)
    assert values(table, "d") == [4, 4, 4, 64, 64, 64, 1024, 1024, 1024]
    for divisor, statistics in (("1", case.raw), ("√d", case.scaled), ("d", case.over_scaled)):
        for key in table.keys[2:]:
            assert values(table, key, divisor=divisor) == getattr(statistics, key).tolist()
    assert values(table, "divisor")[:3] == ["1", "√d", "d"]
    assert "5 keys, drawn 4,000 times a size from default_rng(3)" in table.note
    assert "1/5, of entropy log 5 = 1.609" in table.note


def test_divisors_show_both_means_and_medians_of_the_slope():
    table = load("divisors").table(DEFAULTS)
    assert {"slope_median", "slope_mean", "entropy_median", "entropy_mean"} < set(table.keys)
    median, mean = texts(table, "slope_median", divisor="1"), texts(table, "slope_mean", divisor="1")
    assert (median[0], mean[0], mean[-1]) == ("0.23", "0.21", "0.023")
    assert values(table, "slope_median", divisor="1")[-1] < 1e-5
    assert set(texts(table, "slope_median", divisor="√d")) <= {"0.21", "0.22"}


def test_worked_example():
    table = load("worked-example").table(DEFAULTS)
    scores, weights, output = stated("B10")[:6], stated("B10")[6:9], stated("B10")[9:]
    assert texts(table, "score")[:3] + texts(table, "scaled_score")[:3] == scores
    assert [f"{value:.2f}" for value in values(table, "weight")] == weights + output
    assert [f"{value:.2f}" for value in values(table, "raw_weight")[:3]] == stated("B11")
    assert values(table, "raw_weight")[3:] == cases.worked_example_case().raw_output.tolist()
    assert values(table, "key")[:3] == ["(1, 1, 0, 1)", "(0, 1, 1, 0)", "(1, −1, 2, 1)"]
    assert values(table, "value")[:3] == ["(1, 0)", "(0, 1)", "(1, 1)"]
    assert values(table, "row") == ["key 1", "key 2", "key 3", "output 1", "output 2"]
    assert "(1, 2, 0, 1), so scores are divided by √4 = 2" in table.note


def test_attention():
    table = load("attention").table(DEFAULTS)
    assert [cell for row in table.cells() for cell in row[1:7]] == stated("C9")[:36]
    assert texts(table, "sum") == ["1.000"] * 6
    assert values(table, "query") == [1, 2, 3, 4, 5, 6]
    assert [list(row[1:7]) for row in table.rows] == cases.attention_case().weights[0].tolist()


def test_heads():
    table = load("heads").table(DEFAULTS)
    assert [(row[3], row[4]) for row in table.cells()] == [("64", "8.0"), ("64", "8.0"), ("128", "11.3")]
    assert [record["d_k"] * record["heads"] for record in table.records()] == values(table, "width")
    assert values(table, "divisor") == pytest.approx(np.sqrt(values(table, "d_k")))


@pytest.mark.parametrize("id_", ["A2", "B5", "B6", "B7", "B8", "B10", "B11", "B15", "C4", "C5", "C6", "C7", "C9"])
def test_what_the_tables_are_compared_with_is_true(id_):
    assert check(next(claim for claim in CLAIMS if claim.id == id_)).holds


# Tables in general

PLAIN = Table(
    "A title",
    (Column("name", "name"), Column("n", "n"), Column("x", "x", "nats", decimals(2))),
    (("one", 1000, -0.125), ("two, three", None, 1e-9)),
    "A note.",
)


def test_a_table_in_all_its_forms():
    assert PLAIN.cells() == (("one", "1,000", "−0.12"), ("two, three", "", "0.00"))
    assert PLAIN.numeric == (False, True, True)
    assert PLAIN.records() == [{"name": "one", "n": 1000, "x": -0.125}, {"name": "two, three", "n": None, "x": 1e-9}]
    assert PLAIN.as_csv() == 'name,n,x\none,1000,-0.125\n"two, three",,1e-09\n'
    assert PLAIN.as_dict()["columns"][2] == {"key": "x", "name": "x", "unit": "nats"}


def test_a_table_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        PLAIN.rows = ()


def test_a_row_of_another_length_is_refused():
    with pytest.raises(ValueError, match=r"each of rows must have 3 values, one a column, not \('one',\)"):
        replace(PLAIN, rows=(("one",),))


def test_two_columns_of_one_key_are_refused():
    with pytest.raises(ValueError, match="columns must have different keys, not n, n"):
        Table("A title", (Column("n", "one"), Column("n", "other")), ((1, 2),), "A note.")


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [
        (0.0, 3, "0"),
        (0.22269, 3, "0.223"),
        (0.0001, 3, "0.000100"),
        (0.00009996, 3, "1.00 × 10⁻⁴"),
        (8.868e-07, 3, "8.87 × 10⁻⁷"),
        (-8.868e-07, 2, "−8.9 × 10⁻⁷"),
        (999_900.0, 3, "1,000,000"),
        (8_886_110.5, 5, "8.8861 × 10⁶"),
        (1.6e277, 1, "2 × 10²⁷⁷"),
        (-2980.96, 5, "−2,981.0"),
    ],
)
def test_brief(value, digits, text):
    assert brief(digits)(value) == text


def test_vectors_and_columns():
    assert vector((1.0, -1.0, 0.5)) == "(1, −1, 0.5)"
    rows = side_by_side(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    assert rows == [(1.0, 3.0), (2.0, 4.0)]
    assert type(rows[0][0]) is float
    with pytest.raises(ValueError, match="argument 2 is shorter"):
        side_by_side(np.array([1.0, 2.0]), np.array([3.0]))
