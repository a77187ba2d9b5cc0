"""Rows as an aligned text table."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan

from assay.report.visible import visible_line

Cell = str | float | int


def text_table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> str:
    """Align columns: numbers to the right with four decimals, texts to the left; a gap is a dash."""
    header = [visible_line(name) for name in header]
    written = [[shown(cell) for cell in row] for row in rows]
    numeric = [all(not isinstance(row[column], str) for row in rows) and bool(rows) for column in range(len(header))]
    widths = [max(map(len, column)) for column in zip(header, *written, strict=True)]
    lines = []
    for line in [list(header), ["-" * width for width in widths], *written]:
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, numeric, strict=True)
        ]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def shown(cell: Cell) -> str:
    """Write one cell, on one line."""
    if isinstance(cell, str):
        return visible_line(cell)
    if isinstance(cell, int):
        return str(cell)
    return "-" if isnan(cell) else f"{cell:.4f}"
