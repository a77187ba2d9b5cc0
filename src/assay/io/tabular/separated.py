"""CSV and TSV with a header line. Lists and objects are JSON; an empty cell is a gap."""

from __future__ import annotations

import csv
import sys
from collections.abc import Collection, Iterable, Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from assay.errors import DataError
from assay.io.tabular.kinds import Chunk, Kinds, Problem, decode_all, encode, kind_of
from assay.records.columns import RawCells

CHUNK = 20_000
MOST_OF_HEADER = 1 << 20
NOT_UTF_8 = "not UTF-8. Save the file as UTF-8; spreadsheets call that CSV UTF-8."


def read(path: Path, problem: Problem, known: Collection[str]) -> Iterator[Chunk]:
    """Read rows in chunks."""
    rows: list[list[str]] = []
    lines: list[int] = []
    header: list[str] = []
    for line, cells in numbered_rows(path, problem):
        if not header:
            header = unique_header(path, cells)
        elif len(cells) != len(header):
            problem(line, f"{len(cells)} cells, and the header has {len(header)}. Quote cells that contain separators.")
        else:
            rows.append(cells)
            lines.append(line)
        if len(rows) == CHUNK:
            yield _chunk(header, rows, lines, problem, known)
            rows, lines = [], []
    yield _chunk(header, rows, lines, problem, known)


def write(path: Path, rows: Iterable[Mapping[str, Any]], kinds: Kinds, ending: str) -> None:
    """Write a header and a line per row."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = row_writer(file, ending)
        writer.writerow(kinds)
        for row in rows:
            writer.writerow([encode(row.get(name), kind) for name, kind in kinds.items()])


class _UnixLines:
    """Ends rows with a line feed. csv quotes only the characters of its own line terminator, so that is CRLF."""

    def __init__(self, file: TextIO) -> None:
        self._file = file

    def write(self, row: str) -> int:
        return self._file.write(row.removesuffix("\r\n") + "\n")


def row_writer(file: TextIO, ending: str) -> Any:
    """A CSV writer that quotes every cell that needs it."""
    return csv.writer(_UnixLines(file), delimiter=delimiter(ending), lineterminator="\r\n")


def numbered_rows(path: Path, problem: Problem) -> Iterator[tuple[int, list[str]]]:
    """The rows of a file with their line numbers; blank lines are skipped."""
    csv.field_size_limit(sys.maxsize if sys.maxsize < 2**31 else 2**31 - 1)
    with open(path, "rb") as binary:
        text = TextIOWrapper(binary, encoding="utf-8-sig", newline="", errors="surrogateescape")
        reader = csv.reader(text, delimiter=_delimiter_of(path), strict=True)
        line = 1
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                problem(line, f"not readable as CSV ({error}). Check its quotation marks.")
                return
            if any("\udc80" <= character <= "\udcff" for cell in cells for character in cell):
                problem(line, NOT_UTF_8)
                return  # so is the rest, likely
            if cells:
                yield line, cells
            line = reader.line_num + 1


def delimiter(ending: str) -> str:
    """The cell separator."""
    return "\t" if ending == ".tsv" else ","


def has_decimal_commas(path: Path) -> bool:
    """Whether numbers may have decimal commas: spreadsheets that write them separate cells by semicolons."""
    return path.suffix.lower() == ".csv" and _delimiter_of(path) == ";"


def _delimiter_of(path: Path) -> str:
    """The separator of a file: in a `.csv` whose header has no comma, what other programs write there."""
    usual = delimiter(path.suffix.lower())
    if usual != ",":
        return usual
    with open(path, "rb") as file:
        header = file.readline(MOST_OF_HEADER)
    return next((other for other in ("\t", ";") if b"," not in header and other.encode() in header), usual)


def unique_header(path: Path, cells: list[str]) -> list[str]:
    """Check that column names are unique."""
    repeated = {name for name in cells if cells.count(name) > 1}
    if repeated:
        raise DataError(f"{path.name} line 1: the column {sorted(repeated)[0]!r} appears twice. Rename one.")
    return cells


def _chunk(
    header: list[str], rows: list[list[str]], lines: list[int], problem: Problem, known: Collection[str]
) -> Chunk:
    columns: dict[str, Any] = {}
    for position, name in enumerate(header):
        cells = [row[position] for row in rows]
        kind = kind_of(name, known)
        if kind == "mixed":
            columns[name] = RawCells.of(cells)
        elif kind == "text":
            # Only `text` itself may be empty; elsewhere an empty name or context is a gap.
            columns[name] = cells if name == "text" else [cell or None for cell in cells]
        else:
            columns[name] = decode_all(cells, name, kind, lines, problem)
    return Chunk(columns, np.array(lines, np.int64))
