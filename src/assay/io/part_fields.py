"""What is read of lines: where parts are brought together, fields that nobody reads are left out.

Texts and references take most of the memory of data, and what compares whole systems often needs neither.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.records.columns import IS_REFERENCE
from assay.records.flat import FIELDS
from assay.text.strings import Strings
from assay.text.tokenizers import tokenize

Fields = frozenset[str]

# What a shape may say that it reads, and the fields of a line that hold it; `columns` also has those of users.
HELD_IN: dict[str, tuple[str, ...]] = {
    "text": ("text",),
    "context": ("context",),
    "references": ("references",),
    "choices": ("choices", "target"),
    "logprobs": ("logprob", "logprobs", "n_tokens"),
    "judgments": ("judgments", "criteria"),
    "columns": ("params", "item_columns", "set_columns"),
}
EVERYTHING: Fields = frozenset(HELD_IN)
ALWAYS = ("id", "item", "system", "set", "human")


def only(columns: Mapping[str, Any], n: int, read: Fields) -> dict[str, Any]:
    """The columns of n lines that are read; texts that are not are empty."""
    wanted = {*ALWAYS, *(field for group in read for field in HELD_IN[group])}
    kept = {name: values for name, values in columns.items() if name in wanted or _own(name, read)}
    if "text" not in read:
        kept["text"] = Strings.empty(n)
    if "context" in columns and not _all_named(columns.get("item")):
        kept["context"] = columns["context"]  # it names the item
    return kept


def rows_of(columns: Mapping[str, Any], system: str) -> tuple[dict[str, Any], NDArray[np.int64]]:
    """The lines of one system, and their numbers."""
    codes, names = _strings(columns["system"]).factorize()
    rows = np.flatnonzero(np.array([name == system for name in names], bool)[codes])
    return {name: _taken(values, rows) for name, values in columns.items()}, rows


def word_counts(texts: Any) -> NDArray[np.int64]:
    """The whitespace-separated words of texts: what counts as tokens where data does not say."""
    return np.diff(tokenize(_strings(texts), "whitespace").offsets)


def _own(name: str, read: Fields) -> bool:
    """Whether a column of the user is read."""
    return name not in FIELDS and ("columns" in read or (name == IS_REFERENCE and "references" in read))


def _all_named(items: Any) -> bool:
    if items is None:
        return False
    return bool((items.lengths > 0).all()) if isinstance(items, Strings) else all(items)


def _strings(values: Any) -> Strings:
    return values if isinstance(values, Strings) else Strings.of("" if one is None else str(one) for one in values)


def _taken(values: Any, rows: NDArray[np.int64]) -> Any:
    return [values[row] for row in rows.tolist()] if isinstance(values, list) else values.take(rows)
