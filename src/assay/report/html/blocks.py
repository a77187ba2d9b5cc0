"""Paragraphs and tables of the page."""

from __future__ import annotations

from html import escape

from assay.report.pieces import Cell, Table

# A longer table is cut, and says so: the whole of it is a file beside the page.
MOST_ROWS = 500
# From this length on a table can be searched.
SEARCHABLE = 6


def paragraph(text: str) -> str:
    """Write paragraphs; an empty line parts them."""
    return "".join(f"<p>{escape(part)}</p>" for part in text.split("\n\n") if part)


def html_table(table: Table) -> str:
    """Write a table that can be sorted by a click on its header, and searched where it is long."""
    rows = table.rows[:MOST_ROWS]
    numeric = [
        all(not isinstance(row[column], str) for row in table.rows) and bool(table.rows)
        for column in range(len(table.header))
    ]
    head = "".join(
        f'<th scope="col"{" class=number" if number else ""}><button type="button">{escape(name)}</button></th>'
        for name, number in zip(table.header, numeric, strict=True)
    )
    body = "".join(
        f"<tr>{''.join(_cell(cell, number) for cell, number in zip(row, numeric, strict=True))}</tr>" for row in rows
    )
    cut = len(table.rows) - len(rows)
    notes = [table.note] if table.note else []
    if cut:
        notes.append(f"{len(rows)} of {len(table.rows)} rows are shown; tables/{table.name}.csv has all.")
    search = (
        f'<input type="search" placeholder="Search" aria-label="Search {escape(table.title)}">'
        if len(rows) >= SEARCHABLE
        else ""
    )
    note = f'<p class="note">{escape(" ".join(notes))}</p>' if notes else ""
    return (
        f'<div class="table" id="table-{escape(table.name)}"><h3>{escape(table.title)}</h3>{search}'
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{note}</div>'
    )


def shown(cell: Cell) -> str:
    """Write a cell as people read it: four decimals, a dash for a gap."""
    if cell is None or cell != cell:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.4f}" if abs(cell) >= 1e-4 or cell == 0 else f"{cell:.1e}"
    return str(cell)


def _cell(cell: Cell, number: bool) -> str:
    if number:
        value = "" if cell is None or cell != cell else repr(cell)
        return f'<td class="number" data-value="{value}">{escape(shown(cell))}</td>'
    return f"<td>{escape(shown(cell))}</td>"
