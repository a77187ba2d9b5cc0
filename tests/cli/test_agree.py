"""`assay agree`, `assay prefer` and `assay power` as a user meets them."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import assay
from assay.cli import cli
from assay.errors import AssayError
from assay.io import save
from assay.metaeval.planning.paired_power import plan_two_correlations
from assay.sample import copy_to
from tests.metaeval import judged


@pytest.fixture(autouse=True)
def in_a_folder_with_the_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def run(*words: str) -> Result:
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result


def refused(*words: str) -> str:
    with pytest.raises(AssayError) as caught:
        CliRunner().invoke(cli, words, catch_exceptions=False)
    return str(caught.value)


def number(found: dict[str, Any], name: str, **about: str) -> dict[str, Any]:
    """The first number of this name."""
    return next(one for one in found["numbers"] if one["name"] == name and about.items() <= one.items())


def records(found: dict[str, Any], name: str) -> list[dict[str, Any]]:
    """The rows of a table by column."""
    table = next(table for table in found["tables"] if table["name"] == name)
    return [dict(zip(table["header"], row, strict=True)) for row in table["rows"]]


def test_the_kappas_of_the_reviews(data: Path) -> None:
    """Garbacea et al. 2019 print .2748, which comes from votes recoded as correct or mistaken; votes give .3122."""
    command = ("agree", "data:judges/reviews", "--criterion", "real", "--json", "--resamples", "20")
    found = json.loads(run(*command).stdout)
    kappa = number(found, "fleiss_kappa")
    assert kappa["value"] == pytest.approx(0.3122, abs=0.0005)
    assert (kappa["n"], kappa["n_missing"], kappa["votes"]) == (3540, 60, 5)
    assert kappa["interval"][0] < kappa["value"] < kappa["interval"][1]
    annotators = records(found, "annotators")
    assert len(annotators) == 896
    assert 0 < min(row["seconds each"] for row in annotators) < 100
    recoded = json.loads(run(*command, "--against", "human").stdout)
    assert number(recoded, "fleiss_kappa")["value"] == pytest.approx(0.2748, abs=0.0005)


def test_a_table_for_people_and_labels_in_a_file() -> None:
    result = run("agree", "outputs.jsonl", "--criterion", "real", "--resamples", "64", "-o", "labels.csv")
    assert "krippendorff_alpha" in result.stdout and "simulated-07" in result.stdout
    lines = Path("labels.csv").read_text().splitlines()
    assert lines[0] == "criterion,unit,label,probability,majority"
    assert len(lines) == 1051


def test_all_criteria_without_a_name() -> None:
    found = json.loads(run("agree", "outputs.jsonl", "--resamples", "64", "--json").stdout)
    assert list(dict.fromkeys(one["criterion"] for one in found["numbers"])) == ["typicality", "real"]
    alpha = number(found, "krippendorff_alpha")
    assert alpha["seed"] == 0 and alpha["interval"]
    again = json.loads(run("replay", alpha["signature"], "outputs.jsonl", "--json").stdout)
    assert again["numbers"] == [one for one in found["numbers"] if one["criterion"] == "typicality"]


def test_one_annotator_with_one_judgment_is_a_gap_with_a_reason() -> None:
    save(judged.dataset([("u0", "only", 3)]), "one.jsonl")
    found = json.loads(run("agree", "one.jsonl", "--json").stdout)
    kappa = number(found, "fleiss_kappa")
    assert kappa["value"] is None and kappa["reason"] == "one annotator"
    assert number(found, "rho", annotator="only")["reason"] == "one judgment"
    assert "one annotator" in run("agree", "one.jsonl").stdout


def test_bad_questions_get_plain_answers() -> None:
    Path("bare.jsonl").write_text('{"text": "x"}\n')
    assert "no judgments" in refused("agree", "bare.jsonl")
    assert "Did you mean 'typicality'" in refused("agree", "outputs.jsonl", "--criterion", "typicalty")
    assert "Choose one of these endings" in refused("agree", "outputs.jsonl", "-o", "labels.txt")
    narrow = refused("agree", "outputs.jsonl", "--criterion", "typicality", "--range", "1e-300")
    assert "span 5, more than the range of 1e-300" in narrow
    wrong = CliRunner().invoke(cli, ["agree", "outputs.jsonl", "--votes", "many"])
    assert wrong.exit_code == 2


def test_preferences() -> None:
    comparisons = judged.simulated_comparisons(1, {"good": 1.0, "poor": -1.0, "fair": 0.0}, 200)
    save(judged.preferences(comparisons), "pairs.jsonl")
    found = json.loads(run("prefer", "pairs.jsonl", "--criterion", "better", "--json").stdout)
    assert [one["system"] for one in found["numbers"] if one["name"] == "strength"] == ["good", "fair", "poor"]
    shown = run("prefer", "pairs.jsonl", "--criterion", "better", "--intervals", "bootstrap", "--resamples", "64")
    ranked = shown.stdout.partition("Systems by strength")[2].splitlines()
    assert ranked[4].split()[:3] == ["1", "1-1", "good"]
    save(judged.preferences([("a", "b", 1), ("a", "b", 1)]), "sweep.jsonl")
    assert "won every comparison" in run("prefer", "sweep.jsonl", "--criterion", "better").stderr
    agreed = json.loads(run("agree", "pairs.jsonl", "--criterion", "better", "--resamples", "20", "--json").stdout)
    assert number(agreed, "fleiss_kappa")["reason"] == "no unit has two votes"
    assert "Known: better" in refused("prefer", "pairs.jsonl", "--criterion", "nicer")


def planned(*words: str) -> dict[str, Any]:
    """The numbers of a plan by name."""
    part = json.loads(run(*words, "--json").stdout)
    return {number["name"]: number for number in part["numbers"]}


def test_power_by_formula() -> None:
    command = "power --design noninferiority --p 0.9 --margin 0.10 --alpha 0.05 --power 0.8".split()
    plan = planned(*command)
    assert plan["n"]["value"] == 112
    assert plan["n_exact"]["value"] == pytest.approx(111.29, abs=0.005)
    assert planned(*command, "--annotators", "5", "--price", "0.1")["cost"]["value"] == pytest.approx(224 * 5 * 0.1)
    assert planned("power", "--design", "correlation", "--r", "0.3")["n"]["value"] == 85
    assert planned(*command, "--n", "50")["power"]["value"] < 0.6
    assert "needs --p and --margin" in refused("power", "--design", "equivalence")
    two = planned(*"power --design correlations --r .5 --r-other .4 --r-between .7".split())
    assert two["n"]["value"] == plan_two_correlations(0.5, 0.4, 0.7).n
    assert planned(*"power --design winrate --wins .45 --ties .3".split())["n"]["value"] == 135
    assert planned(*"power --design paired --p 0.7 --p-reference 0.5".split())["n"]["value"] == 96
    assert "needs --r-other and --r-between" in refused("power", "--design", "correlations", "--r", "0.5")
    assert "say what is planned" in refused("power")
    with pytest.raises(AssayError, match="Did you mean 'paired'"):
        assay.power("pared")


def test_power_by_simulation() -> None:
    command = ["power", "--pilot", "outputs.jsonl", "--systems", "ngram-t0.7", "ngram-t1.0", "--studies", "60"]
    plan = planned(*command, "-e", "bleu")
    n, power = plan["n"]["value"], plan["power"]
    assert n > 1 and power["interval"][0] <= power["value"] <= power["interval"][1] and power["value"] >= 0.8
    assert plan["n_if_the_pilot_is_right"]["value"] <= n
    assert planned(*command, "--criterion", "typicality", "--annotators", "3")["n"]["annotators"] == 3
    named = planned(*command, "-e", "bleu", "--effect", "5")["n"]
    assert "effect=5" in named["signature"] and named["value"] > 1
    systems = ("ngram-t0.7", "ngram-t1.0")
    same = assay.power(pilot=assay.load("outputs.jsonl"), systems=systems, evaluator="bleu", studies=60)
    assert same.numbers[0].value == n and max(size for size, _ in same.table("power_curve").rows) >= n
    assert "give one" in refused(*command)
    assert "no system 'x'" in refused(*command[:3], "--systems", "x", "people", "-e", "bleu")
