"""Which prompts begin alike, so that their beginning is computed once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

WORTH_SHARING = 256
"""Tokens not computed again that are worth a pass of their own."""


class Beginning(NamedTuple):
    """The prompts, by place, whose first `length` tokens are the same."""

    places: list[int]
    length: int


def shared_beginnings(prompts: Sequence[tuple[int, ...]]) -> list[Beginning]:
    """Groups of prompts with a beginning worth computing once; no other runs of sorted prompts save more."""
    order = sorted(range(len(prompts)), key=lambda place: prompts[place])
    common = np.array([common_length(prompts[a], prompts[b]) for a, b in pairwise(order)], np.int64)
    # From the last prompt to the first: the most that can be saved from here on, and where the group that begins ends.
    saved = np.zeros(len(order) + 1, np.int64)
    stops = np.arange(1, len(order) + 1)
    for start in reversed(range(len(order) - 1)):
        lengths = np.minimum.accumulate(common[start:])
        together = lengths * np.arange(1, len(lengths) + 1) - WORTH_SHARING + saved[start + 2 :]
        best = int(together.argmax())
        saved[start] = saved[start + 1]
        if together[best] > saved[start]:
            saved[start], stops[start] = together[best], start + 2 + best
    groups = []
    start = 0
    while start < len(order):
        stop = int(stops[start])
        if stop - start > 1:
            groups.append(Beginning(order[start:stop], int(common[start : stop - 1].min())))
        start = stop
    return groups


def common_length(one: Sequence[object], other: Sequence[object]) -> int:
    """How many tokens, or characters, two prompts begin with alike."""
    if one == other:
        return len(one)
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
