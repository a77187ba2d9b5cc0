"""`assay correct` as a user meets it."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import AssayError
from assay.sample import copy_to


@pytest.fixture
def sample(tmp_path, monkeypatch):
    """The sample with 150 labeled outputs."""
    copy_to(tmp_path)
    rows = [json.loads(line) for line in (tmp_path / "outputs.jsonl").read_text().splitlines()]
    labeled = set(np.random.default_rng(0).choice(len(rows), 150, replace=False).tolist())
    for number, row in enumerate(rows):
        row["judgments"] = [j for j in row["judgments"] if j["criterion"] == "typicality" and number in labeled]
    (tmp_path / "few.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return "few.jsonl"


def run(*words):
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_evaluators_correct_the_means_of_systems(sample):
    words = ("correct", sample, "--criterion", "typicality", "--judge", "length", "--judge", "bleu", "--draws", "50")
    found = json.loads(run(*words, "--json"))
    means = [number for number in found["numbers"] if number["name"] == "mean"]
    assert len(means) == 7 and sum(number["n"] for number in means) == 150
    assert all(number["interval"][0] < number["value"] < number["interval"][1] for number in means)
    people = next(number for number in means if number["system"] == "people")
    assert people["rank_interval"][0] == 1
    assert {number["name"] for number in found["numbers"]} == {"mean", "difference", "coverage", "plain coverage"}
    assert "length" in found["methods"][0] and run(*words) == run(*words)
    without = (*words[:2], *words[4:])
    assert run(*without) == run(*words)  # there is one criterion only


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--criterion", "typicality", "--judge", "nobody"),
            "no annotator 'nobody' in the data, and no such evaluator",
        ),
        (("--criterion", "real", "--judge", "length"), "the data has no judgments of 'real'"),
        (("--criterion", "typicality", "--judge", "length", "--strata", "a", "--probability", "b"), "Give one of"),
        (
            ("--criterion", "typicality", "--judge", "length", "--confidence", "2"),
            "confidence must lie between 0 and 1",
        ),
    ],
)
def test_what_is_refused(sample, words, message):
    with pytest.raises(AssayError, match=message):
        CliRunner().invoke(cli, ["correct", sample, *words], catch_exceptions=False)


def test_a_system_without_outputs_is_a_gap(sample, tmp_path):
    """The log-probabilities of the sample name systems whose outputs may have been left out of a file."""
    rows = [json.loads(line) for line in (tmp_path / "outputs.jsonl").read_text().splitlines()]
    kept = [row for row in rows if row["system"] in ("people", "collapsed")]
    (tmp_path / "two.jsonl").write_text("".join(json.dumps(row) + "\n" for row in kept))
    words = ("correct", "two.jsonl", "--criterion", "typicality", "--judge", "length", "--draws", "0", "--json")
    numbers = json.loads(run(*words))["numbers"]
    means = {one["system"]: one for one in numbers if one["name"] == "mean"}
    assert means["retrieval"]["value"] is None and means["retrieval"]["reason"].startswith("too few labels (0)")
    assert means["people"]["value"] > 3 and means["people"]["reason"] == "every output is labeled"
    (difference,) = [one for one in numbers if one["name"] == "difference"]
    assert difference["interval"] is None and difference["reason"] == "every output is labeled"


def test_labels_have_shares(data):
    words = ("correct", "data:replace/wax", "--criterion", "answer", "--judge", "gpt-4o", "--draws", "20")
    with pytest.raises(AssayError, match="--answer"):
        CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "the share of 'Action'" in run(*words, "--answer", "Action")
