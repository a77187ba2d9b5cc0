"""Which units an annotator gets next: pure functions of the state and a random generator.

Each choice comes with the probability it had, given the state before it and before any answer is known, so that later
estimates can be weighted by it.

- `balanced`: the units with the fewest live assignments; ties are drawn.
- `blocks`: every unit is in one of several lists, by a Latin square over items and strata. A list holds an item once
  and, if every system has an output for every item, each system equally often. An annotator gets one list, and on each
  page the strata they saw least.
- `pages`: units are dealt into fixed pages once; an annotator gets the page with the fewest live assignments.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assay.annotate.records import Unit


class Candidate(NamedTuple):
    """A unit that an annotator may get, with its live assignments."""

    unit: int
    live: int
    stratum: str = ""


class Chosen(NamedTuple):
    """A unit, and the probability that it had of being on this page."""

    unit: int
    probability: float


_Take = Callable[[Sequence[Candidate], int], list[Chosen]]


class Group(NamedTuple):
    """A list or a page that an annotator may get; the one with the lowest rank is given."""

    block: int
    rank: int


def balanced(candidates: Sequence[Candidate], n: int, rng: np.random.Generator) -> list[Chosen]:
    """The n candidates with the fewest live assignments, in random order.

    Where not all with the same number fit, the draw is uniform: with k places for m candidates each has k / m.
    """
    return _by_level(candidates, n, lambda level, places: _drawn(level, places, rng), rng)


def places(size: int, left_out: int, n: int, rng: np.random.Generator) -> list[int]:
    """Places among `size` candidates in random order, enough to find n whichever `left_out` of them do not count.

    The first n that count are a uniform draw, as if the others were not there.
    """
    return rng.choice(size, min(size, n + left_out), replace=False).tolist()


def stratified(
    candidates: Sequence[Candidate], n: int, seen: Mapping[str, int], rng: np.random.Generator
) -> list[Chosen]:
    """As `balanced`, but candidates with equally few live assignments are taken from the strata seen least.

    Places go one at a time to the stratum with the fewest units seen or just placed. Only the last round can be a draw
    among strata, so a unit's probability is the expected number of places of its stratum over its candidates.
    """
    so_far = Counter(seen)

    def take(level: Sequence[Candidate], places: int) -> list[Chosen]:
        strata = defaultdict(list)
        for candidate in level:
            strata[candidate.stratum].append(candidate)
        sizes = {stratum: len(members) for stratum, members in strata.items()}
        certain, tied, left = _quotas(sizes, so_far, places)
        drawn = {tied[index] for index in rng.permutation(len(tied))[:left].tolist()}
        chosen = []
        for stratum, members in strata.items():
            share = certain[stratum] + (left / len(tied) if stratum in tied else 0.0)
            quota = certain[stratum] + (stratum in drawn)
            picked = rng.permutation(len(members))[:quota].tolist()
            chosen += [Chosen(members[index].unit, share / len(members)) for index in picked]
            so_far[stratum] += quota
        return chosen

    return _by_level(candidates, n, take, rng)


def group(groups: Sequence[Group], rng: np.random.Generator) -> tuple[int, float] | None:
    """One of the groups of the lowest rank and the probability that it had; None if there is no group."""
    if not groups:
        return None
    lowest = min(one.rank for one in groups)
    tied = sorted(one.block for one in groups if one.rank == lowest)
    return tied[int(rng.integers(len(tied)))], 1 / len(tied)


def with_checks(chosen: Sequence[Chosen], checks: Sequence[Chosen], rng: np.random.Generator) -> list[Chosen]:
    """A page with the checks at random places among the others, whose order stays."""
    n = len(chosen) + len(checks)
    places = set(rng.permutation(n)[: len(checks)].tolist())
    units, known = iter(chosen), iter(checks)
    return [next(known) if place in places else next(units) for place in range(n)]


def latin_blocks(units: Sequence[Unit]) -> list[int]:
    """The list of each unit: unit i of item j is in list i - j, so that no list has an item twice.

    Units of an item are numbered by stratum. There are as many lists as the item with the most units has.
    """
    items: dict[str, list[int]] = defaultdict(list)
    for row, unit in enumerate(units):
        items[unit.item or unit.id].append(row)
    n_lists = max(map(len, items.values()), default=1)
    blocks = [0] * len(units)
    for number, rows in enumerate(items.values()):
        for place, row in enumerate(sorted(rows, key=lambda row: (units[row].stratum, row))):
            blocks[row] = (place - number) % n_lists
    return blocks


def page_blocks(n_units: int, page_size: int, rng: np.random.Generator) -> list[int]:
    """The page of each unit, dealt at random; only the last page may be shorter."""
    return (np.argsort(rng.permutation(n_units), kind="stable") // page_size).tolist()


def _by_level(candidates: Sequence[Candidate], n: int, take: _Take, rng: np.random.Generator) -> list[Chosen]:
    levels = defaultdict(list)
    for candidate in candidates:
        levels[candidate.live].append(candidate)
    chosen: list[Chosen] = []
    for live in sorted(levels):
        places = min(n - len(chosen), len(levels[live]))
        if places > 0:
            chosen += take(levels[live], places)
    return [chosen[index] for index in rng.permutation(len(chosen)).tolist()]


def _drawn(level: Sequence[Candidate], places: int, rng: np.random.Generator) -> list[Chosen]:
    picked = rng.permutation(len(level))[:places].tolist()
    return [Chosen(level[index].unit, places / len(level)) for index in picked]


def _quotas(sizes: Mapping[str, int], seen: Mapping[str, int], places: int) -> tuple[Counter[str], list[str], int]:
    """The certain places of each stratum, and the strata among which the places left are drawn."""
    quota: Counter[str] = Counter()
    while places:
        open_strata = [stratum for stratum in sorted(sizes) if quota[stratum] < sizes[stratum]]
        fewest = min(seen.get(stratum, 0) + quota[stratum] for stratum in open_strata)
        tied = [stratum for stratum in open_strata if seen.get(stratum, 0) + quota[stratum] == fewest]
        if len(tied) > places:
            return quota, tied, places
        quota.update(tied)
        places -= len(tied)
    return quota, [], 0
