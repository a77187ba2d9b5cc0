"""Annotations of potato: `annotated_instances.jsonl` of an annotator, or the exported tables of all.

A schema is a criterion. The answer is the name of the chosen label, or the value of a scale, slider or number; free
texts are not judgments. Exported tables of newer versions have no texts: their outputs are empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.io.special.annotators import Annotators
from assay.io.tabular.rows import Row, read_rows
from assay.records.columns import number_in

# Labels whose value is the answer.
VALUED = ("scale", "slider", "number", "rating", "value")
SEPARATOR = ":::"
# Where `potato_rows` puts the name of the annotator, which older files do not hold.
ANNOTATOR = "annotator of the folder"


def recognizes(first: Mapping[str, Any]) -> bool:
    """Whether a row holds the labels that an annotator gave to an instance."""
    if isinstance(first.get("label_annotations"), dict):
        return "id" in first
    if {"instance_id", "user_id"} <= set(first):
        return isinstance(first.get("labels"), dict) or any("." in key for key in first)
    return {"user", "instance_id"} <= set(first) and any(SEPARATOR in key for key in first)


def read(rows: Sequence[Row], source: str, annotators: Annotators) -> list[tuple[int, dict[str, Any]]]:
    """An output per instance, with the answers of all its annotators."""
    outputs: dict[str, tuple[int, dict[str, Any]]] = {}
    for line, row in rows:
        name = str(row.get("instance_id", row.get("id")))
        _, record = outputs.setdefault(
            name, (line, {"id": name, "text": str(row.get("displayed_text") or ""), "judgments": []})
        )
        annotator = annotators.name(row.get("user_id", row.get("user", row.get(ANNOTATOR, source))))
        for schema, labels in _schemas(row).items():
            answers = [answer for label, value in labels.items() if (answer := _answer(label, value)) is not None]
            if answers:
                value = answers[0] if len(answers) == 1 else ", ".join(map(str, answers))
                record["judgments"].append({"annotator": annotator, "criterion": schema, "value": value})
    return list(outputs.values())


def _schemas(row: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The labels of each schema with their values."""
    nested = row.get("label_annotations", row.get("labels"))
    if isinstance(nested, Mapping):
        return {schema: labels for schema, labels in nested.items() if isinstance(labels, dict)}
    schemas: dict[str, dict[str, Any]] = {}
    for key, value in row.items():
        for schema, label in _split(key):
            if value not in (None, ""):
                schemas.setdefault(schema, {})[label] = value
    return schemas


def _split(key: str) -> Iterator[tuple[str, str]]:
    separator = SEPARATOR if SEPARATOR in key else "."
    schema, found, label = key.partition(separator)
    if found and not label.startswith("_"):
        yield schema, label


def _answer(label: str, value: Any) -> Any:
    if value in (None, "", False, "false", "False"):
        return None
    if label.startswith("text_box") or label in ("text", "textbox"):
        return None
    if label.startswith(VALUED):
        number = number_in(value) if isinstance(value, str) else value
        return value if number is None else number
    return label


def potato_files(path: Path) -> list[Path]:
    """The annotations in a folder of annotators, `annotation_output/NAME/annotated_instances.jsonl`."""
    return sorted(path.glob("*/annotated_instances.jsonl"))


def potato_rows(path: Path) -> list[Row]:
    """The rows of all annotators; each is named after its folder."""
    rows: list[Row] = []
    for file in potato_files(path):
        rows += [(line, {**row, ANNOTATOR: file.parent.name}) for line, row in read_rows(file)]
    return rows
