"""Columns whose names differ in one part: output_gpt4 and output_llama."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.io.mapping.columns import Source
from assay.io.mapping.paths import Path
from assay.io.mapping.profile import Profile, normalized

_ODD = re.compile(r"[\[\]{}*,=`'\"]")


def families(columns: Sequence[Profile]) -> list[tuple[str, str, list[Profile]]]:
    """Groups of columns that differ in their first or last part alone: a path, the common name, the columns."""
    groups: dict[tuple[str, str], list[Profile]] = defaultdict(list)
    for column in columns:
        path = column.path
        if _ODD.search(path):
            continue
        for at in (match.start() for match in re.finditer(r"[_. -]", path)):
            start, mark, end = path[:at], path[at], path[at + 1 :]
            if start and end:
                groups[f"{start}{mark}{{system}}", normalized(start)].append(column)
                if mark != ".":
                    groups[f"{{system}}{mark}{end}", normalized(end)].append(column)
    return [(path, base, group) for (path, base), group in groups.items() if len(group) > 1]


def named_after(
    placeholder: str, sources: Iterable[Source], rows: Sequence[tuple[int, Mapping[str, Any]]]
) -> list[str]:
    """The different names that paths remember."""
    paths = [source for source in sources if isinstance(source, Path) and placeholder in source.placeholders]
    found = (match.names.get(placeholder) for path in paths for _, row in rows for match in path.matches(row))
    return list(dict.fromkeys(str(name) for name in found if name is not None))


def common_start(texts: Iterable[str]) -> str:
    """What all texts start with, without digits at its end."""
    first, *others = texts
    length = 0
    while length < len(first) and all(text[: length + 1] == first[: length + 1] for text in others):
        length += 1
    return first[:length].rstrip("0123456789")
