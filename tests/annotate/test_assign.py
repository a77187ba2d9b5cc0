"""Assignment: the stated probability is the one with which a unit is chosen."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from assay.annotate.assign import (
    Candidate,
    Chosen,
    Group,
    balanced,
    group,
    latin_blocks,
    page_blocks,
    places,
    stratified,
    with_checks,
)
from assay.annotate.service import Unit

CANDIDATES = [Candidate(n, live=[0, 1, 1, 1, 1, 1, 2, 2][n], stratum="aabbbcca"[n]) for n in range(8)]
DRAWS = 4000


@pytest.mark.parametrize("n", range(1, 9))
@pytest.mark.parametrize("policy", ["balanced", "stratified"])
def test_probabilities_are_frequencies(policy: str, n: int) -> None:
    rng = np.random.default_rng(n)
    counts: Counter[int] = Counter()
    stated: dict[int, set[float]] = defaultdict(set)
    for _ in range(DRAWS):
        chosen = balanced(CANDIDATES, n, rng) if policy == "balanced" else stratified(CANDIDATES, n, {"b": 1}, rng)
        assert len({one.unit for one in chosen}) == len(chosen) == n
        for one in chosen:
            counts[one.unit] += 1
            stated[one.unit].add(one.probability)
    for unit, probabilities in stated.items():
        (probability,) = probabilities
        assert abs(counts[unit] / DRAWS - probability) <= 4 * np.sqrt(probability * (1 - probability) / DRAWS) + 1e-12
    assert sum(next(iter(one)) for one in stated.values()) == pytest.approx(n)


def test_the_fewest_come_first_and_strata_evenly() -> None:
    rng = np.random.default_rng(0)
    assert Chosen(0, 1.0) in balanced(CANDIDATES, 3, rng)
    even = [Candidate(n, 0, "ab"[n % 2]) for n in range(10)]
    taken = Counter("ab"[one.unit % 2] for one in stratified(even, 4, {}, rng))
    assert taken == {"a": 2, "b": 2}
    assert stratified(even, 2, {"a": 5}, rng)[0].unit % 2 == 1
    assert balanced([], 3, rng) == [] and group([], rng) is None
    assert group([Group(1, 4), Group(2, 3), Group(5, 3)], rng) in [(2, 0.5), (5, 0.5)]


def test_checks_stand_anywhere_and_the_others_keep_their_order() -> None:
    rng = np.random.default_rng(0)
    units, checks = [Chosen(n, 1.0) for n in range(3)], [Chosen(9, 1.0)]
    places = Counter()
    for _ in range(DRAWS):
        page = with_checks(units, checks, rng)
        assert [one for one in page if one.unit < 9] == units
        places[page.index(checks[0])] += 1
    assert len(places) == 4 and min(places.values()) > DRAWS / 4 * 0.85


def test_lists_are_latin_squares() -> None:
    units = [Unit(f"{item}{system}", "output", {}, str(item), system) for item in range(6) for system in "abc"]
    blocks = latin_blocks(units)
    for block in range(3):
        members = [unit for unit, of in zip(units, blocks, strict=True) if of == block]
        assert len({unit.item for unit in members}) == len(members) == 6
        assert Counter(unit.stratum for unit in members) == {"a": 2, "b": 2, "c": 2}
    pages = Counter(page_blocks(23, 5, np.random.default_rng(0)))
    assert sorted(pages.values()) == [3, 5, 5, 5, 5]


def test_places_are_a_uniform_draw_of_those_that_count() -> None:
    rng, size, left_out = np.random.default_rng(0), 6, {1, 4}
    counts: Counter[int] = Counter()
    for _ in range(DRAWS):
        drawn = [place for place in places(size, len(left_out), 2, rng) if place not in left_out][:2]
        assert len(set(drawn)) == 2
        counts.update(drawn)
    assert set(counts) == {0, 2, 3, 5}
    assert all(abs(n / DRAWS - 0.5) <= 4 * np.sqrt(0.25 / DRAWS) for n in counts.values())
    assert sorted(places(3, 2, 1, rng)) == [0, 1, 2]
