"""The tables of a dataset as rows to write, block by block."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.io.flat import column_kinds
from assay.io.tabular import Kinds
from assay.io.tabular.kinds import KNOWN
from assay.records import JUDGED, Dataset, Values
from assay.records.choices import written_choices
from assay.records.criteria import KEYS
from assay.records.tables import take_values
from assay.records.unflat import plain_number
from assay.text.strings import Strings

TABLES = {
    "items": ("id", "context", "references", "choices", "target"),
    "systems": ("id", "human"),
    "sets": ("id",),
    "outputs": ("id", "item", "system", "set", "text", "n_tokens"),
    "logprobs": ("output", "system", "logprob", "n_tokens"),
    "judgments": ("kind", "unit", "other", "annotator", "criterion", "value"),
    "criteria": ("criterion", *KEYS),
}
BLOCK = 20_000

Numbers = NDArray[np.int64]
Columns = dict[str, list[Any]]


def tables_of(dataset: Dataset) -> dict[str, tuple[Kinds, Iterator[dict[str, Any]]]]:
    """The non-empty tables: kinds of columns, and rows."""
    items, sets, outputs, judgments = dataset.items, dataset.sets, dataset.outputs, dataset.judgments
    parts: dict[str, tuple[int, Callable[[Dataset, Numbers], Columns], Mapping[str, Values]]] = {
        "items": (len(items), _items, items.columns),
        "systems": (len(dataset.systems), _systems, {}),
        "sets": (len(sets) if sets.columns else 0, _sets, sets.columns),
        "outputs": (len(outputs), _outputs, outputs.columns),
        "logprobs": (len(dataset.logprobs), _logprobs, {}),
        "judgments": (len(judgments), _judgments, judgments.columns),
        "criteria": (len(dataset.criteria), _criteria, {}),
    }
    return {
        name: (_kinds(name, further), _rows(dataset, n, read, further))
        for name, (n, read, further) in parts.items()
        if n
    }


def _kinds(name: str, further: Mapping[str, Values]) -> Kinds:
    return {key: KNOWN[key] for key in TABLES[name]} | column_kinds(dict(further))


def _rows(
    dataset: Dataset, n: int, read: Callable[[Dataset, Numbers], Columns], further: Mapping[str, Values]
) -> Iterator[dict[str, Any]]:
    """Rows 0 to n of a table: the columns of `read`, then the user-defined ones; a gap is None."""
    for start in range(0, n, BLOCK):
        rows = np.arange(start, min(start + BLOCK, n))
        columns = read(dataset, rows) | {name: _cells(take_values(values, rows)) for name, values in further.items()}
        for cells in zip(*columns.values(), strict=True):
            yield dict(zip(columns, cells, strict=True))


def _items(dataset: Dataset, rows: Numbers) -> Columns:
    items = dataset.items
    return {
        "id": items.id.take(rows).to_list(),
        "context": [context or None for context in items.context.take(rows)],
        "references": [items.references[row] or None for row in rows.tolist()],
        "choices": [written_choices(items.choices[row]) or None for row in rows.tolist()],
        "target": [items.target[row].tolist() or None for row in rows.tolist()],
    }


def _systems(dataset: Dataset, rows: Numbers) -> Columns:
    systems = dataset.systems
    return {"id": systems.id.take(rows).to_list(), "human": systems.human[rows].tolist()}


def _sets(dataset: Dataset, rows: Numbers) -> Columns:
    return {"id": dataset.sets.id.take(rows).to_list()}


def _outputs(dataset: Dataset, rows: Numbers) -> Columns:
    outputs = dataset.outputs
    return {
        "id": outputs.id.take(rows).to_list(),
        "item": dataset.items.id.take(outputs.item[rows]).to_list(),
        "system": dataset.systems.id.take(outputs.system[rows]).to_list(),
        "set": dataset.sets.id.take(outputs.set[rows]).to_list(),
        "text": outputs.text.take(rows).to_list(),
        "n_tokens": _counts(outputs.n_tokens[rows]),
    }


def _logprobs(dataset: Dataset, rows: Numbers) -> Columns:
    table = dataset.logprobs
    return {
        "output": dataset.outputs.id.take(table.output[rows]).to_list(),
        "system": dataset.systems.id.take(table.system[rows]).to_list(),
        "logprob": [plain_number(value) for value in table.value[rows].tolist()],
        "n_tokens": _counts(table.n_tokens[rows]),
    }


def _judgments(dataset: Dataset, rows: Numbers) -> Columns:
    table = dataset.judgments
    kind, label = table.kind[rows], table.label[rows].tolist()
    unit, other = np.full(len(rows), None, object), np.full(len(rows), None, object)
    for code, what in enumerate(JUDGED):
        for names, numbers in ((unit, table.unit[rows]), (other, table.other[rows])):
            of_kind = (kind == code) & (numbers >= 0)
            names[of_kind] = dataset.ids(what).take(numbers[of_kind]).to_list()
    labels = table.labels.to_list()
    values = zip(label, table.value[rows].tolist(), strict=True)
    return {
        "kind": [JUDGED[code] for code in kind.tolist()],
        "unit": unit.tolist(),
        "other": other.tolist(),
        "annotator": table.annotators.take(table.annotator[rows]).to_list(),
        "criterion": table.criteria.take(table.criterion[rows]).to_list(),
        "value": [labels[place] if place >= 0 else plain_number(value) for place, value in values],
    }


def _criteria(dataset: Dataset, rows: Numbers) -> Columns:
    declared = [dataset.criteria[name] for name in np.array(list(dataset.criteria), object)[rows]]
    records = [criterion.as_record() for criterion in declared]
    return {"criterion": [criterion.name for criterion in declared]} | {
        key: [record.get(key) for record in records] for key in KEYS
    }


def _counts(counts: Numbers) -> list[int | None]:
    return [count if count >= 0 else None for count in counts.tolist()]


def _cells(values: Values) -> list[Any]:
    """The values of a user-defined column. Infinities stay numbers, so that the column stays numeric."""
    if isinstance(values, Strings):
        return [text or None for text in values]
    numbers = values.tolist()
    return [None if value != value else value if isinf(value) else plain_number(value) for value in numbers]
