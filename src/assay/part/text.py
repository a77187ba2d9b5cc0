"""Tables as aligned plain text."""

from __future__ import annotations

from collections.abc import Sequence

from assay.part.model import Cell, Table
from assay.part.numbers import is_numeric, written_column
from assay.part.visible import visible_line

GAP = "-"
MOST_ROWS = 40
"""Longer tables are truncated on screen."""


def text_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Align columns: numbers right, texts left; a gap is a dash."""
    columns, right = written_columns(header, rows)
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for at in range(-1, len(rows) + 1):
        # Row -1 is the header, row 0 the rule below it.
        line = ["-" * width for width in widths] if at == 0 else [column[max(at, 0)] for column in columns]
        cells = zip(line, widths, right, strict=True)
        lines.append("  ".join(text.rjust(width) if is_right else text.ljust(width) for text, width, is_right in cells))
    return "\n".join(line.rstrip() for line in lines)


def titled_text_table(table: Table) -> str:
    """A table under its title, with its note."""
    blocks = [visible_line(table.title), text_table(table.header, table.rows[:MOST_ROWS]), *notes_below(table)]
    return "\n\n".join(filter(None, blocks))


def notes_below(table: Table) -> list[str]:
    """The note of a table, and the row count of a truncated one."""
    n = len(table.rows)
    cut = f"{MOST_ROWS} of {n:,} rows are shown; JSON has all." if n > MOST_ROWS else ""
    return [visible_line(table.note), cut]


def written_columns(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> tuple[list[list[str]], list[bool]]:
    """The columns as escaped texts, header first, and whether each is numeric."""
    cells = [[row[at] for row in rows] for at in range(len(header))]
    columns = [
        [visible_line(text) for text in (name, *written_column(name, column, GAP))]
        for name, column in zip(header, cells, strict=True)
    ]
    return columns, list(map(is_numeric, cells))
