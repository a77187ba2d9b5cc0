"""Win rates at equal length, where the liking for long texts is planted."""

import numpy as np
import pytest
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
