"""The alternative annotator test against its definition, and the rates it holds."""

import numpy as np
import pytest

from assay import DataError, Dataset
from assay.metaeval.votes.replacement import instances_of, replacement_test
from tests.oracles.replacement import alt_test


def answers(rng, n=80, n_people=5, labels=3, skill=0.6):
    """Answers of people and of a judge about n texts; people skip some of them."""
    truth = rng.integers(labels, size=n)

    def noisy(right):
        return np.where(rng.random(n) < right, truth, rng.integers(labels, size=n))

    people = {f"p{k}": noisy(0.6) for k in range(n_people)}
    given = {name: {f"o{i}": int(v[i]) for i in range(n) if rng.random() < 0.8} for name, v in people.items()}
    return given, {f"o{i}": int(v) for i, v in enumerate(noisy(skill)) if i % 9}


def dataset(people, judge, per_item=1, write=lambda value: value):
    rows = {}
    for name, given in (*people.items(), ("judge", judge)):
        for output, value in given.items():
            rows.setdefault(output, []).append({"annotator": name, "criterion": "c", "value": write(value)})
    return Dataset.from_records(
        [{"id": o, "item": f"i{int(o[1:]) // per_item}", "text": "", "judgments": rows[o]} for o in rows]
    )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("score", ["accuracy", "neg_rmse"])
def test_equal_to_the_definition(seed, score):
    people, judge = answers(np.random.default_rng(seed), n_people=2 + seed % 4, skill=0.4 + 0.05 * seed)
    result = replacement_test(instances_of(dataset(people, judge), "judge", (), score=score), epsilon=0.15, n_draws=0)
    winning_rate, advantage = alt_test(judge, people, score, 0.15)
    assert result.winning_rate == pytest.approx(winning_rate)
    assert result.advantage == pytest.approx(advantage, abs=1e-12)


def test_labels_are_compared_as_numbers_are():
    people, judge = answers(np.random.default_rng(0))
    numbers = instances_of(dataset(people, judge), "judge", (), score="accuracy")
    labels = instances_of(dataset(people, judge, write=lambda value: "xyz"[value]), "judge", ())
    assert labels.score == "accuracy"
    assert replacement_test(labels).people == replacement_test(numbers).people


def test_tenths_tie_exactly():
    """Sums of tenths are rounded in floating point: .1 + .2 is not .3, and a tie would be decided by noise."""
    people = {name: {f"o{i}": value for i in range(40)} for name, value in (("a", 0.1), ("b", 0.3), ("c", 0.2))}
    judge = {f"o{i}": 0.1 for i in range(40)}
    result = replacement_test(instances_of(dataset(people, judge), "judge", (), score="neg_rmse"))
    assert result.people[0].advantage == 1.0 and result.people[0].lead == 0.0


def test_people_are_not_taken_for_models():
    people, judge = answers(np.random.default_rng(1))
    rows = [
        {"id": o, "text": "", "judgments": [{"annotator": "judge", "criterion": "c", "value": judge[o]}]} for o in judge
    ]
    for row in rows:
        row["judgments"] += [
            {"annotator": name, "criterion": "c", "value": given[row["id"]]}
            for name, given in people.items()
            if row["id"] in given
        ]
        row["judgments"].append({"annotator": "m", "criterion": "c", "value": 0, "annotator_kind": "model"})
    declared = instances_of(Dataset.from_records(rows), "judge", ())
    assert set(declared.names) == set(people)
    for row in rows:
        row["judgments"][-1].pop("annotator_kind")
    data = Dataset.from_records(rows)
    assert "m" in instances_of(data, "judge", ()).names
    assert instances_of(data, "judge", (), ignore=["m"]).names == declared.names


def test_clusters_of_one_are_the_published_rule_and_copies_count_once():
    people, judge = answers(np.random.default_rng(2))
    single = replacement_test(instances_of(dataset(people, judge), "judge", ()))
    assert all(one.p_value == pytest.approx(one.p_clustered, rel=1e-9) for one in single.people)
    copied = {n: {f"o{4 * int(o[1:]) + k}": v for o, v in g.items() for k in range(4)} for n, g in people.items()}
    judged = {f"o{4 * int(o[1:]) + k}": v for o, v in judge.items() for k in range(4)}
    fourfold = replacement_test(instances_of(dataset(copied, judged, per_item=4), "judge", ()))
    for once, four in zip(single.people, fourfold.people, strict=True):
        assert four.p_clustered == pytest.approx(once.p_clustered, rel=1e-9)
        assert min(four.p_value, 1 - four.p_value) < min(once.p_value, 1 - once.p_value)


def test_a_judge_as_good_as_people_needs_fewer_items_than_there_are():
    rng = np.random.default_rng(3)
    people, judge = answers(rng, n=400, skill=0.9)
    result = replacement_test(instances_of(dataset(people, judge), "judge", ()))
    assert result.passed and result.clusters_needed is not None and result.clusters_needed < 200
    people, judge = answers(rng, n=400, skill=0.0)
    result = replacement_test(instances_of(dataset(people, judge), "judge", ()))
    assert not result.passed and result.clusters_needed is None and result.epsilon_needed > 0.2


def test_the_curve_rises_and_passes_where_it_is_said_to():
    people, judge = answers(np.random.default_rng(4), skill=0.5)
    result = replacement_test(instances_of(dataset(people, judge), "judge", ()), epsilon=0.12)
    assert [rate for _, rate, _ in result.curve] == sorted(rate for _, rate, _ in result.curve)
    assert 0.12 in [epsilon for epsilon, _, _ in result.curve]
    at = replacement_test(instances_of(dataset(people, judge), "judge", ()), epsilon=result.epsilon_needed)
    below = replacement_test(instances_of(dataset(people, judge), "judge", ()), epsilon=result.epsilon_needed - 0.002)
    assert at.passed and not below.passed


@pytest.mark.parametrize(
    ("people", "message"), [(1, "answers of 2 people"), (3, "no person answered 30")], ids=["one person", "few"]
)
def test_too_little_is_a_plain_message(people, message):
    given, judge = answers(np.random.default_rng(5), n=20 if people > 1 else 80, n_people=people)
    with pytest.raises(DataError, match=message):
        instances_of(dataset(given, judge), "judge", ())


def test_answers_that_come_in_copies_need_the_clustered_rule():
    """A judge like any person, epsilon 0: the null holds, and 5% of tests may reject. Four answers per item are one."""
    rng, plain, clustered = np.random.default_rng(6), [], []
    for _ in range(100):
        people, judge = answers(rng, n=50, n_people=3, skill=0.6)
        copied = {n: {f"o{4 * int(o[1:]) + k}": v for o, v in g.items() for k in range(4)} for n, g in people.items()}
        judged = {f"o{4 * int(o[1:]) + k}": v for o, v in judge.items() for k in range(4)}
        tested = replacement_test(
            instances_of(dataset(copied, judged, per_item=4), "judge", ()), epsilon=0.0, n_draws=0
        ).people
        plain.append(tested[0].p_value < 0.05)
        clustered.append(tested[0].p_clustered < 0.05)
    assert np.mean(clustered) < 0.1 < np.mean(plain)
