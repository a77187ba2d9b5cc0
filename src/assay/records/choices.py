"""Choices of a game: texts, colors such as "hsl(313, 99%, 50%)", or records of named features.

A column holds texts, so a record is stored as JSON with sorted keys. Writers write such a text as a record: read
again, it is the same text.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import isfinite
from typing import TYPE_CHECKING, Any

from assay.text.strings import Strings, joined

if TYPE_CHECKING:
    from assay.records.dataset import Dataset

# The judgment column with the position of the choice that a listener picked.
CHOICE = "choice"

Feature = str | int | float | bool


def choice_text(choice: Any) -> str:
    """The text of a choice. A ValueError says what else it is."""
    if isinstance(choice, str):
        return choice
    if not isinstance(choice, Mapping):
        raise ValueError("neither a text nor a record of features")
    given = {name: value for name, value in choice.items() if value is not None}
    for name, value in given.items():
        if not isinstance(name, str) or not is_feature(value):
            raise ValueError(f"a record whose feature {name!r} is not a text, a number, true or false")
    if not given:
        raise ValueError("a record without features")
    return json.dumps(given, ensure_ascii=False, sort_keys=True)


def features(choice: str) -> dict[str, Feature] | None:
    """The features of a choice that is a record, else None."""
    if not choice.startswith("{"):
        return None
    try:
        record = json.loads(choice)
        return record if choice_text(record) == choice else None
    except (ValueError, RecursionError):
        return None


def written_choices(choices: Sequence[str]) -> list[str | dict[str, Feature]]:
    """The choices of an item as a file holds them."""
    return [features(choice) or choice for choice in choices]


def game_keys(dataset: Dataset) -> Strings:
    """One byte string per output, equal if and only if the text and the choices are equal. Not decodable."""
    return joined([dataset.outputs.text, dataset.items.choices.keys().take(dataset.outputs.item)], "\0")


def is_feature(value: object) -> bool:
    """Whether a value can be a feature."""
    return isinstance(value, str | bool | int) or (isinstance(value, float) and isfinite(value))
