"""Join datasets of several files: items are shared by id, and outputs keep apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.ragged import Ragged, running_offsets
from assay.records.columns import written_number
from assay.records.criteria import Criteria, Criterion
from assay.records.dataset import Dataset
from assay.records.rows import ItemRows, JudgmentRows, LogProbRows, Origin, OutputRows, Rows, SetRows, SystemRows
from assay.records.tables import JUDGED, Values, take_values
from assay.text.lists import StringLists
from assay.text.strings import Strings


@dataclass(frozen=True)
class FileOrigin(Origin):
    """The files of rows; a row is named by its number in its file."""

    sources: tuple[str, ...] = ()
    of_row: tuple[int, ...] = ()

    def at(self, row: int) -> str:
        """Name the file and the number of a row in it."""
        return f"{self.sources[self.of_row[row]]} row {self.lines[row]}"

    def on(self, row: int) -> str:
        """The same, after another row was named."""
        return f"in {self.at(row)}"


def join(datasets: Sequence[Dataset], sources: Sequence[str]) -> Dataset:
    """Join datasets; `sources` name them in messages and, where they share ids, in ids.

    Outputs and sets whose ids occur in several files get `ID|SOURCE`.
    """
    if len(datasets) == 1:
        return datasets[0]
    output_ids = _apart([data.outputs.id for data in datasets], sources)
    set_ids = _sets_apart(datasets, sources)
    return Dataset.from_rows(
        Rows(
            _outputs(datasets, sources, output_ids, set_ids),
            _items(datasets, sources),
            SystemRows(
                Strings.concatenate([data.systems.id for data in datasets]),
                np.concatenate([_known_human(data) for data in datasets]),
                _origin([len(data.systems) for data in datasets], sources),
            ),
            SetRows(
                Strings.concatenate(set_ids),
                _origin([len(data.sets) for data in datasets], sources),
                _columns([(len(data.sets), dict(data.sets.columns)) for data in datasets]),
            ),
            _logprobs(datasets, sources, output_ids),
            _judgments(datasets, sources, output_ids, set_ids),
            _criteria(datasets, sources),
        )
    )


def _known_human(data: Dataset) -> NDArray[np.int8]:
    """1 for human systems, -1 for others, which another file may know to be human."""
    return np.where(data.systems.human, 1, -1).astype(np.int8)


def _apart(columns: Sequence[Strings], sources: Sequence[str]) -> list[Strings]:
    """The ids of each file, all with the file's name if some id occurs in two files."""
    if not _repeated([set(column) for column in columns]):
        return list(columns)
    return [Strings.of(f"{name}|{source}" for name in column) for column, source in zip(columns, sources, strict=True)]


def _sets_apart(datasets: Sequence[Dataset], sources: Sequence[str]) -> list[Strings]:
    """The set ids of each file. A default set, named after its item and system, may have outputs in several files."""
    named = [
        {name for name, is_default in zip(data.sets.id, _are_default(data), strict=True) if not is_default}
        for data in datasets
    ]
    repeated = _repeated(named)
    return [
        Strings.of(f"{name}|{source}" if name in repeated else name for name in data.sets.id)
        for data, source in zip(datasets, sources, strict=True)
    ]


def _repeated(names: Sequence[set[str]]) -> set[str]:
    counts = Counter(name for of_file in names for name in of_file)
    return {name for name, n in counts.items() if n > 1}


def _are_default(data: Dataset) -> list[bool]:
    system = data.set_system.tolist()
    return [
        system[row] >= 0 and name == f"{data.items.id[int(data.sets.item[row])]}|{data.systems.id[system[row]]}"
        for row, name in enumerate(data.sets.id)
    ]


def _criteria(datasets: Sequence[Dataset], sources: Sequence[str]) -> Criteria:
    declared: dict[str, Criterion] = {}
    for data, source in zip(datasets, sources, strict=True):
        for name, criterion in data.criteria.items():
            if declared.setdefault(name, criterion) != criterion:
                raise DataError(f"{source}: criterion {name!r} is declared differently in another file. Keep one.")
    return declared


def _origin(sizes: Sequence[int], sources: Sequence[str]) -> FileOrigin:
    lines = np.concatenate([np.arange(1, size + 1) for size in sizes])
    of_row = tuple(place for place, size in enumerate(sizes) for _ in range(size))
    return FileOrigin(", ".join(sources), lines, "row", tuple(sources), of_row)


def _columns(parts: Sequence[tuple[int, dict[str, Values]]]) -> dict[str, Values]:
    """Concatenate extra columns: numbers if they are in every file that has them, else texts."""
    joined: dict[str, Values] = {}
    for name in dict.fromkeys(name for _, columns in parts for name in columns):
        present = [columns[name] for _, columns in parts if name in columns]
        as_texts = any(isinstance(values, Strings) for values in present)
        chunks: list[Values] = []
        for size, columns in parts:
            values = columns.get(name)
            if values is None:
                chunks.append(Strings.empty(size) if as_texts else np.full(size, np.nan))
            elif as_texts and not isinstance(values, Strings):
                chunks.append(Strings.of("" if v != v else written_number(v) for v in values.tolist()))
            else:
                chunks.append(values)
        texts = [chunk for chunk in chunks if isinstance(chunk, Strings)]
        numbers = [chunk for chunk in chunks if not isinstance(chunk, Strings)]
        joined[name] = Strings.concatenate(texts) if as_texts else np.concatenate(numbers)
    return joined


def _outputs(
    datasets: Sequence[Dataset], sources: Sequence[str], ids: Sequence[Strings], sets: Sequence[Strings]
) -> OutputRows:
    tables = [data.outputs for data in datasets]
    return OutputRows(
        Strings.concatenate(list(ids)),
        Strings.concatenate([data.items.id.take(data.outputs.item) for data in datasets]),
        Strings.concatenate([data.systems.id.take(data.outputs.system) for data in datasets]),
        Strings.concatenate([names.take(table.set) for names, table in zip(sets, tables, strict=True)]),
        Strings.concatenate([table.text for table in tables]),
        np.concatenate([table.n_tokens for table in tables]),
        _origin([len(table) for table in tables], sources),
        _columns([(len(table), dict(table.columns)) for table in tables]),
    )


def _items(datasets: Sequence[Dataset], sources: Sequence[str]) -> ItemRows:
    tables = [data.items for data in datasets]
    return ItemRows(
        Strings.concatenate([table.id for table in tables]),
        Strings.concatenate([table.context for table in tables]),
        StringLists.concatenate([table.references for table in tables]),
        StringLists.concatenate([table.choices for table in tables]),
        Ragged(
            np.concatenate([table.target.values for table in tables]),
            running_offsets(np.concatenate([table.target.lengths for table in tables])),
        ),
        _origin([len(table) for table in tables], sources),
        _columns([(len(table), dict(table.columns)) for table in tables]),
    )


def _logprobs(datasets: Sequence[Dataset], sources: Sequence[str], ids: Sequence[Strings]) -> LogProbRows:
    tables = [data.logprobs for data in datasets]
    return LogProbRows(
        Strings.concatenate([names.take(table.output) for names, table in zip(ids, tables, strict=True)]),
        Strings.concatenate([data.systems.id.take(data.logprobs.system) for data in datasets]),
        np.concatenate([table.value for table in tables]),
        np.concatenate([table.n_tokens for table in tables]),
        _origin([len(table) for table in tables], sources),
    )


def _judgments(
    datasets: Sequence[Dataset], sources: Sequence[str], output_ids: Sequence[Strings], set_ids: Sequence[Strings]
) -> JudgmentRows:
    units: list[Strings] = []
    others: list[Strings] = []
    labels, annotators, criteria = [], [], []
    for data, outputs, sets in zip(datasets, output_ids, set_ids, strict=True):
        table = data.judgments
        ids = {"output": outputs, "set": sets, "system": data.systems.id}
        for column, rows in ((units, table.unit), (others, table.other)):
            names = [""] * len(table)
            for code, kind in enumerate(JUDGED):
                for row in np.flatnonzero((table.kind == code) & (rows >= 0)).tolist():
                    names[row] = ids[kind][int(rows[row])]
            column.append(Strings.of(names))
        label = take_values(table.labels, table.label)
        assert isinstance(label, Strings)
        labels.append(label)
        annotators.append(table.annotators.take(table.annotator))
        criteria.append(table.criteria.take(table.criterion))
    tables = [data.judgments for data in datasets]
    return JudgmentRows(
        np.concatenate([table.kind for table in tables]),
        Strings.concatenate(units),
        Strings.concatenate(others),
        Strings.concatenate(annotators),
        Strings.concatenate(criteria),
        np.concatenate([table.value for table in tables]),
        Strings.concatenate(labels),
        _origin([len(table) for table in tables], sources),
        _columns([(len(table), dict(table.columns)) for table in tables]),
    )
