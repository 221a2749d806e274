"""Numbers as text: tables and claims, for people and for programs."""

from __future__ import annotations

import json
import math
import sys
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import click
from click.formatting import wrap_text

from progress import is_lively

if TYPE_CHECKING:
    from core.claims import Outcome
    from core.tables import Table

WIDTH = 100  # characters in a line of text
INDENT = 14  # characters before a claim's statement


def print_table(table: Table) -> None:
    """A table as people read it: with lines and bold headings at a terminal, the same words aligned elsewhere."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Grid
    from rich.text import Text

    lively = is_lively(sys.stdout)
    grid = Grid(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold" if lively else "")
    for column, numeric in zip(table.columns, table.numeric, strict=True):
        heading = f"{column.name}\n{column.unit}" if column.unit else column.name
        grid.add_column(Text(heading), justify="right" if numeric else "left", overflow="fold")
    for row in table.cells():
        grid.add_row(*map(Text, row))
    # As wide as it needs to be, unless a person's window is narrower.
    console = Console(width=None if lively else 10_000, color_system="auto" if lively else None)
    with console.capture() as capture:
        console.print(grid)
    click.echo(click.style(table.title, bold=True) if lively else table.title)
    click.echo("\n".join(line.rstrip() for line in capture.get().splitlines()))
    click.echo(wrap_text(table.note, WIDTH))


def print_outcome(outcome: Outcome) -> None:
    """A claim, and its numbers under each other: as stated, as computed."""
    claim, verdict = outcome.claim, "ok" if outcome.holds else "DIFFERS"
    click.echo(wrap_text(claim.statement, WIDTH, f"{verdict:<9}{claim.id:<5}", " " * INDENT))
    pairs = [_flush(*pair) for pair in zip(outcome.stated, outcome.computed, strict=True)]
    while pairs:
        taken = list(accumulate(len(stated) + 2 for stated, _ in pairs))
        fitting = max(sum(width <= WIDTH - INDENT - 8 for width in taken), 1)
        for heading, texts in zip(("stated", "computed"), zip(*pairs[:fitting], strict=True), strict=True):
            click.echo(f"{'':{INDENT}}{heading:<8}  {'  '.join(texts)}")
        pairs = pairs[fitting:]


def _flush(*texts: str) -> tuple[str, ...]:
    """Texts flush right, as wide as the widest."""
    return tuple(text.rjust(max(map(len, texts))) for text in texts)


def outcome_record(outcome: Outcome) -> dict[str, Any]:
    """A claim and what became of it, for JSON."""
    claim = outcome.claim
    return {
        "id": claim.id,
        "lesson": claim.lesson,
        "statement": claim.statement,
        "stated": claim.stated,
        "computed": outcome.computed,
        "values": [value if math.isfinite(value) else None for value in outcome.values],  # JSON knows no infinity
        "holds": outcome.holds,
    }


def as_json(content: Any) -> str:
    """``content`` as JSON that people can read too."""
    return json.dumps(content, ensure_ascii=False, indent=2)
