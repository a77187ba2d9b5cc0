"""Which prompts begin alike, so that their beginning is computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

WORTH_SHARING = 256
"""Tokens not computed again that are worth a pass of their own."""


class Beginning(NamedTuple):
    """The prompts, by place, whose first `length` tokens are the same."""

    places: list[int]
    length: int


def shared_beginnings(prompts: Sequence[tuple[int, ...]]) -> list[Beginning]:
    """Groups of prompts with a beginning worth computing once; no other groups along the tree of prompts save more."""
    order = sorted(range(len(prompts)), key=lambda place: prompts[place])
    common = np.array([common_length(prompts[a], prompts[b]) for a, b in pairwise(order)], np.int64)
    _, groups = _best(common, 0, len(order))
    return [Beginning(order[start:stop], int(common[start : stop - 1].min())) for start, stop in groups]


def _best(common: NDArray[np.int64], start: int, stop: int) -> tuple[int, list[tuple[int, int]]]:
    """The tokens saved by one group of sorted prompts, or by groups of its branches, and these groups."""
    if stop - start < 2:
        return 0, []
    between = common[start : stop - 1]
    shortest = int(between.min())
    parts = [_best(common, *branch) for branch in _branches(between, shortest, start, stop)]
    apart = sum(saved for saved, _ in parts)
    together = (stop - start - 1) * shortest - WORTH_SHARING
    if together >= max(apart, 0):
        return together, [(start, stop)]
    return apart, [group for _, groups in parts for group in groups]


def _branches(between: NDArray[np.int64], shortest: int, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Runs of prompts that share more than the shortest beginning."""
    edges = [start, *(start + 1 + int(at) for at in np.flatnonzero(between == shortest)), stop]
    yield from pairwise(edges)


def common_length(one: Sequence[object], other: Sequence[object]) -> int:
    """How many tokens, or characters, two prompts begin with alike."""
    if one == other:
        return len(one)
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
