"""What the values of a column are, for formats whose cells are only texts."""

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

# Column names and kinds, in the order of writing. An `answer` is a number or a text, cell by cell. A `mixed` column,
# which is only read, holds only numbers or only texts; a `marked` one, which is only written, holds texts that would be
# taken for numbers.
Kinds = Mapping[str, Kind]

# Called with a line number and what is wrong with it.
Problem = Callable[[int, str], None]

# The kinds of all columns that have a meaning in some table; in tables where they have none they are `mixed`.
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
    """Some rows: a column is a list of Python values, or `Strings`, `StringLists` or numbers ready to use."""

    columns: Mapping[str, Any]
    lines: NDArray[np.int64]


def kind_of(name: str, known: Collection[str]) -> Kind:
    """The kind of a column in a table where the columns `known` have a meaning."""
    return KNOWN[name] if name in known else "mixed"


def decode(cell: str, kind: Kind) -> Any:
    """Read a cell of a known kind; an empty one is a gap. A cell that does not fit is left for its reader to refuse.

    `Unusable` says that a cell is JSON whose values would be lost.
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
    """The label in a cell: one that would be taken for a number or for a quoted one is written as a JSON string."""
    if not cell.startswith('"'):
        return cell
    try:
        text = json.loads(cell)
    except (ValueError, RecursionError):
        return cell
    return text if isinstance(text, str) and encode(text, "answer") == cell else cell


def decode_all(values: Sequence[Any], name: str, kind: Kind, lines: Sequence[int], problem: Problem) -> list[Any]:
    """Read the cells of a column; values that are no texts stay. What cannot be kept is a problem, and a gap."""
    found: list[Any] = []
    for value, line in zip(values, lines, strict=True):
        try:
            found.append(decode(value, kind) if isinstance(value, str) else value)
        except Unusable as error:
            problem(line, f"{name}: {error}")
            found.append(None)
    return found


def encode(value: Any, kind: Kind) -> str:
    """Write a value of a known kind as a cell."""
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
