"""Arrow columns as ours: texts without a Python object each; other types exactly, as text, or not at all."""

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
    """Convert an Arrow column of a chunk; text that is not UTF-8, or JSON that would lose values, is a problem."""
    pa = arrow()
    if pa.types.is_map(column.type):
        return [None if pairs is None else dict(pairs) for pairs in column.to_pylist()]
    column = _plain_type(column, name, lines, problem)
    type_ = column.type
    is_text = pa.types.is_large_string(type_)
    if kind == "text":
        if is_text or pa.types.is_integer(type_):
            # A null text must be reported, so it stays a Python None; any other null is an empty name.
            return column.to_pylist() if name == "text" and column.null_count else strings_from_arrow(column)
        return column.to_pylist()
    if kind == "texts" and (pa.types.is_list(type_) or pa.types.is_large_list(type_)):
        return _string_lists(column)
    if kind == "mixed" and is_text:
        return strings_from_arrow(column)
    if kind == "mixed" and (pa.types.is_floating(type_) or (pa.types.is_integer(type_) and _is_exact(column))):
        return column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
    values = column.to_pylist()
    return values if kind == "mixed" else decode_all(values, name, kind, lines, problem)


def _plain_type(column: Any, name: str, lines: Sequence[int], problem: Problem) -> Any:
    """The column as texts, numbers, flags, lists or objects; times, dates and decimals become text."""
    pa = arrow()
    types = pa.types
    if types.is_dictionary(column.type):
        column = column.dictionary_decode()
    type_ = column.type
    if types.is_string(type_) or types.is_large_string(type_) or types.is_binary(type_) or types.is_large_binary(type_):
        return _utf8(column, name, lines, problem)
    if types.is_fixed_size_binary(type_) or str(type_) in ("string_view", "binary_view"):
        return _utf8(column.cast(pa.large_binary()), name, lines, problem)
    if types.is_timestamp(type_):
        import pyarrow.compute as pc

        return pc.replace_substring(column.cast(pa.large_string()), " ", "T", max_replacements=1)
    if types.is_date(type_) or types.is_time(type_) or types.is_decimal(type_):
        return column.cast(pa.large_string())
    if types.is_duration(type_) or types.is_interval(type_) or _holds_bytes(type_):
        raise Unusable(
            f"the column {name!r} has the type {type_}, which has no text form. Leave it out, or store numbers or "
            "texts."
        )
    if types.is_nested(type_):
        _check_nested(column, name)
    return column


def _check_nested(column: Any, name: str) -> None:
    try:
        column.validate(full=True)
    except arrow().ArrowInvalid:
        raise Unusable(f"the column {name!r} contains texts that are not UTF-8. Store them as UTF-8.") from None


def _holds_bytes(type_: Any) -> bool:
    """Whether lists or objects contain bytes, which JSON does not support."""
    types = arrow().types
    if types.is_nested(type_):
        return any(_holds_bytes(type_.field(place).type) for place in range(type_.num_fields))
    return bool(types.is_binary(type_) or types.is_large_binary(type_) or types.is_fixed_size_binary(type_))


def _utf8(column: Any, name: str, lines: Sequence[int], problem: Problem) -> Any:
    pa = arrow()
    texts = column.cast(pa.large_binary())
    try:
        return texts.cast(pa.large_string())
    except pa.ArrowInvalid:
        pass
    decoded: list[str | None] = []
    for line, value in zip(lines, texts.to_pylist(), strict=True):
        try:
            decoded.append(None if value is None else value.decode())
        except UnicodeDecodeError as error:
            problem(line, f"{name} is not UTF-8 (at byte {error.start + 1}). Store texts as UTF-8, and no other bytes.")
            decoded.append("")
    return pa.array(decoded, pa.large_string())


def _is_exact(column: Any) -> bool:
    """Whether all integers of a column are exact as floats."""
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
