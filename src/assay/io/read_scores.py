"""Reading tables of scores: what `assay score -o` wrote, or a user's own `system,item,<evaluators...>`."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io.arrow import arrow
from assay.io.paths import is_file
from assay.scores import UNITS, Column, ScoreTable
from assay.text.strings import Strings

ENDINGS = (".csv", ".tsv", ".parquet")
GAPS = frozenset({"", "na", "n/a", "nan", "null", "none", "-"})
NAMES = ("unit", "item", "system")


def is_score_table(path: str | Path) -> bool:
    """Whether a file is a table without texts, so that its numbers are scores and not outputs to be scored."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS or not is_file(path):
        return False
    return "text" not in _header(path)


def read_scores(path: str | Path) -> ScoreTable:
    """Read a table of scores, a line per unit.

    `unit`, `item` and `system` name things; every other column of numbers is an evaluator's, and a column of texts is
    left out with a note. An empty cell, NA, nan or null is a gap. Without a column `unit` a (system, item) may stand
    only once.
    """
    path = Path(path)
    header, columns, lines = _cells(path)
    names = {name: columns[header.index(name)] if name in header else [""] * len(lines) for name in NAMES}
    _check_units(path, names, lines, "unit" in header)
    scores: dict[str, Column] = {}
    notes, problems = [], []
    for name, cells in zip(header, columns, strict=True):
        if name in NAMES:
            continue
        values, wrong = _numbers(cells)
        if wrong and len(wrong) * 2 > sum(cell.strip().lower() not in GAPS for cell in cells):
            notes.append(f"the column {name!r} holds texts and is left out")
            continue
        problems += [
            f"{path.name} line {lines[row]}: {cells[row]!r} in the column {name!r} is not a finite number. "
            "Write a number, or leave the cell empty for a gap."
            for row in wrong
        ]
        scores[name] = Column.of(name, values.tolist())
    if problems:
        raise DataError(problems)
    if not scores:
        raise DataError(f"{path.name}: no column of numbers. Give system,item and a column of scores per evaluator.")
    unit = names["unit"] if "unit" in header else _made_ids(names, lines)
    texts = {name: Strings.of(names[name]) for name in ("item", "system")}
    return ScoreTable("output", Strings.of(unit), texts["item"], texts["system"], scores, notes=tuple(notes))


def with_unit(table: ScoreTable, kind: str) -> ScoreTable:
    """The same scores, said to be about units of another kind; a table on disk does not say it."""
    if kind not in UNITS:
        raise DataError(f"no unit {kind!r}. Known: {', '.join(UNITS)}.")
    return ScoreTable(kind, table.unit, table.item, table.system, table.columns, table.seed, table.notes)


def _check_units(path: Path, names: dict[str, list[str]], lines: Sequence[int], has_units: bool) -> None:
    """A unit may stand once; so may a (system, item) where there are no unit ids and both are named."""
    if has_units:
        keys: list[tuple[str, ...]] = [(unit,) for unit in names["unit"]]
        what, remedy = "the unit {}", "Give each line its own id."
    elif any(names["system"]) and any(names["item"]):
        keys = list(zip(names["system"], names["item"], strict=True))
        what, remedy = "system {}, item {}", "Keep one of the lines, or add a column `unit` with an id for each."
    else:
        return
    first: dict[tuple[str, ...], int] = {}
    problems = []
    for key, line in zip(keys, lines, strict=True):
        if key in first:
            shown = what.format(*map(repr, key))
            problems.append(f"{path.name} line {line}: {shown} stands already on line {first[key]}. {remedy}")
        first.setdefault(key, line)
    if problems:
        raise DataError(problems)


def _made_ids(names: dict[str, list[str]], lines: Sequence[int]) -> list[str]:
    if any(names["system"]) and any(names["item"]):
        return [f"{system}/{item}" for system, item in zip(names["system"], names["item"], strict=True)]
    return [str(line) for line in lines]


def _numbers(cells: Sequence[str]) -> tuple[NDArray[np.float64], list[int]]:
    """The cells as numbers, NaN for a gap, and the rows of those that are neither."""
    try:
        values = np.array(list(map(float, cells)), np.float64)
    except ValueError:
        values = np.array([_number(cell) for cell in cells], np.float64)
    return np.where(np.isinf(values), np.nan, values), np.flatnonzero(np.isinf(values)).tolist()


def _number(cell: str) -> float:
    """A number, NaN for a gap; what is neither becomes infinite, which no score is."""
    if cell.strip().lower() in GAPS:
        return float("nan")
    try:
        return float(cell)
    except ValueError:
        return float("inf")


def _header(path: Path) -> list[str]:
    if path.suffix.lower() == ".parquet":
        arrow()
        import pyarrow.parquet as pq

        return [str(name) for name in pq.read_schema(path).names]
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        return next(csv.reader(file, delimiter=_delimiter(path)), [])


def _cells(path: Path) -> tuple[list[str], list[list[str]], list[int]]:
    """The header, the cells of each column as texts, and the line of each row."""
    if path.suffix.lower() == ".parquet":
        arrow()
        import pyarrow.parquet as pq

        table = pq.read_table(path)
        columns = [["" if cell is None else str(cell) for cell in column.to_pylist()] for column in table.columns]
        return list(table.column_names), columns, list(range(1, table.num_rows + 1))
    return _separated(path)


def _separated(path: Path) -> tuple[list[str], list[list[str]], list[int]]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise DataError(f"{path}: no such file. Check the name and the folder.") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check its permissions.") from None
    except UnicodeDecodeError:
        raise DataError(f"{path.name}: not UTF-8. Save the file as UTF-8.") from None
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(path), strict=True)
    rows, lines, problems = [], [], []
    try:
        header = next(reader, [])
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                problems.append(
                    f"{path.name} line {reader.line_num}: {len(cells)} cells, and the header has {len(header)}. "
                    "Quote cells that hold separators."
                )
            rows.append(cells)
            lines.append(reader.line_num)
    except csv.Error as error:
        problems.append(
            f"{path.name} line {reader.line_num}: not readable as CSV ({error}). Check its quotation marks."
        )
        header = []
    repeated = sorted({name for name in header if header.count(name) > 1})
    problems += [f"{path.name} line 1: the column {name!r} stands twice. Rename one." for name in repeated]
    if problems:
        raise DataError(problems)
    if not rows:
        raise DataError(f"{path.name}: no scores. Give a header line, then a line per unit.")
    return header, [list(column) for column in zip(*rows, strict=True)], lines


def _delimiter(path: Path) -> str:
    return "\t" if path.suffix.lower() == ".tsv" else ","
