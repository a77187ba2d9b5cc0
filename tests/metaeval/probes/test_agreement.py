"""Judges beside people: the right correlations, against an oracle; intervals that hold their rate; reasons."""

from dataclasses import replace
from math import isnan

import numpy as np
import pytest

import assay
from assay import Criterion, Dataset
from assay.metaeval.probes.agreement import correlation, judges_agreement

PEOPLE = ("ann", "bob", "cyd")


def judged(rng, n_items=30, per_item=4, noise=1.0, people=PEOPLE):
    rows = []
    for item in range(n_items):
        for nth in range(per_item):
            truth = rng.normal()
            judgments = [
                {"annotator": name, "criterion": "good", "value": float(truth + noise * rng.normal())}
                for name in (*people, "robot", "other")
            ]
            for one in judgments[-2:]:
                one["annotator_kind"] = "model"
            rows.append({"id": f"{item}/{nth}", "item": str(item), "system": "s", "text": "x", "judgments": judgments})
    return Dataset.from_records(rows)


def test_correlations_are_those_of_the_answers_and_people_are_no_judges():
    data = judged(np.random.default_rng(0))
    found = judges_agreement(data, "good", {"robot": None, "ann": None})
    answers = {
        name: np.array([next(j.value for j in o.judgments if j.annotator == name) for o in data.iter_outputs()])
        for name in (*PEOPLE, "robot")
    }
    people = (answers["bob"] + answers["cyd"]) / 2  # ann is a judge here, and `other` a model
    assert found.with_people["robot"].value == pytest.approx(np.corrcoef(answers["robot"], people)[0, 1])
    assert found.with_people["ann"].value == pytest.approx(np.corrcoef(answers["ann"], people)[0, 1])
    each = found.with_each_other["robot", "ann"]
    assert each.value == pytest.approx(np.corrcoef(answers["robot"], answers["ann"])[0, 1])
    person = np.corrcoef(answers["bob"], answers["cyd"])[0, 1]
    assert found.person.value == pytest.approx(person) and found.person.n == 2
    reliability = 2 * person / (1 + person)
    assert found.ceiling.value == pytest.approx(reliability**0.5, abs=0.03)  # halves are random
    assert found.ceiling.low < found.ceiling.value < found.ceiling.high
    assert found.share("robot") == found.with_people["robot"].value / found.ceiling.value


def test_intervals_hold_their_rate_over_items_whose_texts_are_alike():
    rng = np.random.default_rng(1)
    n_items, per_item, held = 25, 4, 0
    item = np.repeat(np.arange(n_items), per_item)
    for _ in range(400):
        common = rng.normal(size=(2, n_items))[:, item]
        own = rng.normal(size=(2, len(item)))
        x, z = common + own
        y = 0.6 * x + 0.8 * z
        one = correlation(x, y, item, 0.95)
        held += one.low <= 0.6 <= one.high
    assert 0.92 <= held / 400 <= 0.98


@pytest.mark.parametrize(
    ("x", "n_items", "reason"),
    [
        (np.full(30, np.nan), 10, "too few units with both answers (0 < 20)"),
        (np.ones(30), 10, "always gives the same answer"),
        (np.arange(30.0), 10, "the two always agree"),
        (np.arange(30.0) ** 2, 3, "too few items for an interval (3 < 5)"),
    ],
)
def test_what_has_no_interval_has_a_reason(x, n_items, reason):
    one = correlation(x, np.arange(30.0), np.arange(30) % n_items, 0.95)
    assert isnan(one.low) and reason in one.reason


def test_judges_without_people_are_compared_with_each_other():
    data = judged(np.random.default_rng(2), people=())
    part = assay.probe(data, ["robot", "other"], "good", perturbations=())
    by_name = {number.name: number for number in part.numbers}
    assert by_name["r with another judge"].low < 0.5 < by_name["r with another judge"].high
    assert isnan(by_name["r with people"].value) and by_name["ceiling"].reason == "no answers of people"


def test_the_card_says_how_far_a_judge_goes_with_people():
    part = assay.probe(judged(np.random.default_rng(3)), ["robot", "other"], "good", perturbations=())
    said = part.answers["trust"][0]
    assert said.startswith("Correlation with people's good: ") and "the ceiling is 0.8" in said
    rows = next(table.rows for table in part.tables if table.name == "probe_agreement")
    assert [row[0] for row in rows][-2:] == ["a person, with the others", "the ceiling"]


@pytest.mark.parametrize("better", ["higher", "lower"])
def test_a_judge_is_turned_as_the_answers_are(better):
    """The right translation has an error rate of 0; people rate how good it is, or how bad."""
    rng = np.random.default_rng(4)
    words = [f"w{n}" for n in range(10)]
    rows = []
    for n in range(40):
        right = rng.choice(words, 8).tolist()
        kept = int(rng.integers(0, 9))
        said = right[:kept] + ["x"] * (8 - kept)
        votes = [
            {"annotator": f"p{k}", "criterion": "good", "value": kept + k if better == "higher" else 9 - kept - k}
            for k in range(2)
        ]
        line = {"id": str(n), "item": str(n), "system": "s", "text": " ".join(said), "references": [" ".join(right)]}
        rows.append(line | {"judgments": votes})
    data = replace(Dataset.from_records(rows), criteria={"good": Criterion("good", better=better)})
    part = assay.probe(data, ["ter"], "good", perturbations=())
    assert next(number.value for number in part.numbers if number.name == "r with people") == pytest.approx(1)
