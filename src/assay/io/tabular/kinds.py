"""What the values of a column are, for formats whose cells are only texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.records.columns import looks_like_number

Kind = Literal["text", "texts", "json", "number", "flag", "answer", "mixed"]

# Column names and kinds, in the order of writing. An `answer` is a number or a text, cell by cell; a `mixed` column
# holds only numbers or only texts.
Kinds = Mapping[str, Kind]

# Called with a line number and what is wrong with it.
Problem = Callable[[int, str], None]

# The kinds of all columns that have a meaning in some table; any other column is `mixed`.
KNOWN: Kinds = {
    **dict.fromkeys(("id", "item", "system", "set", "context", "text"), "text"),
    **dict.fromkeys(("output", "unit", "kind", "other", "annotator", "criterion"), "text"),
    **dict.fromkeys(("references", "choices"), "texts"),
    **dict.fromkeys(("target", "logprobs", "n_tokens", "params", "judgments"), "json"),
    **dict.fromkeys(("item_columns", "set_columns"), "json"),
    "logprob": "number",
    "human": "flag",
    "value": "answer",
}

FLAGS = {"true": True, "false": False, "1": True, "0": False, "yes": True, "no": False}


@dataclass(frozen=True)
class Chunk:
    """Some rows: a column is a list of Python values, or `Strings`, `StringLists` or numbers ready to use."""

    columns: Mapping[str, Any]
    lines: NDArray[np.int64]


def kind_of(name: str) -> Kind:
    """The kind of a column."""
    return KNOWN.get(name, "mixed")


def decode(cell: str, kind: Kind) -> Any:
    """Read a cell of a known kind; an empty one is a gap. A cell that does not fit is left for its reader to refuse."""
    if cell == "" and kind != "text":
        return None
    if kind == "flag":
        return FLAGS.get(cell.strip().lower(), cell)
    if kind == "answer" and not looks_like_number(cell) and not cell.startswith('"'):
        return cell
    if kind in ("json", "texts", "number", "answer"):
        try:
            return json.loads(cell)
        except (ValueError, RecursionError):
            return cell
    return cell


def encode(value: Any, kind: Kind) -> str:
    """Write a value of a known kind as a cell."""
    if value is None:
        return ""
    if kind == "flag":
        return "true" if value else "false"
    if kind == "number" and isinstance(value, float):
        return repr(value)
    if isinstance(value, str) and kind != "json":
        ambiguous = kind in ("answer", "mixed") and (looks_like_number(value) or value.startswith('"'))
        return json.dumps(value, ensure_ascii=False) if ambiguous else value
    return json.dumps(value, ensure_ascii=False)
