"""Score tables on disk: `unit,item,system,<evaluators>`, a row per unit, and a companion column per evaluator.

CSV, TSV and Parquet have the same columns; JSON is one object. All keep the kind of unit, signatures, directions,
statistics, texts and reasons for gaps (see `assay.io.score_columns`), so that a table round-trips without loss. A table
from elsewhere has no companions: its directions are unknown.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Container, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.io import score_json, score_parquet
from assay.io.atomic import replacing
from assay.io.paths import existing_file, is_file, text_of
from assay.io.score_columns import MARK, TEXT_OF, ColumnHeader, companion_cells, from_companion
from assay.io.tabular.separated import delimiter, row_writer
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings

ENDINGS = (".csv", ".tsv", ".json", ".parquet")
GAPS = frozenset({"", "na", "n/a", "nan", "null", "none", "-"})
NAMES = ("unit", "item", "system")
# Id columns of a foreign table that has none of NAMES.
OTHER_IDS = ("set", "id")

Cells = Sequence[str] | NDArray[np.float64]


def is_score_table(path: str | Path) -> bool:
    """Whether a file is a table without texts: scores, not outputs to be scored."""
    path = Path(path)
    if path.suffix.lower() not in ENDINGS or not is_file(path):
        return False
    if path.suffix.lower() == ".json":
        return score_json.is_scores(path)
    return "text" not in _header(path) or describes_scores(path)


def describes_scores(path: Path) -> bool:
    """Whether a file declares itself a score table, as those written by assay do."""
    if path.suffix.lower() not in ENDINGS or not is_file(path):
        return False
    if path.suffix.lower() == ".json":
        return score_json.is_scores(path)
    return any(name.startswith(MARK) for name in _header(path))


def check_score_path(path: Path) -> None:
    """Reject, before any work is done, a path that scores cannot be written to."""
    if path.suffix.lower() not in ENDINGS:
        known = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"
        raise DataError(f"{path}: scores are written as {known}. Choose one of these endings.")
    if not path.parent.is_dir():
        raise DataError(f"{path.parent}: no such folder. Make it first.")


def save_scores(table: ScoreTable, path: str | Path) -> None:
    """Write a score table in the format of its suffix."""
    path = Path(path)
    check_score_path(path)
    check_names(table)
    ending = path.suffix.lower()
    with replacing(path) as temporary:
        if ending == ".parquet":
            score_parquet.write(table, temporary)
        elif ending == ".json":
            score_json.write(table, temporary)
        else:
            with open(temporary, "w", encoding="utf-8", newline="") as file:
                _write_separated(table, file, ending)


def scores_as_csv(table: ScoreTable) -> str:
    """Format a score table as CSV."""
    check_names(table)
    text = StringIO(newline="")
    _write_separated(table, text, ".csv")
    return text.getvalue()


def read_scores(path: str | Path, *, needs_units: bool = False) -> ScoreTable:
    """Read a score table, a line per unit. Statistics are plain numbers; `load_scores` makes them usable.

    In a foreign table, `unit`, `item` and `system` are ids; every other numeric column is an evaluator, and a column of
    texts is left out with a note. An empty cell, NA, nan or null is a gap. Without a column `unit`, each (system, item)
    must be unique; `needs_units` rejects a table without one.
    """
    path = existing_file(path)
    if path.suffix.lower() == ".json":
        return score_json.read(path)
    header, columns, lines = score_parquet.read(path) if path.suffix.lower() == ".parquet" else _separated(path)
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise DataError(
            [f"{path.name} line 1: the column {name[:80]!r} appears twice. Rename one." for name in repeated]
        )
    if needs_units and not {"unit", *OTHER_IDS}.intersection(header):
        raise DataError(f"{path.name} line 1: scores of sets need a column `set` or `unit` with the ids of the sets.")
    return _ScoreGrid(path, dict(zip(header, columns, strict=True)), lines).table()


class _ScoreGrid:
    """The raw cells of a file by column."""

    def __init__(self, path: Path, columns: dict[str, Cells], lines: Sequence[int]) -> None:
        self.path = path
        self.columns = columns
        self.lines = lines
        self.problems: list[str] = []
        self.notes: list[str] = []

    def table(self) -> ScoreTable:
        abouts = {}
        for name in self.columns:
            if name.startswith(MARK):
                about = ColumnHeader.parse(name)
                if about.column in abouts:
                    self.problems.append(f"{self.path.name} line 1: {about.column!r} is described twice. Remove one.")
                abouts[about.column] = (about, name)
        self._check_descriptions([about for about, _ in abouts.values()])
        names, id_columns = self._names(described=bool(abouts))
        scores: dict[str, Column] = {}
        for name, cells in self.columns.items():
            if name in id_columns or name.startswith(MARK) or _is_text_of(name, abouts):
                continue
            if name in abouts:
                scores[name] = self._described(abouts[name][0], cells, self.columns[abouts[name][1]])
            else:
                column = self._bare(name, cells)
                scores |= {} if column is None else {name: column}
        if self.problems:
            raise DataError(self.problems)
        if not scores:
            raise DataError(
                f"{self.path.name}: no column of numbers. Give system,item and a column of scores per evaluator."
            )
        descriptions = [about for about, _ in abouts.values()]
        return ScoreTable(
            descriptions[0].unit if descriptions else "output",
            Strings.of(names["unit"]),
            Strings.of(names["item"]),
            Strings.of(names["system"]),
            scores,
            descriptions[0].seed if descriptions else 0,
            (*dict.fromkeys(note for about in descriptions for note in about.notes), *self.notes),
        )

    def _check_descriptions(self, abouts: list[ColumnHeader]) -> None:
        for about in abouts:
            if about.column not in self.columns:
                self.problems.append(
                    f"{self.path.name} line 1: the column {about.column!r} is described but missing. Remove the "
                    "description too, or write the table again."
                )
        kinds = list(dict.fromkeys(about.unit for about in abouts))
        if len(kinds) > 1:
            self.problems.append(
                f"{self.path.name} line 1: some scores are about {kinds[0]}s and some about {kinds[1]}s. "
                "Keep one kind in a table."
            )

    def _names(self, described: bool) -> tuple[dict[str, list[str]], tuple[str, ...]]:
        """The unit, item and system of each row, and the names of the id columns."""
        other = () if described or any(name in self.columns for name in NAMES) else OTHER_IDS
        ids = next((name for name in ("unit", *other) if name in self.columns), None)
        empty = [""] * len(self.lines)
        names = {name: _texts(self.columns[name]) if name in self.columns else empty for name in ("item", "system")}
        names["unit"] = empty if ids is None else _texts(self.columns[ids])
        self._check_units(names, ids is not None)
        if ids is None:
            names["unit"] = _made_ids(names, self.lines)
        return names, (*NAMES, *(() if ids is None else (ids,)))

    def _check_units(self, names: dict[str, list[str]], has_units: bool) -> None:
        """Check that units are unique; without unit ids, that each (system, item) is."""
        if has_units:
            keys: Sequence[object] = names["unit"]
            what, remedy = "the unit {!r}", "Give each line its own id."
        elif any(names["system"]) and any(names["item"]):
            keys = list(zip(names["system"], names["item"], strict=True))
            what, remedy = (
                "system {!r}, item {!r}",
                "Keep one of the lines, or add a column `unit` with an id for each.",
            )
        else:
            return
        if len(set(keys)) == len(keys):
            return
        first: dict[object, int] = {}
        for key, line in zip(keys, self.lines, strict=True):
            if key in first:
                shown = what.format(*(key if isinstance(key, tuple) else (key,)))
                self.problems.append(
                    f"{self.path.name} line {line}: {shown} already appears on line {first[key]}. {remedy}"
                )
            first.setdefault(key, line)

    def _described(self, about: ColumnHeader, cells: Cells, companion: Cells) -> Column:
        """A column written by assay; it may contain infinities."""
        values, wrong = _numbers(cells, _described_number)
        self._not_numbers(about.column, cells, wrong)

        def problem(row: int, what: str) -> None:
            self.problems.append(
                f"{self.path.name} line {self.lines[row]}: {what}. Write the table again, or remove the column "
                f"that begins {about.name[: len(MARK) + 30]!r}: the scores then have no known direction."
            )

        column = from_companion(
            about, values, _texts(companion) if not isinstance(companion, list) else companion, problem
        )
        texts = self.columns.get(TEXT_OF + about.column)
        return column if texts is None else replace(column, texts=Strings.of(_texts(texts)))

    def _bare(self, name: str, cells: Cells) -> Column | None:
        """A foreign column; None if it contains texts."""
        values, wrong = _numbers(cells, _number)
        wrong += np.flatnonzero(np.isinf(values)).tolist()
        if wrong and len(wrong) * 2 > sum(cell.strip().lower() not in GAPS for cell in _texts(cells)):
            self.notes.append(f"the column {name!r} contains texts and is left out")
            return None
        self._not_numbers(name, cells, sorted(wrong))
        return Column.of(name, values, higher_is_better=None)  # type: ignore[arg-type]

    def _not_numbers(self, name: str, cells: Cells, wrong: list[int]) -> None:
        self.problems += [
            f"{self.path.name} line {self.lines[row]}: {str(cells[row])!r} in the column {name!r} is not a finite "
            "number. Write a number, or leave the cell empty for a gap."
            for row in wrong
        ]


def check_names(table: ScoreTable) -> None:
    """Refuse columns whose names mean something else in a file."""
    for name in table.columns:
        if name in NAMES or name.startswith((MARK, TEXT_OF)):
            raise DataError(f"an evaluator called {name!r} cannot be written: the table has such a column. Rename it.")


def _write_separated(table: ScoreTable, file: TextIO, ending: str) -> None:
    scores = [["" if score != score else repr(score) for score in c.values.tolist()] for c in table.columns.values()]
    empty = [""] * len(table)
    companions = [companion_cells(column) or empty for column in table.columns.values()]
    texts = {TEXT_OF + name: column.texts for name, column in table.columns.items() if column.texts is not None}
    writer = row_writer(file, ending)
    writer.writerow([*NAMES, *table.columns, *texts, *(ColumnHeader.of(table, name).name for name in table.columns)])
    writer.writerows(zip(table.unit, table.item, table.system, *scores, *texts.values(), *companions, strict=True))


def _is_text_of(name: str, described: Container[str]) -> bool:
    return name.startswith(TEXT_OF) and name.removeprefix(TEXT_OF) in described


def _texts(cells: Cells) -> list[str]:
    if isinstance(cells, np.ndarray):
        return ["" if cell != cell else repr(cell) for cell in cells.tolist()]
    return list(cells)


def _made_ids(names: dict[str, list[str]], lines: Sequence[int]) -> list[str]:
    if any(names["system"]) and any(names["item"]):
        return [f"{system}/{item}" for system, item in zip(names["system"], names["item"], strict=True)]
    return [str(line) for line in lines]


def _numbers(cells: Cells, number: Callable[[str], float | None]) -> tuple[NDArray[np.float64], list[int]]:
    """The cells as numbers, NaN for a gap, and the rows of invalid cells."""
    if isinstance(cells, np.ndarray):
        return cells, []
    try:
        if any("_" in cell for cell in cells):
            raise ValueError
        return np.array([float(cell) if cell else np.nan for cell in cells], np.float64), []
    except ValueError:
        numbers = [number(cell) for cell in cells]
    wrong = [row for row, value in enumerate(numbers) if value is None]
    return np.array([np.nan if value is None else value for value in numbers], np.float64), wrong


def _number(cell: str) -> float | None:
    """Parse a number; NaN for a gap, None if invalid."""
    return float("nan") if cell.strip().lower() in GAPS else _described_number(cell)


def _described_number(cell: str) -> float | None:
    try:
        # Python accepts 1_000; other programs do not.
        return None if "_" in cell else float(cell) if cell else float("nan")
    except ValueError:
        return None


def _header(path: Path) -> list[str]:
    if path.suffix.lower() == ".parquet":
        return score_parquet.header(path)
    csv.field_size_limit(2**31 - 1)
    try:
        with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
            return next(csv.reader(file, delimiter=delimiter(path.suffix.lower())), [])
    except csv.Error:
        return []
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check its permissions.") from None


def _separated(path: Path) -> tuple[list[str], list[Cells], list[int]]:
    """The header, the cells of each column, and the line number of each row."""
    csv.field_size_limit(2**31 - 1)
    reader = csv.reader(StringIO(text_of(path), newline=""), delimiter=delimiter(path.suffix.lower()), strict=True)
    rows, lines, problems = [], [], []
    header: list[str] = []
    try:
        header = next(reader, [])
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                problems.append(
                    f"{path.name} line {reader.line_num}: {len(cells)} cells, and the header has {len(header)}. "
                    "Quote cells that contain separators."
                )
            rows.append(cells)
            lines.append(reader.line_num)
    except csv.Error as error:
        problems.append(
            f"{path.name} line {reader.line_num}: not readable as CSV ({error}). Check its quotation marks."
        )
    if problems:
        raise DataError(problems)
    if not rows and not any(name.startswith(MARK) for name in header):
        raise DataError(f"{path.name}: no scores. Give a header line, then a line per unit.")
    return header, [list(column) for column in zip(*rows, strict=True)] or [[] for _ in header], lines
