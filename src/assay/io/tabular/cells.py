"""The raw cells of a CSV or TSV file, for formats that interpret columns themselves."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from assay.errors import DataError, did_you_mean
from assay.io.atomic import replacing
from assay.io.tabular.separated import numbered_rows, row_writer, unique_header
from assay.records.columns import decided, numbers_of
from assay.text.strings import Strings

LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class Cells:
    """The columns of a file, and the line number of each row."""

    source: str
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]

    @classmethod
    def of(cls, source: str, columns: Mapping[str, Sequence[str]]) -> Cells:
        """Build the result of reading `columns` from a file, line numbers included."""
        heights = [1 + sum(len(LINE_END.findall(cell)) for cell in row) for row in zip(*columns.values(), strict=True)]
        return cls(source, columns, [2 + before for before in accumulate(heights, initial=0)][:-1])

    def __len__(self) -> int:
        return len(self.lines)

    def column(self, name: str, needed_by: str) -> Sequence[str]:
        """Return a required column."""
        if name not in self.columns:
            raise DataError(
                f"{self.source} line 1: no column {name!r}, which {needed_by} needs.{did_you_mean(name, self.columns)}"
            )
        return self.columns[name]

    def values(self, name: str) -> list[float | str]:
        """A column that the format defines as numeric: numbers (a gap is NaN) if all its cells are, else texts."""
        numbers = numbers_of(Strings.of(self.columns[name]))
        return list(self.columns[name]) if numbers is None else numbers.tolist()

    def kept(self, name: str) -> list[float | str]:
        """A column the format does not define: numbers if they would be written back identically, else texts."""
        values = decided(Strings.of(self.columns[name]))
        return list(values) if isinstance(values, Strings) else values.tolist()


def read_cells(path: Path, *, short_rows: bool = False) -> Cells:
    """Read all cells. With `short_rows`, rows may omit trailing empty cells."""
    problems: list[str] = []
    header: list[str] = []
    rows: list[list[str]] = []
    lines: list[int] = []
    for line, cells in numbered_rows(path, lambda line, text: problems.append(f"{path.name} line {line}: {text}")):
        if not header:
            header = unique_header(path, cells)
        elif len(cells) > len(header) or (len(cells) < len(header) and not short_rows):
            problems.append(f"{path.name} line {line}: {len(cells)} cells, and the header has {len(header)}.")
        else:
            rows.append(cells + [""] * (len(header) - len(cells)))
            lines.append(line)
    if problems:
        raise DataError(problems)
    if not rows:
        raise DataError(f"{path}: no rows below the header. Give a file with at least one.")
    return Cells(path.name, {name: [row[i] for row in rows] for i, name in enumerate(header)}, lines)


def write_cells(cells: Cells, path: Path) -> None:
    """Write a header and the rows; the file appears whole or not at all."""
    with replacing(path) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
        writer = row_writer(file, path.suffix.lower())
        writer.writerow(cells.columns)
        writer.writerows(zip(*cells.columns.values(), strict=True))
