"""The lesson's numbers as tables: one module a table, each with a TITLE, the fields of Parameters it USES, and `table`.

Importing the package loads no NumPy; the modules are found by their names (see `load`).
"""

from importlib import import_module
from typing import Protocol, cast

from core.parameters import Parameters
from core.tables.base import Column, Table

__all__ = ["ORDER", "Column", "Table", "TableModule", "load"]

# Of the lesson; a table is called by its module's name with dashes.
ORDER = (
    "best-key",
    "spread",
    "variance",
    "saturation",
    "collapse",
    "divisors",
    "worked-example",
    "attention",
    "heads",
)


class TableModule(Protocol):
    """What each of the modules has."""

    TITLE: str
    USES: tuple[str, ...]

    def table(self, parameters: Parameters) -> Table:
        """The table, computed for ``parameters``."""


def load(name: str) -> TableModule:
    """The module of the table called ``name``.

    Raises
    ------
    ValueError
        There is no such table.
    """
    if name not in ORDER:
        raise ValueError(f"name must be one of {', '.join(ORDER)}, not {name!r}")
    return cast(TableModule, import_module(f"{__name__}.{name.replace('-', '_')}"))
