"""A data set: the tables of a study, checked once, then only read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.ragged import Ragged
from assay.records.assemble import assemble
from assay.records.criteria import Criteria, Criterion, canonical, coded
from assay.records.inferred import completed
from assay.records.rows import Rows
from assay.records.tables import (
    JUDGED,
    Items,
    Judgments,
    LogProbs,
    Outputs,
    Sets,
    Systems,
    Values,
    take_values,
)
from assay.records.views import Item, Judgment, Output
from assay.text.lists import StringLists
from assay.text.strings import Strings


@dataclass(frozen=True, eq=False)
class Dataset:
    """Items, systems, sets, outputs, log-probabilities, judgments and the criteria that are declared for them.

    Nothing in it is changed after it is made.
    """

    items: Items
    systems: Systems
    sets: Sets
    outputs: Outputs
    logprobs: LogProbs
    judgments: Judgments
    criteria: Criteria = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: Rows) -> Dataset:
        """Check and number what a reader delivered."""
        return cls(*assemble(rows))

    @classmethod
    def from_records(
        cls,
        records: Iterable[Mapping[str, Any]],
        source: str = "records",
        *,
        lines: Sequence[int] | None = None,
        default_system: str = "system",
    ) -> Dataset:
        """Make a data set from flat records, each as a line of a JSONL file would be; messages name `lines`.

        >>> Dataset.from_records([{"text": "Very good!", "system": "a", "references": ["Fine."]}])
        Dataset(1 outputs, 1 items, 1 systems)
        """
        from assay.records.flat import FlatReader

        reader = FlatReader(source, default_system)
        records = list(records)
        numbers = np.arange(1, len(records) + 1) if lines is None else np.asarray(lines, np.int64)
        for record, line in zip(records, numbers.tolist(), strict=True):
            if not isinstance(record, Mapping):
                raise DataError(f'{source} line {line}: a {type(record).__name__}, not a record. Give {{"text": ...}}.')
        reader.add_records(records, numbers)
        return cls.from_rows(reader.finish())

    def __repr__(self) -> str:
        return f"Dataset({len(self)} outputs, {len(self.items)} items, {len(self.systems)} systems)"

    def __len__(self) -> int:
        return len(self.outputs)

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, Dataset) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the whole content: equal data, equal fingerprint."""
        return fingerprint(self)

    @cached_property
    def outputs_by_system(self) -> Ragged:
        """The outputs of each system."""
        return Ragged.grouped(self.outputs.system, len(self.systems))

    @cached_property
    def outputs_by_set(self) -> Ragged:
        """The outputs of each set."""
        return Ragged.grouped(self.outputs.set, len(self.sets))

    @cached_property
    def outputs_by_item(self) -> Ragged:
        """The outputs of each item."""
        return Ragged.grouped(self.outputs.item, len(self.items))

    @cached_property
    def human(self) -> NDArray[np.bool_]:
        """For each output, whether people wrote it."""
        return self.systems.human[self.outputs.system]

    @cached_property
    def set_system(self) -> NDArray[np.int64]:
        """For each set the system that gave it, -1 where several did."""
        by_set = self.outputs_by_set
        system = self.outputs.system[by_set.values]
        first = system[by_set.offsets[:-1]]
        differs = np.add.reduceat(system != first[by_set.row_of], by_set.offsets[:-1]) if len(by_set) else first
        return np.where(differs > 0, -1, first)

    @cached_property
    def _judgments_by_output(self) -> Ragged:
        about = self.judgments.about("output")
        by_output = Ragged.grouped(about.unit, len(self.outputs))
        return Ragged(about.rows[by_output.values], by_output.offsets)

    def criterion(self, name: str) -> Criterion:
        """What is known of a criterion: what the data declares, and what its name implies where that is open."""
        return completed(self.criteria.get(name, Criterion(name)))

    def asking(self, asks: str, unit: str, aspect: str = "") -> list[str]:
        """The criteria that were asked about a kind of unit and ask for this: those that say so, or are named so."""

        def matches(criterion: Criterion) -> bool:
            return criterion.asks == asks and criterion.unit in ("", unit) and criterion.aspect == aspect

        answered = self.judgments.about(unit).criteria
        declared = [name for name in answered if name in self.criteria and matches(self.criteria[name])]
        return declared or [name for name in answered if matches(self.criterion(name))]

    def with_criteria(self, criteria: Criteria) -> Dataset:
        """Declare criteria, beside or instead of those of the same name; every judgment they do not allow is named."""
        if not criteria:
            return self
        declared = canonical({**self.criteria, **criteria})
        problems: list[str] = []
        judgments = coded(self.judgments, declared, self._judgment_name, problems)
        if problems:
            raise DataError(problems)
        return replace(self, judgments=judgments, criteria=declared)

    def _judgment_name(self, row: int) -> str:
        """Say which judgment a row is, where nothing is known of its file."""
        table, kind = self.judgments, JUDGED[self.judgments.kind[row]]
        ids = {"output": self.outputs.id, "set": self.sets.id, "system": self.systems.id}[kind]
        return f"{kind} {ids[int(table.unit[row])]!r}, annotator {table.annotators[int(table.annotator[row])]!r}"

    def item(self, row: int) -> Item:
        """Return one item as an object."""
        items = self.items
        return Item(
            items.id[row],
            items.context[row],
            tuple(items.references[row]),
            tuple(items.choices[row]),
            tuple(items.target[row].tolist()),
        )

    def output(self, row: int) -> Output:
        """Return one output as an object."""
        outputs = self.outputs
        system = int(outputs.system[row])
        return Output(
            id=outputs.id[row],
            text=outputs.text[row],
            item=self.item(int(outputs.item[row])),
            system=self.systems.id[system],
            set=self.sets.id[int(outputs.set[row])],
            human=bool(self.systems.human[system]),
            n_tokens=int(outputs.n_tokens[row]) if outputs.n_tokens[row] >= 0 else None,
            columns={name: _cell(values, row) for name, values in outputs.columns.items()},
            judgments=tuple(self._judgment(int(j)) for j in self._judgments_by_output[row]),
        )

    def iter_outputs(self) -> Iterator[Output]:
        """Walk over the outputs as objects, one at a time."""
        return (self.output(row) for row in range(len(self)))

    def select(self, keep: NDArray[np.bool_]) -> Dataset:
        """Return the data of the outputs where `keep` is true: their items, sets, judgments and log-probabilities."""
        rows = np.flatnonzero(keep)
        outputs, sets, items = self.outputs, self.sets, self.items
        set_rows = _first_seen(outputs.set[rows])
        item_rows = _first_seen(outputs.item[rows])
        new_output = _renumber(rows, len(outputs))
        new_set = _renumber(set_rows, len(sets))
        new_item = _renumber(item_rows, len(items))
        kept_probs = np.flatnonzero(new_output[self.logprobs.output] >= 0)
        system_rows = _first_seen(np.concatenate([outputs.system[rows], self.logprobs.system[kept_probs]]))
        new_system = _renumber(system_rows, len(self.systems))
        return Dataset(
            Items(
                items.id.take(item_rows),
                items.context.take(item_rows),
                items.references.take(item_rows),
                items.choices.take(item_rows),
                items.target.take(item_rows),
                _take_columns(items.columns, item_rows),
            ),
            Systems(self.systems.id.take(system_rows), self.systems.human[system_rows]),
            Sets(sets.id.take(set_rows), new_item[sets.item[set_rows]], _take_columns(sets.columns, set_rows)),
            Outputs(
                outputs.id.take(rows),
                new_item[outputs.item[rows]],
                new_system[outputs.system[rows]],
                new_set[outputs.set[rows]],
                outputs.text.take(rows),
                outputs.n_tokens[rows],
                _take_columns(outputs.columns, rows),
            ),
            LogProbs(
                new_output[self.logprobs.output[kept_probs]],
                new_system[self.logprobs.system[kept_probs]],
                self.logprobs.value[kept_probs],
                self.logprobs.n_tokens[kept_probs],
            ),
            self._select_judgments({"output": new_output, "set": new_set, "system": new_system}),
            self.criteria,
        )

    def select_systems(self, keep: NDArray[np.bool_]) -> Dataset:
        """Return the data of the systems where `keep` is true: their outputs, and log-probabilities under them."""
        logprobs = self.logprobs.take(np.flatnonzero(keep[self.logprobs.system]))
        return replace(self, logprobs=logprobs).select(keep[self.outputs.system])

    def _select_judgments(self, renumbered: Mapping[str, NDArray[np.int64]]) -> Judgments:
        old = self.judgments
        unit = np.full(len(old), -1, np.int64)
        other = np.full(len(old), -1, np.int64)
        for code, kind in enumerate(JUDGED):
            mine = old.kind == code
            unit[mine] = renumbered[kind][old.unit[mine]]
            paired = mine & (old.other >= 0)
            other[paired] = renumbered[kind][old.other[paired]]
        kept = np.flatnonzero((unit >= 0) & ((old.other < 0) | (other >= 0)))
        annotator, annotators = _recode(old.annotator[kept], old.annotators)
        criterion, criteria = _recode(old.criterion[kept], old.criteria)
        label, labels = _recode(old.label[kept], old.labels)
        return Judgments(
            old.kind[kept],
            unit[kept],
            other[kept],
            annotator,
            criterion,
            old.value[kept],
            label,
            annotators,
            criteria,
            labels,
            _take_columns(old.columns, kept),
        )

    def _judgment(self, row: int) -> Judgment:
        table = self.judgments
        label = int(table.label[row])
        return Judgment(
            table.annotators[int(table.annotator[row])],
            table.criteria[int(table.criterion[row])],
            table.labels[label] if label >= 0 else float(table.value[row]),
        )


def fingerprint(table: Any) -> str:
    """A hash of the content of a data set or of one of its tables."""
    digest = blake2b(digest_size=16)
    _absorb(digest, "", table)
    return digest.hexdigest()


def _cell(values: Values, row: int) -> float | str:
    return values[row] if isinstance(values, Strings) else float(values[row])


def _take_columns(columns: Mapping[str, Values], rows: NDArray[np.int64]) -> dict[str, Values]:
    return {name: take_values(values, rows) for name, values in columns.items()}


def _first_seen(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distinct codes in the order of their first appearance."""
    distinct, first = np.unique(codes, return_index=True)
    return distinct[np.argsort(first)]


def _renumber(rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Old row number to new one, -1 for rows that are gone."""
    numbers = np.full(n, -1, np.int64)
    numbers[rows] = np.arange(len(rows))
    return numbers


def _recode(codes: NDArray[np.int64], names: Strings) -> tuple[NDArray[np.int64], Strings]:
    used = _first_seen(codes[codes >= 0])
    numbers = np.append(_renumber(used, len(names)), -1)
    return numbers[codes], names.take(used)


def _absorb(digest: Any, name: str, value: Any) -> None:
    """Feed a table, a column or a mapping of columns into a hash, each part with its name and size."""
    digest.update(f"\0{name}:".encode())
    if isinstance(value, Strings):
        _absorb(digest, "lengths", value.lengths)
        digest.update(np.ascontiguousarray(value.packed))
    elif isinstance(value, StringLists):
        _absorb(digest, "texts", value.texts)
        _absorb(digest, "lengths", value.lengths)
    elif isinstance(value, Ragged):
        _absorb(digest, "values", value.values)
        _absorb(digest, "lengths", value.lengths)
    elif isinstance(value, np.ndarray):
        digest.update(f"{value.dtype.str}{len(value)}".encode())
        digest.update(np.ascontiguousarray(value))
    elif isinstance(value, Mapping):
        for key in sorted(value):
            _absorb(digest, key, value[key])
    elif value is None or isinstance(value, str | float | tuple):
        digest.update(repr(value).encode())
    else:
        for part in fields(value):
            _absorb(digest, part.name, getattr(value, part.name))
