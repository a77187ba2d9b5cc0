"""Write outputs and judgments as an MTurk batch: a row per assignment, with the mapping that reads it in a TOML beside.

A page has one text. Outputs that nobody judged are on a row without an assignment.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.atomic import replacing
from assay.io.special.mturk import read_mturk
from assay.io.special.mturk_mapping import read_mapping
from assay.io.tabular.cells import Cells, write_cells
from assay.records import Dataset, Output
from assay.records.columns import written_number

FIELDS = {
    "id": "Input.id",
    "text": "Input.text",
    "context": "Input.context",
    "item": "Input.item",
    "system": "Input.system",
}


def write_mturk(dataset: Dataset, path: Path) -> None:
    """Write the batch and its mapping; texts and judgments that would be read back differently are refused."""
    mapping = path.with_suffix(".toml")
    if len(dataset.judgments) > len(dataset.judgments.about("output")):
        raise DataError(f"{path}: judgments about sets, systems or pairs have no place in a batch of texts.")
    rows = [row for number, output in enumerate(dataset.iter_outputs(), 1) for row in _rows(number, output)]
    names = list(dict.fromkeys(name for row in rows for name in row))
    with replacing(mapping) as temporary_mapping:
        temporary_mapping.write_text(_mapping(dataset), encoding="utf-8")
        with replacing(path) as temporary:
            write_cells(Cells.of(path.name, {name: [row.get(name, "") for row in rows] for name in names}), temporary)
            back = read_mturk(temporary, read_mapping(temporary_mapping), keep_worker_ids=True)
            if _content(back) != _content(dataset):
                raise DataError(
                    f"{path}: an MTurk batch cannot represent this dataset: a label looks like a number, or a text is "
                    "empty. Write a flat file (.jsonl, .csv, .parquet) or a folder instead."
                )


def _rows(number: int, output: Output) -> Iterator[dict[str, str]]:
    about = {
        "HITId": f"{number}",
        "Input.id": output.id,
        "Input.text": output.text,
        "Input.context": output.item.context,
        "Input.item": output.item.id,
        "Input.system": output.system,
    }
    annotators = dict.fromkeys(one.annotator for one in output.judgments)
    if not annotators:
        yield about | {"AssignmentId": "", "WorkerId": "", "AssignmentStatus": "Unassigned"}
    for place, annotator in enumerate(annotators, 1):
        answers = {
            f"Answer.{one.criterion}": one.value if isinstance(one.value, str) else written_number(one.value)
            for one in output.judgments
            if one.annotator == annotator
        }
        given = {"AssignmentId": f"{number}-{place}", "WorkerId": annotator, "AssignmentStatus": "Submitted"}
        yield about | given | answers


def _mapping(dataset: Dataset) -> str:
    people = [name for name, human in zip(dataset.systems.id, dataset.systems.human, strict=True) if human]
    lines = ["[page]", 'id = "HITId"', "texts = 1", "", "[text]"]
    lines += [f"{field} = {_quoted(column)}" for field, column in FIELDS.items()]
    lines += ["", "[systems]", f"people = {_quoted(people)}", "", "[valid]", 'AssignmentStatus = ["Submitted"]']
    for name in dataset.judgments.criteria:
        lines += ["", "[[answers]]", f"column = {_quoted(f'Answer.{name}')}", f"criterion = {_quoted(name)}"]
    for name, criterion in dataset.criteria.items():
        lines += ["", f"[criteria.{_quoted(name)}]"]
        declared = criterion.as_record()
        anchors = declared.pop("anchors", {})
        lines += [f"{key} = {_quoted(value)}" for key, value in declared.items()]
        if anchors:
            lines.append("anchors = {" + ", ".join(f"{_quoted(k)} = {_quoted(v)}" for k, v in anchors.items()) + "}")
    return "\n".join(lines) + "\n"


def _quoted(value: Any) -> str:
    """A text, number or list in TOML, which writes them as JSON does."""
    return json.dumps(value, ensure_ascii=False)


def _content(dataset: Dataset) -> list[tuple[object, ...]]:
    return [
        (one.id, one.text, one.system, one.human, one.item.id, one.item.context, frozenset(one.judgments))
        for one in dataset.iter_outputs()
    ]
