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


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ("--criterion", "typicality", "--judge", "nobody"),
            "no annotator 'nobody' in the data, and no such evaluator",
        ),
        (("--criterion", "real", "--judge", "length"), "the data has no judgments of 'real'"),
        (("--criterion", "typicality", "--judge", "length", "--strata", "a", "--probability", "b"), "Give one of"),
    ],
)
def test_what_is_refused(sample, words, message):
    with pytest.raises(AssayError, match=message):
        CliRunner().invoke(cli, ["correct", sample, *words], catch_exceptions=False)


def test_labels_have_shares(data):
    words = ("correct", "data:replace/wax", "--criterion", "answer", "--judge", "gpt-4o", "--draws", "20")
    with pytest.raises(AssayError, match="--answer"):
        CliRunner().invoke(cli, words, catch_exceptions=False)
    assert "the share of 'Action'" in run(*words, "--answer", "Action")
