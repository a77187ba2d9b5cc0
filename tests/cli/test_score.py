"""`assay score` and `assay list` as a user meets them."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.contracts.worlds import records


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "outputs.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records()))
    return path


def assay(*args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"ASSAY_CACHE": str(cwd or "")}
    return subprocess.run(
        [sys.executable, "-m", "assay", *args], capture_output=True, text=True, cwd=cwd, env=environment
    )


def test_json_has_a_value_with_counts_and_signature_per_system(file: Path) -> None:
    done = assay(
        "score", "outputs.jsonl", "-e", "bleu", "-e", "human(criterion='typicality')", "--json", cwd=file.parent
    )
    assert (done.returncode, done.stderr) == (0, "")
    numbers = json.loads(done.stdout)["numbers"]
    assert [number["system"] for number in numbers] == ["people", "a", "b"] * 2
    assert list(dict.fromkeys(number["evaluator"] for number in numbers)) == ["bleu", "human(criterion='typicality')"]
    bleu = numbers[1]
    assert (bleu["n"], bleu["n_missing"], bleu["missing"]) == (12, 0, {})
    assert bleu["signature"].startswith("bleu(max_order=4, ")
    assert 0 < bleu["value"] < 100


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_table_has_a_row_per_unit(file: Path, ending: str) -> None:
    done = assay("score", "outputs.jsonl", "-e", "bleu", "-e", "length", "-o", f"s.{ending}", cwd=file.parent)
    assert done.returncode == 0, done.stderr
    path = file.parent / f"s.{ending}"
    if ending == "csv":
        with open(path, newline="") as opened:
            header, first, *rest = csv.reader(opened)
    else:
        import pyarrow.parquet as pq

        stored = pq.read_table(path)
        header, rest = stored.column_names, [None] * (len(stored) - 1)
        first = [str(stored.column(name)[0].as_py()) for name in header]
    assert header[:5] == ["unit", "item", "system", "bleu", "length"]
    assert len(rest) == 35
    assert first[:3] == ["o0", "i0", "people"]


@pytest.mark.parametrize(
    ("args", "code", "message"),
    [
        (["score", "outputs.jsonl", "-e", "blue"], 1, "no evaluator 'blue'. Did you mean 'bleu'?"),
        (["score", "nothing.jsonl", "-e", "bleu"], 1, "nothing.jsonl: no such file"),
        (["score", "outputs.jsonl", "-e", "column('x')"], 1, "the data has no column 'x'"),
        (["score", "outputs.jsonl", "-e", "bleu", "-o", "x.txt"], 1, "scores are written as .csv, .tsv, .json"),
        (["score", "outputs.jsonl", "-e", "bleu", "-o", "no/x.csv"], 1, "no: no such folder"),
        (["score", "outputs.jsonl"], 2, "Missing option"),
        (["scroe"], 2, "Did you mean 'score'?"),
        (["score", "outputs.jsonl", "-e", "bleu", "--jsno"], 2, "--json"),
        (["list", "blue"], 1, "Did you mean 'bleu'?"),
    ],
)
def test_mistakes_are_plain_messages(file: Path, args: list[str], code: int, message: str) -> None:
    done = assay(*args, cwd=file.parent)
    assert done.returncode == code
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert sorted(path.name for path in file.parent.iterdir()) == ["outputs.jsonl"]


def test_a_failed_run_leaves_the_old_file_alone(file: Path) -> None:
    old = file.parent / "s.csv"
    old.write_text("precious")
    file.write_text('{"text": "a"}\nnot json\n{"txt": "b"}\n')
    done = assay("score", "outputs.jsonl", "-e", "length", "-o", "s.csv", cwd=file.parent)
    assert done.returncode == 1
    assert "outputs.jsonl line 2: not JSON" in done.stderr
    assert "outputs.jsonl line 3: no text" in done.stderr
    assert old.read_text() == "precious"


def test_list_names_every_evaluator() -> None:
    done = assay("list")
    assert {"bleu", "human", "length", "column"} <= {line.split()[0] for line in done.stdout.splitlines()}
    assert "max_order = 4" in assay("list", "bleu").stdout


@pytest.mark.slow
def test_an_executor_is_named_and_changes_nothing(file: Path) -> None:
    options = ([], ["--workers", "2"], ["--executor", "threads:2"], ["--executor", "processes:2"])
    runs = [assay("score", file.name, "-e", "bleu", "--no-cache", *how, cwd=file.parent) for how in options]
    assert {(done.returncode, done.stderr) for done in runs} == {(0, "")}
    assert len({done.stdout for done in runs}) == 1
    wrong = assay("score", file.name, "-e", "bleu", "--executor", "process:2", cwd=file.parent)
    assert wrong.returncode == 1
    assert "Did you mean 'processes'?" in wrong.stderr


def test_list_says_which_parameters_are_evaluators() -> None:
    done = assay("list", "huse", "length", "--json")
    assert [entry["uses"] for entry in json.loads(done.stdout)["evaluators"]] == [["quality", "beside"], []]
    assert "the evaluators given as members" in assay("list", "blend").stdout
