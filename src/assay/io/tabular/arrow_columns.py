"""Columns of Arrow as ours: texts without a Python object each, and every other type exactly, as text, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.io.arrow import arrow, strings_from_arrow
from assay.io.tabular.kinds import Kind, Problem, decode_all
from assay.io.tabular.strict_json import Unusable
from assay.records.fields import MOST_EXACT
from assay.text.lists import StringLists


def column_from_arrow(column: Any, name: str, kind: Kind, lines: Sequence[int], problem: Problem) -> Any:
    """Make a column of a chunk from one of Arrow; a text that is not UTF-8 or JSON that cannot be kept is a problem."""
    pa = arrow()
    if pa.types.is_map(column.type):
        return [None if pairs is None else dict(pairs) for pairs in column.to_pylist()]
    column = _plain_type(column, name, lines, problem)
    kept = column.type
    is_text = pa.types.is_large_string(kept)
    if kind == "text":
        if is_text or pa.types.is_integer(kept):
            # A null text must be reported, so it stays a Python value; any other null is an empty name.
            return column.to_pylist() if name == "text" and column.null_count else strings_from_arrow(column)
        return column.to_pylist()
    if kind == "texts" and (pa.types.is_list(kept) or pa.types.is_large_list(kept)):
        return _string_lists(column)
    if kind == "mixed" and is_text:
        return strings_from_arrow(column)
    if kind == "mixed" and (pa.types.is_floating(kept) or (pa.types.is_integer(kept) and _is_exact(column))):
        return column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    values = column.to_pylist()
    return values if kind == "mixed" else decode_all(values, name, kind, lines, problem)


def _plain_type(column: Any, name: str, lines: Sequence[int], problem: Problem) -> Any:
    """The same column as texts, numbers, flags, lists or objects; times, dates and decimals as they are printed."""
    pa = arrow()
    types = pa.types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    kept = column.type
    if types.is_string(kept) or types.is_large_string(kept) or types.is_binary(kept) or types.is_large_binary(kept):
        return _utf8(column, name, lines, problem)
    if types.is_fixed_size_binary(kept) or str(kept) in ("string_view", "binary_view"):
        return _utf8(column.cast(pa.large_binary()), name, lines, problem)
    if types.is_timestamp(kept):
        import pyarrow.compute as pc

        return pc.replace_substring(column.cast(pa.large_string()), " ", "T", max_replacements=1)
    if types.is_date(kept) or types.is_time(kept) or types.is_decimal(kept):
        return column.cast(pa.large_string())
    if types.is_duration(kept) or types.is_interval(kept) or _holds_bytes(kept):
        raise Unusable(
            f"the column {name!r} is of the type {kept}, which has no text of its own. Leave it out, or store numbers "
            "or texts."
        )
    if types.is_nested(kept):
        _check_nested(column, name)
    return column


def _check_nested(column: Any, name: str) -> None:
    try:
        column.validate(full=True)
    except arrow().ArrowInvalid:
        raise Unusable(f"the column {name!r} holds texts that are not UTF-8. Store them as UTF-8.") from None


def _holds_bytes(kept: Any) -> bool:
    """Say whether lists or objects hold bytes, which JSON does not know."""
    types = arrow().types
    if types.is_nested(kept):
        return any(_holds_bytes(kept.field(place).type) for place in range(kept.num_fields))
    return bool(types.is_binary(kept) or types.is_large_binary(kept) or types.is_fixed_size_binary(kept))


def _utf8(column: Any, name: str, lines: Sequence[int], problem: Problem) -> Any:
    pa = arrow()
    texts = column.cast(pa.large_binary())
    try:
        return texts.cast(pa.large_string())
    except pa.ArrowInvalid:
        pass
    kept: list[str | None] = []
    for line, value in zip(lines, texts.to_pylist(), strict=True):
        try:
            kept.append(None if value is None else value.decode())
        except UnicodeDecodeError as error:
            problem(line, f"{name} is not UTF-8 (at byte {error.start + 1}). Store texts as UTF-8, and no other bytes.")
            kept.append("")
    return pa.array(kept, pa.large_string())


def _is_exact(column: Any) -> bool:
    """Say whether floats hold the whole numbers of a column."""
    import pyarrow.compute as pc

    least, most = (pc.min_max(column)[key].as_py() or 0 for key in ("min", "max"))
    return -MOST_EXACT <= least and most <= MOST_EXACT


def _string_lists(column: Any) -> Any:
    pa = arrow()
    if column.flatten().null_count or not (
        pa.types.is_string(column.type.value_type) or pa.types.is_large_string(column.type.value_type)
    ):
        return column.to_pylist()
    lengths = column.value_lengths().fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return StringLists(strings_from_arrow(column.flatten()), offsets)
