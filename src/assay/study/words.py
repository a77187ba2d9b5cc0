"""Sentences of the first screen that stay short whatever the data."""

from __future__ import annotations

from collections.abc import Sequence

MOST_NAMES = 5


def listed(names: Sequence[str]) -> str:
    """`a, b and c`; of many only the first, and how many more there are."""
    if len(names) > MOST_NAMES + 1:
        return f"{', '.join(names[:MOST_NAMES])} and {len(names) - MOST_NAMES} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
