"""Sets of systems against sets of people, by a metric of diversity."""

import numpy as np
import pytest
from scipy import stats

from assay.metaeval.sets.against_people import against_people
from assay.scores import Column, ScoreTable
from assay.text.strings import Strings


def table(scores: dict[str, dict[str, list[float]]], **about: object) -> ScoreTable:
    rows = [(system, item, value) for system, own in scores.items() for item, some in own.items() for value in some]
    systems, items, values = zip(*rows, strict=True)
    names = Strings.of([f"s{row}" for row in range(len(rows))])
    return ScoreTable(
        "set", names, Strings.of(list(items)), Strings.of(list(systems)), {"m": Column.of("m", list(values), **about)}
    )


@pytest.fixture
def scores() -> dict[str, dict[str, list[float]]]:
    rng = np.random.default_rng(0)
    item = {f"i{n}": 3 * rng.normal() for n in range(20)}
    shift = {"people": 0.0, "alike": 0.0, "less": -1.0}
    return {
        name: {key: [effect + by + 0.5 * rng.normal()] for key, effect in item.items()} for name, by in shift.items()
    }


def test_paired_on_the_items_that_both_have(scores) -> None:
    alike, less = against_people(table(scores), "m", {"people"})
    own, people = (np.array([values[0] for values in scores[name].values()]) for name in ("less", "people"))
    assert less.p_value == pytest.approx(stats.ttest_rel(own, people).pvalue)
    interval = stats.ttest_rel(own, people).confidence_interval()
    assert (less.low, less.high) == pytest.approx((interval.low, interval.high))
    assert less.paired and less.n == 20 and less.is_less(0.05) and not alike.is_less(0.05)
    assert less.p_holm == pytest.approx(2 * less.p_value)


def test_direction_is_data(scores) -> None:
    flipped = {name: {item: [-values[0]] for item, values in own.items()} for name, own in scores.items()}
    one = against_people(table(scores), "m", {"people"})
    assert against_people(table(flipped, higher_is_better=False), "m", {"people"}) == one


def test_other_items_are_an_independent_sample(scores) -> None:
    apart = {"people": scores["people"], "less": {f"other {item}": some for item, some in scores["less"].items()}}
    (found,) = against_people(table(apart), "m", {"people"})
    own, people = ([values[0] for values in apart[name].values()] for name in ("less", "people"))
    assert found.p_value == pytest.approx(stats.ttest_ind(own, people, equal_var=False).pvalue)
    assert not found.paired


def test_few_items_and_equal_differences_are_a_reason(scores) -> None:
    few = {name: dict(list(own.items())[:4]) for name, own in scores.items()}
    assert {one.reason for one in against_people(table(few), "m", {"people"})} == {"too few items (4 < 5)"}
    same = {"people": {f"i{n}": [float(n)] for n in range(6)}, "less": {f"i{n}": [n - 1.0] for n in range(6)}}
    (found,) = against_people(table(same), "m", {"people"})
    assert found.difference == -1 and np.isnan(found.p_value) and found.reason
