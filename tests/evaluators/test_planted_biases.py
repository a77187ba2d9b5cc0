"""Biases planted into a judge over HTTP lie in their intervals, and a judge without any raises few alarms."""

from collections import Counter
from pathlib import Path

import pytest

import assay
from assay import AnswerStore, Requests
from assay.part import Number
from tests.loopback import serving
from tests.planted import OWN, Planted, noisy, outputs, preferring, rating

N_ITEMS = 40


def probed(bias: Planted, seed: int, folder: Path) -> list[Number]:
    """The biases that `probe` finds in the preferences and ratings of a judge that is asked over HTTP."""
    judged, how = outputs(seed, N_ITEMS), Requests(store=AnswerStore(folder))
    for form, answer in (("preference", preferring(bias, seed)), ("rating", rating(bias, seed))):
        with serving(answer) as server:
            judged = assay.judge(judged, server.model, form, annotator="robot", requests=how).dataset
    return [
        number
        for form in ("preference", "rating")
        for number in assay.probe(judged, ["robot"], form, own=[OWN]).numbers
        if number.name in ("position", "length", "self-preference")
    ]


@pytest.mark.slow
def test_planted_biases_lie_in_their_intervals(tmp_path: Path) -> None:
    bias = Planted(position=0.25, length=0.12, own=0.2)
    truth = {"position": bias.position, "length": bias.length, "self-preference": bias.own}
    held: Counter[tuple[str, str]] = Counter()
    for seed in range(100):
        for number in probed(bias, seed, tmp_path / str(seed)):
            inside = number.low <= truth[number.name] <= number.high
            held[number.name, number.about["about"].split()[0]] += inside
    assert len(held) == 5 and min(held.values()) >= 93, held


@pytest.mark.slow
def test_planted_noise_lies_in_its_interval(tmp_path: Path) -> None:
    """Two answers to one question differ by one in 2 * .3 * .7 of cases."""
    held = 0
    for seed in range(100):
        how = Requests(store=AnswerStore(tmp_path / str(seed)))
        with serving(noisy(0.3, seed)) as server:
            judged = assay.judge(outputs(seed, N_ITEMS), server.model, annotator="robot", samples=2, requests=how)
        (found,) = (n for n in assay.probe(judged.dataset, ["robot"], "rating").numbers if n.name == "test-retest")
        held += found.low <= 0.42 <= found.high
    assert held >= 93, held


@pytest.mark.slow
def test_a_judge_without_bias_raises_few_alarms(tmp_path: Path) -> None:
    alarms = 0
    for seed in range(1000, 1100):
        found = probed(Planted(), seed, tmp_path / str(seed))
        preferences, ratings = found[:3], found[3:]
        alarms += sum(any(number.about["p_adjusted"] <= 0.05 for number in card) for card in (preferences, ratings))
    assert alarms <= 14  # of 200 cards


def test_one_world_over_http(tmp_path: Path) -> None:
    """Large biases are found, each with its sign."""
    found = probed(Planted(position=-0.4, length=0.1, own=0.5), 3, tmp_path)
    assert [number.name for number in found] == ["position", "length", "self-preference", "length", "self-preference"]
    assert found[0].about["p_adjusted"] < 0.05 and found[0].high < 0 < found[2].low
