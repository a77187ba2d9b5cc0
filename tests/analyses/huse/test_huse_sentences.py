"""What the report says of a system by HUSE holds against a system equal to people."""

import numpy as np
import pytest

from assay.analyses.huse.equality import _Exchange, p_equal
from assay.analyses.huse.part import LOW, p_of_parts, sentence
from assay.analyses.huse.systems import SystemHuse, measure_system
from assay.evaluators.huse.measure import Rules, measure
from assay.evaluators.huse.problem import Problem, problem_from_arrays


def entry_of(problem: Problem, *, intervals: bool = True) -> SystemHuse:
    return measure_system("it", problem, None, Rules(), intervals, 0)


def said(problem: Problem) -> str:
    entry = entry_of(problem)
    return sentence(entry, p_of_parts(entry))


def world(seed: int, n: int, *, judged: float = 0.0, spread: float = 1.0) -> Problem:
    """N items with one output of people and one of a system that is judged lower, or is less varied."""
    rng = np.random.default_rng(seed)
    item, human = np.tile(np.arange(n), 2), np.arange(2 * n) < n
    quality = np.rint(2 * rng.normal(size=2 * n) - judged * ~human + rng.normal(size=n)[item])
    return problem_from_arrays(rng.normal(size=2 * n) * np.where(human, 1.0, spread), quality, human, group=item)


def test_a_system_equal_to_people_that_is_low_by_chance_is_not_blamed() -> None:
    drawn = [world(seed, 20) for seed in range(200)]
    entries = [entry_of(problem, intervals=False) for problem in drawn]
    low = [entry for entry in entries if min(entry["huse_q"], entry["huse_d"]) < LOW]
    assert len(low) > 0.08 * len(drawn), "the point estimates alone would blame many"
    blamed = [entry for entry in low if " lacks " in sentence(entry, p_of_parts(entry))]
    assert len(blamed) <= 0.05 * len(drawn)


def test_a_system_that_judges_see_through_is_blamed_with_its_p() -> None:
    assert "lacks quality (HUSE-Q 0." in said(world(0, 100, judged=6.0))
    assert "; p = .003)" in said(world(0, 100, judged=6.0))


def test_a_system_that_says_one_thing_lacks_diversity() -> None:
    text = said(world(0, 100, spread=0.01))
    assert "lacks diversity" in text
    assert "quality" not in text


def test_near_people_needs_an_interval_above_the_margin() -> None:
    near = said(world(1, 400))
    assert "is near people in both: all of the interval is above 0.75" in near
    little = said(world(5, 40, spread=0.6))
    assert "near people in both" not in little


def test_few_outputs_show_neither() -> None:
    assert "show neither a lack nor that it is near people (HUSE" in said(world(1, 20))


@pytest.mark.parametrize("paired", [True, False])
def test_labels_are_exchanged_within_items_or_between_items_of_one_size(paired: bool) -> None:
    rng = np.random.default_rng(3)
    item = np.repeat(np.arange(30), 4)
    human = np.arange(120) % 4 < 1 + np.arange(120) // 40 if paired else item % 3 == 0
    problem = problem_from_arrays(rng.normal(size=120), rng.normal(size=120), human, group=item)
    drawn = [_Exchange(problem).labels(np.random.default_rng(seed)) for seed in range(20)]
    for labels in drawn:
        assert labels.sum() == human.sum()
        in_item = np.bincount(item, weights=labels)
        if paired:
            assert np.array_equal(in_item, np.bincount(item, weights=human))
        else:
            assert set(in_item) == {0.0, 4.0}
    assert len({labels.tobytes() for labels in drawn}) == 20


def test_p_is_that_of_all_permutations() -> None:
    """Every p is a multiple of 1 / (permutations + 1), and equal systems have any p."""
    found = [p_equal(measure(world(seed, 25), Rules()), ["huse_q"], 0, alpha=1.0)["huse_q"] for seed in range(30)]
    assert min(found) < 0.3
    assert max(found) > 0.6
    assert all(p * 400 == pytest.approx(round(p * 400)) for p in found)


def test_parts_tested_together_have_the_p_of_each_alone() -> None:
    measured = measure(world(3, 40, judged=1.0, spread=0.5), Rules())
    together = p_equal(measured, ["huse_q", "huse_d"], 0, alpha=0.025)
    assert together == {name: p_equal(measured, [name], 0, alpha=0.025)[name] for name in together}
