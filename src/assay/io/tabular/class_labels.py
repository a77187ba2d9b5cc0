"""Class labels of the Hugging Face library datasets: numbers in the file, their names in its schema."""

from __future__ import annotations

import json
from typing import Any

from assay.io.arrow import arrow

_KEY = b"huggingface"


def with_class_names(batch: Any) -> Any:
    """The record batch with the names of class labels instead of their numbers; a number without a name is a gap."""
    pa = arrow()
    for column, names in _class_names(batch.schema).items():
        place = batch.schema.get_field_index(column)
        if place < 0 or not pa.types.is_integer(batch.schema.field(place).type):
            continue
        numbers = batch.column(place).to_pylist()
        named = [names[number] if number is not None and 0 <= number < len(names) else None for number in numbers]
        batch = batch.set_column(place, column, pa.array(named, pa.string()))
    return batch


def _class_names(schema: Any) -> dict[str, list[str]]:
    try:
        features = json.loads((schema.metadata or {}).get(_KEY, b"{}"))["info"]["features"]
        declared = {name: feature for name, feature in features.items() if isinstance(feature, dict)}
    except (KeyError, TypeError, AttributeError, ValueError):
        return {}
    return {
        name: list(map(str, feature["names"]))
        for name, feature in declared.items()
        if feature.get("_type") == "ClassLabel" and isinstance(feature.get("names"), list)
    }
