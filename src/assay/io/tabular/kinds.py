"""Kinds of columns, for formats whose cells are plain text."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.io.tabular.strict_json import Unusable, parse
from assay.records.columns import looks_like_number

Kind = Literal["text", "texts", "json", "number", "flag", "answer", "marked", "mixed"]

# Column names and kinds, in writing order. An `answer` is a number or a text, cell by cell. A `mixed` column, only for
# reading, is all numbers or all texts; a `marked` one, only for writing, is texts that would be mistaken for numbers.
Kinds = Mapping[str, Kind]

# Called with a line number and a description of the problem.
Problem = Callable[[int, str], None]

# The kinds of all predefined columns; in tables that do not define them they are `mixed`.
KNOWN: Kinds = {
    **dict.fromkeys(("id", "item", "system", "set", "context", "text"), "text"),
    **dict.fromkeys(("output", "unit", "kind", "other", "annotator", "criterion"), "text"),
    **dict.fromkeys(("question", "scale", "better", "asks", "aspect"), "text"),
    **dict.fromkeys(("references", "choices", "labels"), "texts"),
    **dict.fromkeys(("target", "logprobs", "n_tokens", "params", "judgments", "criteria", "anchors"), "json"),
    **dict.fromkeys(("item_columns", "set_columns"), "json"),
    **dict.fromkeys(("logprob", "low", "high"), "number"),
    "human": "flag",
    "value": "answer",
}

FLAGS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


@dataclass(frozen=True)
class Chunk:
    """A block of rows: a column is a list of Python values, `Strings`, `StringLists` or an array of numbers."""

    columns: Mapping[str, Any]
    lines: NDArray[np.int64]


def kind_of(name: str, known: Collection[str]) -> Kind:
    """The kind of a column in a table that defines the columns `known`."""
    return KNOWN[name] if name in known else "mixed"


def decode(cell: str, kind: Kind) -> Any:
    """Decode a cell; an empty one is a gap. An invalid cell is returned unchanged, for its reader to report.

    Raises `Unusable` for JSON that would lose values.
    """
    if cell == "" and kind != "text":
        return None
    if kind == "flag":
        return FLAGS.get(cell.strip().lower(), cell)
    if kind == "answer" and not looks_like_number(cell):
        return _label(cell)
    if kind in ("json", "texts", "number", "answer"):
        try:
            return parse(cell)
        except Unusable:
            raise
        except (ValueError, RecursionError):
            return cell
    return cell


def _label(cell: str) -> str:
    """The label in a cell; labels that look like numbers or quoted strings are written as JSON strings."""
    if not cell.startswith('"'):
        return cell
    try:
        text = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    return text if isinstance(text, str) and encode(text, "answer") == cell else cell


def decode_all(values: Sequence[Any], name: str, kind: Kind, lines: Sequence[int], problem: Problem) -> list[Any]:
    """Decode the cells of a column; values that are not strings stay. An unusable cell is a problem and a gap."""
    decoded: list[Any] = []
    for value, line in zip(values, lines, strict=True):
        try:
            decoded.append(decode(value, kind) if isinstance(value, str) else value)
        except Unusable as error:
            problem(line, f"{name}: {error}")
            decoded.append(None)
    return decoded


def encode(value: Any, kind: Kind) -> str:
    """Encode a value as a cell."""
    if value is None:
        return ""
    if kind == "flag":
        return "true" if value else "false"
    if kind == "number" and isinstance(value, float):
        return repr(value)
    if isinstance(value, str) and kind != "json":
        ambiguous = kind == "marked" or (kind == "answer" and (looks_like_number(value) or value.startswith('"')))
        return json.dumps(value, ensure_ascii=False) if ambiguous else value
    return json.dumps(value, ensure_ascii=False)
