"""The page of docs that shows every reproduced number: `python -m assay.reproduce.page > docs/reproduction.md`."""

from __future__ import annotations

from collections.abc import Sequence

from assay.io.cache import ScoreCache
from assay.part.markup import markdown_rows
from assay.reproduce.cells import Cell, reproduce, summary
from assay.reproduce.judges import PAPER
from assay.reproduce.judges_page import judges_tables

HEAD = """# Published numbers, measured again

`assay reproduce all --neural` recomputes the numbers of five papers for which public data exists and prints them next
to the published ones. This page is its output. A number matches only if it equals the published one at the printed
precision. Where it does not, the difference is shown with a note, which says whether the cause was **measured** (it
was tried, and gives the published number or explains it) or is a **guess**.

```console no-run
$ assay reproduce all --neural
$ assay reproduce neighbors --json
```
"""
HEADER = ("table", "row", "column", "published", "measured", "as printed", "cause", "note")
UNPRINTED = """## Measured, published value not available

The data also yields these cells of the papers' tables. Their published values were not available when this page was
made, so they are not counted above; add them to `assay.reproduce` once they are. A star marks p <= .05.
"""


def page(cells: Sequence[Cell]) -> str:
    """Render the page as Markdown."""
    published = [cell for cell in cells if cell.printed]
    parts = [HEAD, f"{summary(cells)}\n"]
    for paper in dict.fromkeys(cell.paper for cell in published):
        rows = [_row(cell) for cell in published if cell.paper == paper]
        parts += [f"## {paper}\n", markdown_rows(HEADER, rows), ""]
    unprinted = [c for c in cells if not c.printed]
    if unprinted:
        parts.append(UNPRINTED)
    for paper in dict.fromkeys(cell.paper for cell in unprinted):
        if paper == PAPER:
            parts += [f"### {paper}\n", *judges_tables([c for c in unprinted if c.paper == paper])]
            continue
        own = [
            [c.table, c.row, c.column, f"{c.measured:.4f}", c.interval, c.note] for c in unprinted if c.paper == paper
        ]
        header = ("table", "row", "column", "measured", "95% interval", "note")
        parts += [f"### {paper}\n", markdown_rows(header, own), ""]
    return "\n".join(parts)


def _row(cell: Cell) -> list[str]:
    agreement = "yes" if cell.equal else f"no, by {cell.distance:.2g}"
    cause = "" if cell.equal else cell.cause
    return [cell.table, cell.row, cell.column, cell.printed, f"{cell.measured:.4f}", agreement, cause, cell.note]


if __name__ == "__main__":
    print(page(reproduce(["all"], neural=True, cache=ScoreCache())), end="")
