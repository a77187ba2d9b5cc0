"""`assay huse` from the outside."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

import assay
from assay.cli import cli
from assay.sample import copy_to

MEASURES = ("huse", "huse_q", "huse_d")


def run(*words: str) -> Any:
    return CliRunner().invoke(cli, ["huse", *words], catch_exceptions=False)


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(copy_to(tmp_path_factory.mktemp("sample")))


@pytest.mark.parametrize(("ties", "expected"), [("exact", (0.53, 0.60, 0.93)), ("paper", (0.53, 0.58, 0.95))])
def test_the_published_data(data: Path, ties: str, expected: tuple[float, ...]) -> None:
    result = run("data:huse/summarization", "--json", "--ties", ties)
    assert result.exit_code == 0
    numbers = json.loads(result.stdout)["numbers"]
    assert [number["name"] for number in numbers] == list(MEASURES)
    assert [round(number["value"], 9) for number in numbers] == list(expected)
    for number in numbers:
        assert (number["n_people"], number["n_system"]) == (100, 100)
        assert number["interval"][0] < number["value"] < number["interval"][1]
        assert number["tie_range"][0] - 1e-9 <= number["value"] <= number["tie_range"][1] + 1e-9
        assert number["signature"].startswith(f"{number['name']}(")


def test_same_seed_same_bytes(data: Path) -> None:
    words = ("data:huse/summarization", "--json")
    assert run(*words, "--seed", "3").stdout == run(*words, "--seed", "3").stdout
    assert run(*words, "--seed", "3").stdout != run(*words, "--seed", "4").stdout


def test_table_examples_and_plan(outputs: str) -> None:
    result = run(outputs, "--systems", "ngram-t1.0", "--plan", "--price", "0.1", "--examples", "2")
    assert result.exit_code == 0
    assert "HUSE-D" in result.stdout and "What gives systems away" in result.stdout
    assert "What a 95% interval of +-0.05 around HUSE takes, at 0.1 for a judgment" in result.stdout


def test_plan_as_json(outputs: str) -> None:
    words = (outputs, "--systems", "ngram-t1.0", "--plan", "--json")
    wide, narrow = (planned(json.loads(run(*words, "--half-width", width).stdout)) for width in ("0.1", "0.05"))
    assert narrow["items"] == pytest.approx(4 * wide["items"], abs=4)
    assert wide["cost"] == pytest.approx(wide["judgments"] * 0.05)


def planned(part: dict[str, Any]) -> dict[str, Any]:
    table = next(table for table in part["tables"] if table["name"] == "huse_plan")
    return dict(zip(table["header"], table["rows"][0], strict=True))


def test_curves_end_at_all_items_and_annotators(outputs: str) -> None:
    part = assay.huse(assay.load(outputs), systems=["ngram-t1.0"], plan=True)
    sizes = {row[1]: row[2] for row in part.table("huse_curves").rows}
    assert sizes == {"items": 30, "annotators": 8}
    assert {"huse-items-ngram-t1.0", "huse-annotators-ngram-t1.0"} <= {picture.name for picture in part.pictures}


def test_figures(outputs: str, tmp_path: Path) -> None:
    words = (
        outputs,
        "--systems",
        "retrieval",
        "--systems",
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
        run(outputs, "--systems", "retrieval", "--no-intervals", "--figures", str(tmp_path), "--frequency", "frequency")
    assert (
        run(
            *(outputs, "--systems", "ngram-t0.7", "--no-intervals", "--figures", str(tmp_path)),
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
    result = run(str(bad), "--systems", "ngram-t0.7", "--no-intervals")
    assert result.exit_code == 0
    assert "all_zero: all 1050 log-probabilities are 0. Compute them" in result.stderr
    assert "no huse, huse_d: all outputs have the same log-probability" in result.stderr


def test_a_plan_without_an_interval_says_so(tmp_path: Path) -> None:
    records = [
        {"item": f"i{n}", "system": system, "human": system == "people", "text": f"{system} {n}", "logprob": -1.0 - n}
        | {"judgments": [{"annotator": "a", "criterion": "quality", "value": n % 5}]}
        for n in range(10)
        for system in ("people", "model")
    ]
    path = tmp_path / "few.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    result = run(str(path), "--plan", "--no-intervals")
    assert result.exit_code == 0
    assert "HUSE has no interval on this data" in result.stdout
