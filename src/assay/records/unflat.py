"""A data set as flat records: the inverse of `assay.records.flat`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isinf
from typing import Any

import numpy as np

from assay.errors import DataError
from assay.kernels.ragged import Ragged
from assay.records.choices import written_choices
from assay.records.columns import is_whole
from assay.records.dataset import Dataset
from assay.records.tables import JUDGED, Values
from assay.text.strings import Strings


def flat_records(dataset: Dataset) -> Iterator[dict[str, Any]]:
    """Yield one record per output. Items and sets are described on the line of their first output.

    Criteria are on the first line.
    """
    _check_flat(dataset)
    outputs, items, sets, systems = dataset.outputs, dataset.items, dataset.sets, dataset.systems
    table, system_ids = dataset.judgments, systems.id.to_list()
    names = table.annotators.to_list(), table.criteria.to_list(), table.labels.to_list()
    logprobs = Ragged.grouped(dataset.logprobs.output, len(outputs))
    judgments = _judgments_by_output(dataset)
    first_of_item = set(dataset.outputs_by_item.values[dataset.outputs_by_item.offsets[:-1]].tolist())
    first_of_set = set(dataset.outputs_by_set.values[dataset.outputs_by_set.offsets[:-1]].tolist())

    for row, (identity, text) in enumerate(zip(outputs.id, outputs.text, strict=True)):
        item, unit_set, system = int(outputs.item[row]), int(outputs.set[row]), int(outputs.system[row])
        record: dict[str, Any] = {"id": identity, "item": items.id[item]}
        if row in first_of_item:
            record |= _item_fields(dataset, item)
        record |= {"system": system_ids[system], "set": sets.id[unit_set], "text": text}
        if systems.human[system]:
            record["human"] = True
        if row in first_of_set and (about_set := given_values(sets.columns, unit_set)):
            record["set_columns"] = about_set
        record |= _logprob_fields(dataset, row, logprobs[row], system_ids)
        columns = given_values(outputs.columns, row)
        params = {key.removeprefix("params."): columns.pop(key) for key in list(columns) if key.startswith("params.")}
        if params:
            record["params"] = params
        record |= columns
        if row == 0 and dataset.criteria:
            record["criteria"] = {name: criterion.as_record() for name, criterion in dataset.criteria.items()}
        if len(judgments[row]):
            record["judgments"] = [_judgment(dataset, int(judgment), *names) for judgment in judgments[row]]
        yield record


def _check_flat(dataset: Dataset) -> None:
    """Refuse items and systems without outputs, which have no line in a flat file."""
    for what, ids, used in (
        ("item", dataset.items.id, dataset.outputs.item),
        ("system", dataset.systems.id, np.concatenate([dataset.outputs.system, dataset.logprobs.system])),
    ):
        unused = np.setdiff1d(np.arange(len(ids)), used)
        if len(unused):
            raise DataError(
                f"{what} {ids[int(unused[0])]!r} has no outputs, so a flat file cannot hold it. "
                "Write a folder of tables instead: name a path without an ending."
            )


def _judgments_by_output(dataset: Dataset) -> Ragged:
    """The judgments on each line: those of a set or a system go to its first output."""
    table = dataset.judgments
    by_set, by_system = dataset.outputs_by_set, dataset.outputs_by_system
    line = np.full(len(table), -1, np.int64)
    for kind, first in (
        ("output", np.arange(len(dataset.outputs))),
        ("set", by_set.values[by_set.offsets[:-1]]),
        ("system", np.append(by_system.values, 0)[by_system.offsets[:-1]]),
    ):
        of_kind = table.kind == JUDGED.index(kind)
        line[of_kind] = first[table.unit[of_kind]]
    return Ragged.grouped(line, len(dataset.outputs))


def _item_fields(dataset: Dataset, item: int) -> dict[str, Any]:
    items = dataset.items
    target = items.target[item]
    single = np.count_nonzero(target) == 1 and target.max() == 1.0
    fields: dict[str, Any] = {
        "context": items.context[item],
        "references": items.references[item],
        "choices": written_choices(items.choices[item]),
        "target": int(target.argmax()) if single else target.tolist(),
        "item_columns": given_values(items.columns, item),
    }
    return {name: value for name, value in fields.items() if value or (name == "target" and single)}


def _logprob_fields(dataset: Dataset, row: int, rows: np.ndarray[Any, Any], systems: list[str]) -> dict[str, Any]:
    table = dataset.logprobs
    values = {systems[table.system[r]]: plain_number(float(table.value[r])) for r in rows}
    counts = {systems[table.system[r]]: int(table.n_tokens[r]) for r in rows if table.n_tokens[r] >= 0}
    of_output = int(dataset.outputs.n_tokens[row])
    if counts and of_output >= 0:
        counts = {system: counts.get(system, of_output) for system in values}
    fields: dict[str, Any] = {"logprobs": values} if values else {}
    if counts or of_output >= 0:
        fields["n_tokens"] = counts or of_output
    return fields


def _judgment(
    dataset: Dataset, row: int, annotators: list[str], criteria: list[str], labels: list[str]
) -> dict[str, Any]:
    table = dataset.judgments
    kind, label = JUDGED[table.kind[row]], int(table.label[row])
    record: dict[str, Any] = {
        "annotator": annotators[table.annotator[row]],
        "criterion": criteria[table.criterion[row]],
        "value": labels[label] if label >= 0 else plain_number(float(table.value[row])),
    }
    if kind != "output":
        record["unit"] = kind
    if table.other[row] >= 0:
        record["other"] = dataset.ids(kind)[int(table.other[row])]
    return record | given_values(table.columns, row)


def given_values(columns: Mapping[str, Values], row: int) -> dict[str, Any]:
    """The values of a row, without gaps. Infinities stay numbers, so that the column does."""
    row_values: dict[str, Any] = {}
    for name, values in columns.items():
        value: Any = values[row] if isinstance(values, Strings) else float(values[row])
        if value != "" and value == value:
            row_values[name] = plain_number(value) if isinstance(value, float) and not isinf(value) else value
    return row_values


def plain_number(value: float) -> float | int | str:
    """A number for JSON: integral ones as int (except -0.0), infinities as texts."""
    if isinf(value):
        return "-inf" if value < 0 else "inf"
    return int(value) if is_whole(value) else value
