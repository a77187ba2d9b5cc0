"""Tables as HTML: sortable, searchable if long, in a box that scrolls."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from assay.part.model import Bounded, Cell, Table
from assay.part.numbers import is_numeric, written_column
from assay.part.words import is_call, sentence

# Longer tables are truncated; the file beside the page has all rows.
MOST_ROWS = 500
# Minimum rows of a searchable table.
SEARCHABLE = 10
# Longer texts may wrap.
SHORT = 32
# Rows printed on paper; keep in step with style.css.
MOST_PRINTED = 40


def html_table(table: Table) -> str:
    """Render a table with its title, search box, row count and note."""
    rows = table.rows[:MOST_ROWS]
    columns = list(zip(*rows, strict=True)) if rows else [()] * len(table.header)
    written = [_column(name, cells) for name, cells in zip(table.header, columns, strict=True)]
    head = "".join(header for header, _ in written)
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in zip(*(cells for _, cells in written), strict=True))
    return (
        f'<div class="table" id="table-{escape(table.name)}"><h3>{sentence(table.title)}</h3>{_tools(table, len(rows))}'
        f'<div class="box" tabindex="0" role="region" aria-label="{escape(table.title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{_notes(table)}</div>"
    )


def _column(name: str, cells: Sequence[Cell]) -> tuple[str, list[str]]:
    """Render the header and cells of a column, with the raw numbers for sorting."""
    button = f'<button type="button">{sentence(name)}</button>'
    texts = written_column(name, cells)
    if not is_numeric(cells):
        look = ' class="long"' if any(len(text) > SHORT for text in texts) else ""
        return f'<th scope="col">{button}</th>', [f"<td{look}>{_words(text)}</td>" for text in texts]
    return f'<th scope="col" class="number">{button}</th>', [
        f'<td class="number" data-value="{_bare(cell)}">{escape(text)}</td>'
        for cell, text in zip(cells, texts, strict=True)
    ]


def _bare(cell: Cell) -> str:
    value = cell.value if isinstance(cell, Bounded) else cell
    return "" if value is None or value != value else repr(value)


def _words(text: str) -> str:
    """Escape a text; a call is set as code."""
    return sentence(text) if is_call(text) else escape(text)


def _tools(table: Table, n_shown: int) -> str:
    """Render the search box, which a script unhides, and the row count."""
    n = len(table.rows)
    ranks = _rank_by(table)
    if n < SEARCHABLE:
        return f'<div class="tools">{ranks}</div>' if ranks else ""
    count = f"{n} rows" if n_shown == n else f"{n_shown} of {n} rows are shown; tables/{table.name}.csv has all."
    search = f'<input type="search" placeholder="Search" aria-label="Search {escape(table.title)}" hidden>'
    return f'<div class="tools">{ranks}{search}<span class="count" role="status">{escape(count)}</span></div>'


def _rank_by(table: Table) -> str:
    """Render the choice of the column that ranks a leaderboard, which a script unhides."""
    options = "".join(
        f'<option value="{at}" data-better="{better}">{escape(table.header[at])}</option>'
        for at, better in enumerate(table.better)
        if better
    )
    return f'<label class="rank-by" hidden>Rank by <select>{options}</select></label>' if options else ""


def _notes(table: Table) -> str:
    note = f'<p class="note">{sentence(table.note)}</p>' if table.note else ""
    if len(table.rows) <= MOST_PRINTED:
        return note
    printed = f"At most {MOST_PRINTED} of {len(table.rows)} rows are printed; tables/{table.name}.csv has all."
    return f'{note}<p class="note on-paper">{escape(printed)}</p>'
