"""Win rates at equal length, where the liking for long texts is planted."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit

from assay import Dataset, prefer
from assay.metaeval.votes.equal_length import win_rates_at_equal_length
from assay.metaeval.votes.pair_judgments import Comparisons, comparisons_of


def world(rng, n_items=150, strength=0.5, slope=0.8):
    """Two systems, the left one wordier: P(left wins) = expit(strength + slope * log2 ratio)."""
    ratio = rng.normal(1.0, 1.0, n_items)
    wins = rng.random(n_items) < expit(strength + slope * ratio)
    zeros = np.zeros(n_items, np.int64)
    swapped = rng.random(n_items) < 0.5
    outcome = np.where(wins, 1, -1)
    return Comparisons(
        "better",
        ["long", "short"],
        zeros + swapped,
        1 - (zeros + swapped),
        np.where(swapped, -outcome, outcome),
        np.arange(n_items),
        np.arange(n_items),
        np.where(swapped, -ratio, ratio),
        0,
    )


def test_the_planted_rate_lies_in_its_interval():
    rng, held = np.random.default_rng(0), 0
    for _ in range(300):
        (one,) = win_rates_at_equal_length(world(rng), 0.95)
        held += one.low <= expit(0.5) <= one.high
        assert one.as_it_is > one.at_equal_length - 0.1
    assert 0.93 <= held / 300 <= 0.98


@pytest.mark.parametrize("n_items", [6, 15])
def test_few_items_are_no_certainty(n_items):
    rng = np.random.default_rng(1)
    held = [
        one.low <= 0.5 <= one.high
        for _ in range(300)
        for one in win_rates_at_equal_length(world(rng, n_items, 0.0), 0.95)
    ]
    assert np.mean(held) >= 0.93


def crowd(rng, n_items, each, strength, slope, spread=0.0, elsewhere=0):
    """Several comparisons of each item, which have something in common; `elsewhere`, those of two other systems."""
    item = np.repeat(np.arange(n_items), each)
    ratio = np.append(rng.normal(1.0, 0.7, n_items)[item], rng.normal(1.0, 0.7, elsewhere))
    own = np.append(strength + rng.normal(0, spread, n_items)[item], np.zeros(elsewhere))
    outcome = np.where(rng.random(len(own)) < expit(own + slope * ratio), 1, -1)
    left = np.append(np.zeros(len(item), np.int64), np.full(elsewhere, 2))
    clusters = np.append(item, n_items + np.arange(elsewhere))
    return Comparisons("better", list("abcd"), left, left + 1, outcome, clusters, np.arange(len(own)), ratio, 0)


@pytest.mark.parametrize(
    ("n_items", "each", "strength", "slope", "spread", "elsewhere"),
    [(6, 20, 0.0, 0.0, 1.0, 0), (10, 8, 1.0, 0.5, 0.0, 0), (30, 1, 2.0, 0.8, 0.0, 0), (6, 10, 0.0, 0.0, 1.0, 100)],
)
def test_the_planted_rate_is_held_with_few_items_clusters_and_one_sided_rates(
    n_items, each, strength, slope, spread, elsewhere
):
    rng = np.random.default_rng(4)
    held = []
    for _ in range(300):
        one = win_rates_at_equal_length(crowd(rng, n_items, each, strength, slope, spread, elsewhere), 0.95)[0]
        held.append(one.low <= expit(strength) <= one.high)
    assert np.mean(held) >= 0.93


def test_a_pair_with_few_items_has_no_interval_however_many_others_have():
    few, many = win_rates_at_equal_length(crowd(np.random.default_rng(5), 4, 20, 0.0, 0.0, 1.0, 100), 0.95)
    assert np.isnan([few.low, few.high]).all() and 0 < few.at_equal_length < 1
    assert many.low < many.at_equal_length < many.high


def test_a_judge_that_goes_by_length_alone_has_a_finite_rate():
    rng = np.random.default_rng(6)
    comparisons = crowd(rng, 40, 1, 0.0, 0.0)
    (one,) = win_rates_at_equal_length(replace(comparisons, outcome=np.sign(comparisons.length).astype(int)), 0.95)
    assert 0 <= one.low <= one.at_equal_length <= one.high <= 1


def test_the_rate_is_that_of_a_plain_logistic_regression():
    """scipy minimizes the same penalized likelihood over a dense design."""
    comparisons = crowd(np.random.default_rng(7), 30, 3, 0.7, 0.4, 0.5, 50)
    pair = comparisons.left // 2
    design = np.column_stack([pair == 0, pair == 1, comparisons.length]).astype(float)
    wins = (comparisons.outcome + 1) / 2

    def loss(weights):
        logits, a = design @ weights, weights[:2]
        return (np.logaddexp(0, logits) - wins * logits).sum() + (np.logaddexp(0, a) - a / 2).sum()

    expected = expit(minimize(loss, np.zeros(3), tol=1e-12).x[:2])
    found = [one.at_equal_length for one in win_rates_at_equal_length(comparisons, 0.95)]
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_without_a_liking_for_length_the_rate_is_as_it_is():
    rng = np.random.default_rng(2)
    (one,) = win_rates_at_equal_length(world(rng, 5000, 0.4, 0.0), 0.95)
    assert one.at_equal_length == pytest.approx(one.as_it_is, abs=0.02)


def test_prefer_prints_both():
    rng, rows = np.random.default_rng(3), []
    for item in range(60):
        wins = rng.random() < 0.7
        judgment = {"annotator": "p", "criterion": "better", "value": 1 if wins else -1, "other": f"b{item}"}
        text = "word " * int(rng.integers(1, 9))
        rows.append({"id": f"a{item}", "item": f"i{item}", "system": "a", "text": text, "judgments": [judgment]})
        rows.append({"id": f"b{item}", "item": f"i{item}", "system": "b", "text": "one two three"})
    data = Dataset.from_records(rows)
    part = prefer(data, "better")
    (number,) = [number for number in part.numbers if number.name == "win rate at equal length"]
    assert number.low < number.value < number.high and 0.5 < number.about["win_rate"] < 0.9
    assert comparisons_of(data, "better").length[0] == pytest.approx(np.log2(len(rows[0]["text"].split()) / 3))
    same = Dataset.from_records([row | {"text": "x"} for row in rows])
    assert not [number for number in prefer(same, "better").numbers if "length" in number.name]
