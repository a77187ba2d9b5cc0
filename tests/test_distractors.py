"""Games made of contexts: what is hidden among what, and that the rule is kept."""

from dataclasses import replace

import numpy as np
import pytest

from assay import Dataset
from assay.distractors import with_choices
from assay.errors import DataError

TOPICS = ("cat", "dog", "car", "rain", "home", "tea")


def contexts(n=60):
    return [f"Tell me about the {TOPICS[number % len(TOPICS)]} of person {number}." for number in range(n)]


def data(some=None, order=None):
    rows = [{"id": f"o{n}", "item": f"i{n}", "context": text, "text": "x"} for n, text in enumerate(some or contexts())]
    return Dataset.from_records(rows if order is None else [rows[row] for row in order])


def games(dataset):
    return {
        item.id: (item.choices, item.choices[int(np.argmax(item.target))])
        for item in map(dataset.item, range(len(dataset.items)))
    }


@pytest.mark.parametrize("rule", ["sampled", "nearest", "mixed"])
def test_the_context_is_one_of_several_different_choices(rule):
    for n_choices in (2, 5, 10):
        made = with_choices(data(), rule, n_choices=n_choices)
        for row in range(len(made.items)):
            item = made.item(row)
            assert len(set(item.choices)) == n_choices
            assert item.choices[int(np.argmax(item.target))] == item.context
            assert sorted(item.target) == [0.0] * (n_choices - 1) + [1.0]


def test_the_order_of_the_data_does_not_matter_and_the_seed_does():
    order = np.random.default_rng(3).permutation(60)
    for rule in ("sampled", "nearest", "mixed"):
        assert games(with_choices(data(), rule)) == games(with_choices(data(order=order), rule))
    assert games(with_choices(data())) != games(with_choices(data(), seed=1))


def test_fewer_choices_are_some_of_many():
    """So accuracy by number of choices compares the same distractors."""
    few, many = games(with_choices(data(), n_choices=5)), games(with_choices(data(), n_choices=10))
    assert all(set(few[item][0]) < set(many[item][0]) for item in few)


def test_sampled_distractors_are_uniform():
    """Each of 59 others, for each of 60 contexts, under 200 seeds: chi-squared near its degrees of freedom."""
    counts = np.zeros((60, 60))
    place = {text: number for number, text in enumerate(contexts())}
    for seed in range(200):
        for number, (choices, target) in enumerate(games(with_choices(data(), seed=seed)).values()):
            assert place[target] == number
            counts[number, [place[choice] for choice in choices]] += 1
    others = counts[~np.eye(60, dtype=bool)]
    expected = 200 * 4 / 59
    statistic = ((others - expected) ** 2 / expected).sum() / (1 - 4 / 59)
    freedom = 60 * 58
    assert abs(statistic - freedom) < 4 * np.sqrt(2 * freedom)


def test_targets_stand_anywhere():
    made = with_choices(data())
    places = np.argmax([made.item(row).target for row in range(60)], axis=1)
    assert set(places.tolist()) == set(range(5))


def test_nearest_distractors_share_words():
    """All nine others about the same topic are nearer than any of another topic."""
    for item, (choices, target) in games(with_choices(data(), "nearest", n_choices=10)).items():
        topic = target.split()[4]
        assert all(f" {topic} " in choice for choice in choices), item


def test_mixed_distractors_are_half_nearest():
    nearest = games(with_choices(data(), "nearest", n_choices=3))
    mixed = games(with_choices(data(), "mixed", n_choices=5))
    assert all(set(nearest[item][0]) < set(mixed[item][0]) for item in mixed)


def test_equal_contexts_are_one_choice_and_empty_ones_none():
    made = with_choices(data([*contexts(5), contexts(5)[0], ""]))
    assert len(set(made.item(5).choices)) == 5 and made.item(5).choices == made.item(0).choices
    assert made.item(6).choices == () and made.item(6).target == ()


def test_outputs_and_the_rest_of_the_data_stay():
    dataset = data()
    made = with_choices(dataset)
    restored = replace(made, items=replace(made.items, choices=dataset.items.choices, target=dataset.items.target))
    assert restored == dataset


def test_too_few_contexts_or_choices_are_plain_errors():
    with pytest.raises(DataError, match="and the data has 4 different"):
        with_choices(data(contexts(4)))
    with pytest.raises(DataError, match="at least 2 choices"):
        with_choices(data(), n_choices=1)
