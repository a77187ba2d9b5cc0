"""Each mistake that users make with log-probabilities is named, and right data is left in peace."""

from collections.abc import Callable
from math import exp, log
from typing import Any

import numpy as np
import pytest

import assay
from assay.metaeval.logprob_checks import CHECKS, check_logprobs

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight")


def records(draws: int = 3, temperature: float = 1.0) -> list[dict[str, Any]]:
    """Texts drawn word by word from a known distribution with a stop: exact log-probabilities."""
    rng = np.random.default_rng(0)
    chances = np.arange(1.0, 9.0) ** (1 / temperature)
    chances /= chances.sum()
    found = []
    for item in range(20):
        for system in ("people", "m"):
            for draw in range(draws):
                length = int(rng.geometric(0.25))
                words = rng.choice(8, length, p=chances)
                logprob = float(np.log(chances[words]).sum()) + (length - 1) * log(0.75) + log(0.25)
                found.append(
                    {
                        "id": f"{item}/{system}/{draw}",
                        "item": f"i{item}",
                        "system": system,
                        "human": system == "people",
                        "text": " ".join(WORDS[word] for word in words),
                        "params": {"temperature": temperature},
                        "logprobs": {"m": logprob},
                    }
                )
    return found


def changed(change: Callable[[dict[str, Any], float], float | None]) -> assay.Dataset:
    rows = records()
    for row in rows:
        value = change(row, row["logprobs"]["m"])
        row["logprobs"] = {} if value is None else {"m": value}
    return assay.Dataset.from_records(rows)


def names(data: assay.Dataset) -> list[str]:
    return [finding.name for finding in check_logprobs(data)]


def test_right_data_is_left_in_peace() -> None:
    assert names(changed(lambda row, value: value)) == []


@pytest.mark.parametrize(
    ("name", "change", "remedy"),
    [
        ("all_zero", lambda row, value: 0.0, "Compute them"),
        ("positive", lambda row, value: -value, "Change the sign"),
        ("positive", lambda row, value: exp(value), "Take their logarithm"),
        ("all_equal", lambda row, value: -7.5, "joined to the texts"),
        ("per_token", lambda row, value: value / len(row["text"].split()), "sum over all tokens"),
        ("people_missing", lambda row, value: None if row["human"] else value, "Score the human texts"),
        ("sum_above_one", lambda row, value: value / 8, "natural logarithm"),
        ("repeats", lambda row, value: value / 20, "too high"),
    ],
)
def test_every_mistake_is_named_with_a_remedy(
    name: str, change: Callable[[dict[str, Any], float], float | None], remedy: str
) -> None:
    findings = {finding.name: finding for finding in check_logprobs(changed(change))}
    assert name in findings
    assert remedy in findings[name].remedy
    assert findings[name].system == "m"


def test_every_check_is_tested() -> None:
    assert {check.__name__ for check in CHECKS} == {
        *("all_zero", "positive", "all_equal", "per_token", "people_missing", "sum_above_one", "repeats")
    }


def test_texts_of_a_low_temperature_with_log_probabilities_of_temperature_one() -> None:
    """A system that says one of two texts, scored as if it drew from a hundred."""
    rows = [
        {
            "item": f"i{item}",
            "system": "m",
            "text": f"{WORDS[int(draw % 2)]} way",
            "logprobs": {"m": -log(100) - draw % 2},
        }
        for item in range(10)
        for draw in range(6)
    ]
    (finding,) = check_logprobs(assay.Dataset.from_records(rows))
    assert finding.name == "repeats" and "after temperature and truncation" in finding.remedy


def two_systems(change: Callable[[float], float]) -> assay.Dataset:
    rows = records()
    for row in rows:
        row["logprobs"]["other"] = change(row["logprobs"]["m"])
        row["params"] = {"temperature": 1.0}
    rows += [
        row | {"id": row["id"] + "x", "system": "other", "params": {"temperature": 0.7}}
        for row in rows
        if not row["human"]
    ]
    return assay.Dataset.from_records(rows)


def test_base_ten_beside_natural_logarithms() -> None:
    findings = [f for f in check_logprobs(two_systems(lambda value: value / log(10))) if f.name == "another_base"]
    assert [finding.system for finding in findings] == ["other"]
    assert "base 10" in findings[0].remedy and "2.3026" in findings[0].remedy
    findings = [f for f in check_logprobs(two_systems(lambda value: value / log(2))) if f.name == "another_base"]
    assert [finding.system for finding in findings] == ["other"] and "base 2" in findings[0].remedy


def test_a_temperature_that_was_ignored() -> None:
    findings = [f for f in check_logprobs(two_systems(lambda value: value)) if f.name == "temperature_ignored"]
    assert [finding.system for finding in findings] == ["other"]
    assert "before the softmax" in findings[0].remedy
    assert "temperature_ignored" not in names(two_systems(lambda value: value * 1.2 - 0.3))
