"""Response sets as in diversity-eval (Tevet and Berant 2021): a row per set, a column per response.

    sample_id, context, label_value, label_name, resp_0 ... resp_k, metric_*

A set is named by `sample_id` and its label, with `#2` on a second one of the same name; an item is a context, so that
sets of one context stay together when data is split. All columns but the responses and the context are set columns:
`column('metric_abs_hds_mean')` scores sets with a stored metric. If the label is a decoding parameter, it is a
parameter of the outputs too and the system is named after it; other sets are human-written.

Empty cells after the last response are ignored (sets may differ in size); one between responses is an empty text. A
set without any response gets one empty text, so that it stays in the data and metrics count it as a gap.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.special.whole import check_whole, free_name, written
from assay.io.tabular.cells import Cells, read_cells, write_cells
from assay.kernels.ragged import Ragged
from assay.records import Dataset

# Labels that are decoding parameters, and the names of the parameters.
PARAMETERS = {
    "temp": "temperature",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
}
# Labels of sets that people wrote on instruction.
HUMAN_WRITTEN = ("content_diversity",)
RESPONSE = re.compile(r"resp_([0-9]+)")


def read_diversity(path: Path) -> Dataset:
    """Read response sets."""
    return _dataset(read_cells(path), path.stem)


def write_diversity(dataset: Dataset, path: Path) -> None:
    """Write response sets; data that this format cannot represent is an error."""
    cells = _cells(dataset, path.name)
    check_whole(dataset, lambda: _dataset(cells, path.stem), path, "diversity")
    write_cells(cells, path)


def _dataset(cells: Cells, stem: str) -> Dataset:
    samples = cells.column("sample_id", "a file of response sets")
    responses = sorted((name for name in cells.columns if RESPONSE.fullmatch(name)), key=lambda name: int(name[5:]))
    if not responses:
        raise DataError(f"{cells.source} line 1: no column resp_0, which a file of response sets needs.")
    about = {
        name: cells.values(name) if name == "label_value" or name.startswith("metric_") else cells.kept(name)
        for name in cells.columns
        if name not in {"sample_id", "context", *responses}
    }
    records: list[dict[str, Any]] = []
    lines: list[int] = []
    taken: set[str] = set()
    for row, (line, sample) in enumerate(zip(cells.lines, samples, strict=True)):
        texts = _responses([cells.columns[name][row] for name in responses])
        if not sample:
            raise DataError(f"{cells.source} line {line}: no sample_id. Fill the cell, or remove the line.")
        columns = {"sample_id": sample} | {name: values[row] for name, values in about.items()}
        shared = _shared_fields(cells, row, columns, taken)
        for position, text in enumerate(texts):
            record = {"id": f"{shared['set']}|{position}", "text": text} | shared
            records.append(record if position else record | {"set_columns": columns})
            lines.append(line)
    return Dataset.from_records(records, cells.source, lines=lines, default_system=stem)


def _cells(dataset: Dataset, source: str) -> Cells:
    """The rows that represent this dataset, as far as the format can."""
    sets = dataset.sets
    texts = [[dataset.outputs.text[int(row)] for row in rows] for rows in _rows(dataset.outputs_by_set)]
    columns: dict[str, list[str]] = {
        "sample_id": sets.id.to_list(),
        "context": [dataset.items.context[int(item)] for item in sets.item],
    }
    described = {name: written(values) for name, values in sets.columns.items()}
    for name in ("sample_id", "label_value", "label_name"):
        if name in described:
            columns[name] = described.pop(name)
    for position in range(max(len(responses) for responses in texts)):
        columns[f"resp_{position}"] = [responses[position] if position < len(responses) else "" for responses in texts]
    return Cells.of(source, columns | described)


def _rows(ragged: Ragged) -> list[Any]:
    return [ragged[row] for row in range(len(ragged))]


def _responses(cells: list[str]) -> list[str]:
    while len(cells) > 1 and not cells[-1]:
        cells.pop()
    return cells


def _shared_fields(cells: Cells, row: int, columns: dict[str, Any], taken: set[str]) -> dict[str, Any]:
    """The fields shared by all outputs of a set: set, item, system and the parameter."""
    sample, label, label_name = (columns.get(name, "") for name in ("sample_id", "label_value", "label_name"))
    labeled = label != "" and label == label
    name = free_name(f"{sample}|{label}" if labeled else sample, taken)
    taken.add(name)
    context = cells.columns["context"][row] if "context" in cells.columns else ""
    fields: dict[str, Any] = {"set": name} | ({"context": context} if context else {"item": sample})
    if label_name in PARAMETERS and isinstance(label, float) and labeled:
        return fields | {"system": f"{label_name}{label}", "params": {PARAMETERS[label_name]: label}}
    return fields | ({"system": "people", "human": True} if label_name in HUMAN_WRITTEN else {})
