"""A folder of tables in any format: items, systems, sets, outputs, logprobs, judgments, criteria.

The tables are normalized and refer to each other by id. Only `outputs` is required.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import DataError, did_you_mean
from assay.io.atomic import replacing_folder
from assay.io.folder_rows import TABLES, tables_of
from assay.io.tabular import ENDINGS, read_chunks, write_rows
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import JUDGED, Dataset, Values, fields
from assay.records.columns import ColumnCollector
from assay.records.criteria import KEYS, Criterion, read_criterion
from assay.records.flat import filled
from assay.records.rows import ItemRows, JudgmentRows, LogProbRows, Origin, OutputRows, Rows, SetRows, SystemRows
from assay.text.lists import StringLists
from assay.text.strings import Strings


def is_folder_of_tables(path: Path) -> bool:
    """Whether a folder has an outputs table."""
    return path.is_dir() and _table_path(path, "outputs") is not None


def table_files(path: Path) -> list[Path]:
    """The files of a folder that `read_folder` reads."""
    paths = (_table_path(path, name) for name in TABLES)
    return [file for file in paths if file is not None]


def read_folder(path: Path) -> Dataset:
    """Read the tables of a folder; the problems of all tables are reported together."""
    problems: list[str] = []
    tables = {name: _FolderTable(path, name, problems) for name in TABLES}
    if not problems and tables["outputs"].n == 0:
        problems.append(
            f"{path}: no outputs. The folder needs a table outputs{{{','.join(ENDINGS)}}} with a row at least."
        )
    rows = Rows(
        _outputs(tables["outputs"], path.stem),
        _items(tables["items"]),
        _systems(tables["systems"]),
        SetRows(tables["sets"].names("id", required=True), tables["sets"].origin, tables["sets"].columns()),
        _logprobs(tables["logprobs"]),
        _judgments(tables["judgments"]),
        _criteria(tables["criteria"]),
    )
    if problems:
        raise DataError(problems)
    return Dataset.from_rows(rows)


def write_folder(dataset: Dataset, path: Path, ending: str = ".parquet") -> None:
    """Write a folder of tables; it appears whole or not at all, and never replaces an existing one."""
    try:
        if path.exists():
            raise DataError(f"{path} exists. Name a folder that does not.")
        if not path.parent.is_dir():
            raise DataError(f"{path.parent}: no such folder. Make it first.")
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror}. Choose another name or place.") from None
    except ValueError:
        raise DataError(f"{str(path)!r} cannot be the name of a folder. Choose another name.") from None
    with replacing_folder(path) as temporary:
        for name, (kinds, rows) in tables_of(dataset).items():
            write_rows(temporary / f"{name}{ending}", rows, kinds)


class _FolderTable:
    """One table of the folder; invalid values are recorded as problems and become gaps."""

    def __init__(self, folder: Path, name: str, problems: list[str]) -> None:
        path = _table_path(folder, name)
        self.source = path.name if path else name
        self._problems = problems
        self._known = TABLES[name]
        self._chunks = list(read_chunks(path, self.problem, self._known)) if path else []
        self.n = sum(len(chunk.lines) for chunk in self._chunks)
        lines = [chunk.lines for chunk in self._chunks]
        self.origin = Origin(self.source, np.concatenate(lines) if lines else np.zeros(0, np.int64))

    def problem(self, line: int, text: str) -> None:
        self._problems.append(f"{self.source} line {line}: {text}")

    def values(self, name: str, read: Callable[[Any], Any], gap: Any, *, required: bool = False) -> list[Any]:
        """Read a column value by value."""
        result = []
        for chunk in self._chunks:
            cells = chunk.columns.get(name, [None] * len(chunk.lines))
            for line, cell in zip(chunk.lines.tolist(), cells, strict=True):
                missing = cell is None or (cell == "" and name != "text")
                try:
                    if missing and required:
                        raise ValueError("is missing.")
                    result.append(gap if missing else read(cell))
                except ValueError as error:
                    self.problem(line, f"{name} {error}")
                    result.append(gap)
        return result

    def names(self, name: str, *, required: bool = False) -> Strings:
        """Read a column of ids."""
        parts = [chunk.columns.get(name) for chunk in self._chunks]
        if parts and all(isinstance(part, Strings) for part in parts):
            names = Strings.concatenate([part for part in parts if isinstance(part, Strings)])
            if not required or (names.lengths > 0).all():
                return names
        return Strings.of(self.values(name, fields.name, "", required=required))

    def texts(self, name: str, *, required: bool = False) -> Strings:
        """Read a column of texts."""
        parts = [chunk.columns.get(name) for chunk in self._chunks]
        if parts and all(isinstance(part, Strings) for part in parts):
            return Strings.concatenate([part for part in parts if isinstance(part, Strings)])
        return Strings.of(self.values(name, fields.text, "", required=required))

    def lists(self, name: str, read: Callable[[Any], Sequence[str]]) -> StringLists:
        """Read a column of lists of texts."""
        parts = [chunk.columns.get(name) for chunk in self._chunks]
        if all(part is None for part in parts):
            return StringLists.empty(self.n)
        if all(isinstance(part, StringLists) for part in parts):
            return StringLists.concatenate([part for part in parts if isinstance(part, StringLists)])
        return StringLists.of(self.values(name, read, ()))

    def counts(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Read the column n_tokens."""
        if all("n_tokens" not in chunk.columns for chunk in self._chunks):
            return np.full(self.n, -1, np.int64)
        return np.array(self.values("n_tokens", fields.whole, -1), np.int64)

    def columns(self) -> dict[str, Values]:
        """The user-defined columns."""
        collector = ColumnCollector()
        start = 0
        for chunk in self._chunks:
            rows = np.arange(start, start + len(chunk.lines))
            for name, values in chunk.columns.items():
                if name not in self._known:
                    collector.add(name, rows, values)
            start += len(chunk.lines)
        return collector.dense(self.n)


def _table_path(folder: Path, name: str) -> Path | None:
    paths = [folder / f"{name}{ending}" for ending in ENDINGS if (folder / f"{name}{ending}").exists()]
    if len(paths) > 1:
        raise DataError(f"{folder}: both {paths[0].name} and {paths[1].name}. Keep one.")
    return paths[0] if paths else None


def _outputs(table: _FolderTable, default_system: str) -> OutputRows:
    ids = table.names("id")
    ids = filled(ids, Strings.of(str(line) for line in table.origin.lines[ids.lengths == 0]))
    systems = table.names("system")
    systems = filled(systems, Strings.of([default_system] * int((systems.lengths == 0).sum())))
    items = table.names("item")
    items = filled(items, ids.take(np.flatnonzero(items.lengths == 0)))
    return OutputRows(
        ids,
        items,
        systems,
        table.names("set"),
        table.texts("text", required=True),
        table.counts(),
        table.origin,
        table.columns(),
    )


def _items(table: _FolderTable) -> ItemRows:
    choices = table.lists("choices", fields.choices)
    targets = table.values("target", lambda value: value, None)
    weights: list[list[float]] = []
    for line, target, size in zip(table.origin.lines.tolist(), targets, choices.lengths.tolist(), strict=True):
        try:
            weights.append([] if target is None else fields.target(target, size))
        except ValueError as error:
            table.problem(line, f"target {error}")
            weights.append([])
    flat = np.array([weight for row in weights for weight in row], np.float64)
    return ItemRows(
        table.names("id", required=True),
        table.texts("context"),
        table.lists("references", fields.texts),
        choices,
        Ragged(flat, running_offsets(np.array([len(row) for row in weights], np.int64))),
        table.origin,
        table.columns(),
    )


def _systems(table: _FolderTable) -> SystemRows:
    human = np.array(table.values("human", fields.human, -1), np.int8)
    return SystemRows(table.names("id", required=True), human, table.origin)


def _logprobs(table: _FolderTable) -> LogProbRows:
    return LogProbRows(
        table.names("output", required=True),
        table.names("system", required=True),
        np.array(table.values("logprob", fields.logprob, np.nan, required=True), np.float64),
        table.counts(),
        table.origin,
    )


def _judgments(table: _FolderTable) -> JudgmentRows:
    answers = table.values("value", fields.answer, (0.0, ""), required=True)
    kinds = table.values("kind", lambda value: fields.choice(value, JUDGED), 0)
    return JudgmentRows(
        np.array(kinds, np.int8),
        table.names("unit", required=True),
        table.names("other"),
        table.names("annotator", required=True),
        table.names("criterion", required=True),
        np.array([value for value, _ in answers], np.float64),
        Strings.of(label for _, label in answers),
        table.origin,
        table.columns(),
    )


def _criteria(table: _FolderTable) -> dict[str, Criterion]:
    """Read the declared criteria, one per row; an empty cell leaves its key undeclared."""
    names = table.values("criterion", fields.name, "", required=True)
    for column in table.columns():
        table.problem(1, f"criteria have no {column!r}.{did_you_mean(column, KEYS)}")
    columns_by_key = {key: table.values(key, lambda value: value, None) for key in KEYS}
    criteria: dict[str, Criterion] = {}
    for row, (name, line) in enumerate(zip(names, table.origin.lines.tolist(), strict=True)):
        if name in criteria:
            table.problem(line, f"criterion {name!r} is declared twice. Keep one.")
        try:
            criteria[name] = read_criterion(name, {key: values[row] for key, values in columns_by_key.items()})
        except ValueError as error:
            table.problem(line, f"criterion {name!r} {error}")
    return criteria
