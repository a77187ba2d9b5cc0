"""`assay probe` as a user meets it."""

import json
import re

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.errors import AssayError
from assay.sample import copy_to


@pytest.fixture(autouse=True)
def sample(tmp_path, monkeypatch):
    copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def run(*words):
    result = CliRunner().invoke(cli, ["probe", "outputs.jsonl", *words], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_the_length_of_a_text_is_easily_deceived():
    found = json.loads(run("--judge", "length", "--texts", "40", "--json"))
    verdicts = {number["perturbation"]: number["verdict"] for number in found["numbers"]}
    assert verdicts["repeat"] == verdicts["pad"] == verdicts["flatter"] == "fooled"
    assert verdicts["shuffle"] == "blind" and verdicts["truncate"] == "notices" and verdicts["case"] == "steady"
    assert run("--judge", "length", "--texts", "40") == run("--judge", "length", "--texts", "40")


@pytest.mark.parametrize(("n_items", "is_too_few"), [(7, True), (8, True), (9, False)])
def test_too_few_items_are_no_sign_of_a_good_judge(n_items, is_too_few, tmp_path):
    rows = [json.loads(line) for line in (tmp_path / "outputs.jsonl").read_text().splitlines()]
    items = list(dict.fromkeys(row["item"] for row in rows))[:n_items]
    few = [json.dumps(row) for row in rows if row["item"] in items and row["system"] in ("people", "retrieval")]
    (tmp_path / "outputs.jsonl").write_text("\n".join(few))
    found = run("--judge", "length")
    assert "was not found to be deceived" not in found
    too_few = re.search(rf"{n_items} items cannot show that length is deceived: with \d+ tests it takes 9\.", found)
    assert bool(too_few) == is_too_few
    assert ("is deceived by repeat" in found) != is_too_few


def test_too_few_texts_to_damage_are_said(tmp_path):
    lines = (tmp_path / "outputs.jsonl").read_text().splitlines()
    (tmp_path / "outputs.jsonl").write_text("\n".join(lines[:3]))
    with pytest.raises(AssayError, match="a kind of damage takes 10 texts"):
        run("--judge", "length")


def test_what_learns_is_fitted_on_texts_as_they_were():
    words = ("--judge", "neighbors(criterion='typicality')", "--texts", "30", "--perturbation", "pad", "--json")
    (number,) = json.loads(run(*words))["numbers"]
    assert number["verdict"] == "notices"


def test_the_only_criterion_of_an_annotator_needs_no_name(tmp_path):
    rows = [json.loads(line) for line in (tmp_path / "outputs.jsonl").read_text().splitlines()]
    for row in rows:
        row["judgments"] = [one for one in row["judgments"] if one["criterion"] == "typicality"]
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run("--judge", "simulated-01") == run("--judge", "simulated-01", "--criterion", "typicality")


def test_annotators_have_a_card():
    found = json.loads(run("--judge", "simulated-01", "--criterion", "typicality", "--json"))
    assert {number["name"] for number in found["numbers"]} >= {"length", "scale use", "r with people", "ceiling"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--judge", "nobody"), "no annotator 'nobody' in the data, and no such evaluator"),
        (("--judge", "simulated-01"), "answers to typicality and real. Name the criterion"),
        (("--judge", "length", "--perturbation", "padd"), "no perturbation 'padd'. Did you mean 'pad'"),
        (("--judge", "simulated-01", "--criterion", "typicality", "--own", "x"), "no system 'x'"),
    ],
)
def test_what_is_refused(words, message):
    with pytest.raises(AssayError) as caught:
        CliRunner().invoke(cli, ["probe", "outputs.jsonl", *words], catch_exceptions=False)
    assert message in str(caught.value)
