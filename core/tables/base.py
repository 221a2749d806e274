"""What a table is: columns, raw values, and how they are written."""

import csv
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.numerals import MINUS, fixed, significant, whole

if TYPE_CHECKING:  # so that the list of tables can be had without NumPy
    from core.arrays import FloatArray

__all__ = ["Column", "Row", "Table", "Value", "brief", "decimals", "side_by_side", "vector"]

Value = str | int | float | None
Row = tuple[Value, ...]

_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def decimals(digits: int) -> Callable[[float], str]:
    """A format: numbers with so many decimals."""
    return lambda value: fixed(value, digits)


def brief(digits: int) -> Callable[[float], str]:
    """A format: numbers with so many significant digits, in powers of ten where they are very small or very large.

    With 3 digits 0.2227 is "0.223" and 8.868e-07 is "8.87 × 10⁻⁷".
    """

    def write(value: float) -> str:
        if value == 0 or 1e-4 <= abs(value) < 1e6:
            return significant(value, digits)
        mantissa, _, exponent = f"{value:.{digits - 1}e}".partition("e")
        return f"{fixed(float(mantissa), digits - 1)} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"

    return write


def vector(values: Iterable[float]) -> str:
    """A vector as it is written in text, each entry with the digits it needs: "(1, −1, 0.5)"."""
    return f"({', '.join(f'{value:.15g}'.replace('-', MINUS) for value in values)})"


def side_by_side(*columns: "FloatArray") -> list[tuple[float, ...]]:
    """Arrays of one length as the columns of rows of plain floats."""
    return list(zip(*(column.tolist() for column in columns), strict=True))


@dataclass(frozen=True)
class Column:
    """One column: the ``key`` it has in JSON and CSV, and the heading that people read.

    ``unit`` is a unit or note to stand under the heading, or "". ``write`` turns a number of the column into text.
    """

    key: str
    name: str
    unit: str = ""
    write: Callable[[float], str] = whole


@dataclass(frozen=True)
class Table:
    """Raw values at full precision, in rows as long as there are columns; None where there is nothing to say.

    ``note`` says where the numbers come from.

    Raises
    ------
    ValueError
        A row has more or fewer values than there are columns, or two columns have one key.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str

    def __post_init__(self) -> None:
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"each of rows must have {len(self.columns)} values, one a column, not {row}")
        if len(set(self.keys)) < len(self.columns):
            raise ValueError(f"columns must have different keys, not {', '.join(self.keys)}")

    @property
    def keys(self) -> tuple[str, ...]:
        """What the columns are called in JSON and CSV."""
        return tuple(column.key for column in self.columns)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers, to be set flush right."""
        return tuple(not any(isinstance(row[place], str) for row in self.rows) for place in range(len(self.columns)))

    def cells(self) -> tuple[tuple[str, ...], ...]:
        """Every row as people read it."""
        return tuple(
            tuple(_cell(value, column) for value, column in zip(row, self.columns, strict=True)) for row in self.rows
        )

    def records(self) -> list[dict[str, Value]]:
        """Every row by key, raw."""
        return [dict(zip(self.keys, row, strict=True)) for row in self.rows]

    def as_dict(self) -> dict[str, object]:
        """All of it, for JSON."""
        return {
            "title": self.title,
            "columns": [{"key": column.key, "name": column.name, "unit": column.unit} for column in self.columns],
            "rows": self.records(),
            "note": self.note,
        }

    def as_csv(self) -> str:
        """The keys in one line, then the raw rows; nothing between two commas where there is no value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.keys)
        writer.writerows(self.rows)
        return text.getvalue()


def _cell(value: Value, column: Column) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else column.write(value)
