"""A data set: the tables of a study, checked on construction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.framed import Columns, Framed
from assay.kernels.ragged import Ragged
from assay.records.assemble import assemble
from assay.records.criteria import Criteria, Criterion, canonical, coded
from assay.records.inferred import completed
from assay.records.rows import Rows
from assay.records.tables import JUDGED, Items, Judgments, LogProbs, Outputs, Sets, Systems, Values
from assay.records.views import Item, Judgment, Output
from assay.text.lists import StringLists
from assay.text.strings import Strings, chosen_rows


@dataclass(frozen=True, eq=False)
class Dataset(Framed):
    """Items, systems, sets, outputs, log-probabilities, judgments and declared criteria. Immutable."""

    items: Items
    systems: Systems
    sets: Sets
    outputs: Outputs
    logprobs: LogProbs
    judgments: Judgments
    criteria: Criteria = field(default_factory=dict)

    @classmethod
    def from_rows(cls, rows: Rows) -> Dataset:
        """Check the rows of a reader, and turn names into row numbers."""
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
        """Make a data set from flat records, each like a line of a JSONL file; messages name `lines`.

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

    def __getitem__(self, rows: slice) -> Dataset:
        """The data of a slice of the outputs."""
        keep = np.zeros(len(self), bool)
        keep[rows] = True
        return self.select(keep)

    def frame_columns(self) -> Columns:
        """A row per output with the fields of a flat file; `assay.load` takes the frame back."""
        from assay.records.unflat import flat_records

        records = list(flat_records(self))
        names = dict.fromkeys(name for record in records for name in record)
        return {name: [record.get(name) for record in records] for name in names}

    def filter(self, *, system: str | Sequence[str] = (), item: str | Sequence[str] = ()) -> Dataset:
        """The data of these systems and items; an unknown name is an error.

        >>> data = Dataset.from_records([{"text": "a", "system": "x"}, {"text": "b", "system": "y"}])
        >>> data.filter(system="y")
        Dataset(1 outputs, 1 items, 1 systems)
        """
        keep = np.ones(len(self), bool)
        outputs = self.outputs
        for what, ids, codes, wanted in (
            ("system", self.systems.id, outputs.system, system),
            ("item", self.items.id, outputs.item, item),
        ):
            if wanted:
                keep &= chosen_rows(ids.take(codes), wanted, what)
        return self.select(keep)

    def __eq__(self, other: object) -> bool:
        return self.fingerprint == other.fingerprint if isinstance(other, Dataset) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of the whole content."""
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
        """Whether each output is human-written."""
        return self.systems.human[self.outputs.system]

    @cached_property
    def set_system(self) -> NDArray[np.int64]:
        """The system of each set, -1 if it has several."""
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
        """A criterion as declared, completed by what its name implies."""
        return completed(self.criteria.get(name, Criterion(name)))

    def asking(self, asks: str, unit: str, aspect: str = "") -> list[str]:
        """The criteria about a kind of unit that ask for this, by declaration, else by name."""

        def matches(criterion: Criterion) -> bool:
            return criterion.asks == asks and criterion.unit in ("", unit) and criterion.aspect == aspect

        answered = self.judgments.about(unit).criteria
        declared = [name for name in answered if name in self.criteria and matches(self.criteria[name])]
        return declared or [name for name in answered if matches(self.criterion(name))]

    def with_criteria(self, criteria: Criteria) -> Dataset:
        """Declare criteria, replacing those of the same name; raise with every judgment they do not allow."""
        if not criteria:
            return self
        declared = canonical({**self.criteria, **criteria})
        problems: list[str] = []
        judgments = coded(self.judgments, declared, self._judgment_name, problems)
        if problems:
            raise DataError(problems)
        return replace(self, judgments=judgments, criteria=declared)

    def _judgment_name(self, row: int) -> str:
        """Name a judgment whose file and line are unknown."""
        table, kind = self.judgments, JUDGED[self.judgments.kind[row]]
        unit, annotator = self.ids(kind)[int(table.unit[row])], table.annotators[int(table.annotator[row])]
        return f"{kind} {unit!r}, annotator {annotator!r}"

    def ids(self, kind: str) -> Strings:
        """The ids of a kind of unit that can be judged."""
        return {"output": self.outputs.id, "set": self.sets.id, "system": self.systems.id}[kind]

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
        """Iterate over the outputs as objects."""
        return (self.output(row) for row in range(len(self)))

    def select(self, keep: NDArray[np.bool_]) -> Dataset:
        """Return the data of the outputs where `keep` is true: their items, sets, judgments and log-probabilities."""
        rows = np.flatnonzero(keep)
        new_output = _renumber(rows, len(self.outputs))
        outputs = self.outputs.take(rows)
        logprobs = self.logprobs.take(np.flatnonzero(new_output[self.logprobs.output] >= 0))
        set_rows, item_rows = _first_seen(outputs.set), _first_seen(outputs.item)
        system_rows = _first_seen(np.concatenate([outputs.system, logprobs.system]))
        new_set, new_item = _renumber(set_rows, len(self.sets)), _renumber(item_rows, len(self.items))
        new_system = _renumber(system_rows, len(self.systems))
        sets = self.sets.take(set_rows)
        item, system, set_ = new_item[outputs.item], new_system[outputs.system], new_set[outputs.set]
        return Dataset(
            self.items.take(item_rows),
            self.systems.take(system_rows),
            replace(sets, item=new_item[sets.item]),
            replace(outputs, item=item, system=system, set=set_),
            replace(logprobs, output=new_output[logprobs.output], system=new_system[logprobs.system]),
            self._select_judgments({"output": new_output, "set": new_set, "system": new_system}),
            self.criteria,
        )

    def select_systems(self, keep: NDArray[np.bool_]) -> Dataset:
        """Return the data of the systems where `keep` is true: their outputs, and the log-probabilities under them."""
        logprobs = self.logprobs.take(np.flatnonzero(keep[self.logprobs.system]))
        return replace(self, logprobs=logprobs).select(keep[self.outputs.system])

    def _select_judgments(self, renumbered: Mapping[str, NDArray[np.int64]]) -> Judgments:
        table = self.judgments
        unit, other = np.full(len(table), -1, np.int64), np.full(len(table), -1, np.int64)
        for code, kind in enumerate(JUDGED):
            of_kind = table.kind == code
            unit[of_kind] = renumbered[kind][table.unit[of_kind]]
            paired = of_kind & (table.other >= 0)
            other[paired] = renumbered[kind][table.other[paired]]
        keep = np.flatnonzero((unit >= 0) & ((table.other < 0) | (other >= 0)))
        table = replace(table, unit=unit, other=other).take(keep)
        annotator, annotators = _recode(table.annotator, table.annotators)
        criterion, criteria = _recode(table.criterion, table.criteria)
        label, labels = _recode(table.label, table.labels)
        table = replace(table, annotators=annotators, criteria=criteria, labels=labels)
        return replace(table, annotator=annotator, criterion=criterion, label=label)

    def _judgment(self, row: int) -> Judgment:
        table = self.judgments
        label = int(table.label[row])
        return Judgment(
            table.annotators[int(table.annotator[row])],
            table.criteria[int(table.criterion[row])],
            table.labels[label] if label >= 0 else float(table.value[row]),
        )


def fingerprint(table: Any) -> str:
    """A hash of the content of a data set or a table."""
    digest = blake2b(digest_size=16)
    _absorb(digest, "", table)
    return digest.hexdigest()


def _cell(values: Values, row: int) -> float | str:
    return values[row] if isinstance(values, Strings) else float(values[row])


def _first_seen(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The distinct codes in order of first appearance."""
    distinct, first = np.unique(codes, return_index=True)
    return distinct[np.argsort(first)]


def _renumber(rows: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    """Map old row numbers to new ones, -1 for dropped rows."""
    numbers = np.full(n, -1, np.int64)
    numbers[rows] = np.arange(len(rows))
    return numbers


def _recode(codes: NDArray[np.int64], names: Strings) -> tuple[NDArray[np.int64], Strings]:
    used = _first_seen(codes[codes >= 0])
    numbers = np.append(_renumber(used, len(names)), -1)
    return numbers[codes], names.take(used)


def _absorb(digest: Any, name: str, value: Any) -> None:
    """Hash a table, a column or a mapping of columns, each part with its name and size."""
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
