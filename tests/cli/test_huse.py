"""`assay huse` from the outside."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from assay.cli import cli
from assay.sample import copy_to

KEYS = {"system", "huse", "huse_q", "huse_d", "n_human", "n_model", "interval", "tie_range", "signature"}


def run(*words: str) -> Any:
    return CliRunner().invoke(cli, ["huse", *words], catch_exceptions=False)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(copy_to(tmp_path_factory.mktemp("sample")))


@pytest.mark.parametrize(("ties", "expected"), [("exact", (0.53, 0.60, 0.93)), ("paper", (0.53, 0.58, 0.95))])
def test_the_published_data(data: Path, ties: str, expected: tuple[float, ...]) -> None:
    result = run("data:huse/summarization", "--json", "--ties", ties)
    assert result.exit_code == 0
    (system,) = json.loads(result.stdout)["systems"]
    assert set(system) == KEYS
    assert [round(system[name], 9) for name in ("huse", "huse_q", "huse_d")] == list(expected)
    assert (system["n_human"], system["n_model"]) == (100, 100)
    for name in ("huse", "huse_q", "huse_d"):
        low, high = system["interval"][name]
        assert low < system[name] < high
        low, high = system["tie_range"][name]
        assert low - 1e-9 <= system[name] <= high + 1e-9


def test_same_seed_same_bytes(data: Path) -> None:
    words = ("data:huse/summarization", "--json")
    assert run(*words, "--seed", "3").stdout == run(*words, "--seed", "3").stdout
    assert run(*words, "--seed", "3").stdout != run(*words, "--seed", "4").stdout


def test_table_examples_and_plan(outputs: str) -> None:
    result = run(outputs, "--system", "ngram-t1.0", "--plan", "--price", "0.1", "--examples", "2")
    assert result.exit_code == 0
    assert "HUSE-D" in result.stdout and "quality failures" in result.stdout
    assert "for a 95% interval of +-0.05 around HUSE" in result.stdout and "at 0.1 each" in result.stdout


def test_plan_as_json(outputs: str) -> None:
    words = (outputs, "--system", "ngram-t1.0", "--plan", "--json")
    wide, narrow = (
        json.loads(run(*words, "--half-width", width).stdout)["details"][0]["plan"] for width in ("0.1", "0.05")
    )
    assert narrow["n_items"] == pytest.approx(4 * wide["n_items"], abs=4)
    curves = json.loads(run(*words).stdout)["details"][0]["curves"]
    assert curves["items"]["sizes"][-1] == 30 and curves["annotators"]["sizes"][-1] == 8
    assert len(curves["items"]["mean"]["huse"]) == len(curves["items"]["sizes"])
    assert wide["cost"] == pytest.approx(wide["n_judgments"] * wide["price"])


def test_figures(outputs: str, tmp_path: Path) -> None:
    words = (
        outputs,
        "--system",
        "retrieval",
        "--system",
        "ngram-t0.7",
        "--no-intervals",
        "--figures",
        str(tmp_path / "f"),
    )
    assert run(*words).exit_code == 0
    names = {path.name for path in (tmp_path / "f").iterdir()}
    assert names == {"huse-plane.svg", "huse-system-retrieval.svg", "huse-system-ngram-t0.7.svg"}
    for path in (tmp_path / "f").iterdir():
        svg = path.read_text(encoding="utf-8")
        ElementTree.fromstring(svg)
        assert 'nan"' not in svg
    assert "-inf (150)" in (tmp_path / "f" / "huse-system-retrieval.svg").read_text(encoding="utf-8")


def test_frequency_needs_a_column_of_numbers(outputs: str, tmp_path: Path) -> None:
    from assay.errors import DataError

    with pytest.raises(DataError, match="no column of numbers 'frequency'"):
        run(outputs, "--system", "retrieval", "--no-intervals", "--figures", str(tmp_path), "--frequency", "frequency")
    assert (
        run(
            *(outputs, "--system", "ngram-t0.7", "--no-intervals", "--figures", str(tmp_path)),
            *("--frequency", "params.temperature"),
        ).exit_code
        == 0
    )
    assert (tmp_path / "huse-frequency.svg").exists()


def test_what_is_wrong_is_said(outputs: str, tmp_path: Path) -> None:
    lines = [json.loads(line) for line in Path(outputs).read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["logprobs"] = {"ngram-t0.7": 0.0}
    bad = tmp_path / "bad.jsonl"
    bad.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    result = run(str(bad), "--system", "ngram-t0.7", "--no-intervals")
    assert result.exit_code == 0
    assert "all_zero: all 1050 log-probabilities are 0. Compute them" in result.stderr
    assert "no huse, huse_d: the log-probability of all outputs is the same" in result.stderr
