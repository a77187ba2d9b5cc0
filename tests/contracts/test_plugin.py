"""Evaluators and steps of another package are full citizens: installed for real, found by their entry points."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.sample import copy_to

PLUGIN = Path(__file__).parents[1] / "plugin"

USE = """
import sys
sys.path.insert(0, sys.argv[1])
from assay import Dataset, parse, score
data = Dataset.from_records([{"text": "LOUD and quiet"}, {"text": "12"}])
column = score(data, ["shouting"])["shouting"]
print(column.signature)
print(column.values.tolist(), column.gaps.counts())
assert parse(column.signature) == parse("shouting(minimum=1)")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example package from its own build file into a folder."""
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(folder), str(PLUGIN)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_an_installed_package_adds_an_evaluator(installed: Path) -> None:
    done = subprocess.run([sys.executable, "-c", USE, str(installed)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    signature, scores = done.stdout.splitlines()
    assert signature == "shouting(minimum=1)|assay-shouting:0.3.0"
    assert scores == "[0.3333333333333333, nan] {'failed: ValueError: too few letters (0 < 1)': 1}"


def test_the_fitted_evaluator_of_the_guide_works_from_a_package(installed: Path, tmp_path: Path) -> None:
    page = (PLUGIN.parents[1] / "docs" / "fitted.md").read_text()
    assert (PLUGIN / "src" / "assay_shouting" / "bayes.py").read_text() in page, "the guide shows this very file"
    copy_to(tmp_path)
    paths = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "ASSAY_CACHE": str(tmp_path / "cache")}

    def assay(*arguments: str) -> dict[str, Any]:
        asked = [sys.executable, "-m", "assay", *arguments, "--json"]
        done = subprocess.run(asked, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)
        return found

    held_out = assay("score", "outputs.jsonl", "-e", "bayes", "--leave-out", "system")["numbers"]
    assert len(held_out) == 7
    for entry in held_out:
        assert entry["n_missing"] == 0
        assert entry["signature"].endswith("|folds(leave_out='system', n=None, seed=0)")
    assay("fit", "bayes(order=2)", "outputs.jsonl", "-o", "judge")
    signature = assay("score", "outputs.jsonl", "-e", "bayes(model='judge')")["numbers"][0]["signature"]
    assert signature.startswith("bayes(tokenizer='lower+13a', order=2, model='judge@")
    assert signature.endswith("|assay-shouting:0.3.0")


def test_an_installed_package_adds_a_section_to_reports(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "outputs.jsonl").write_text('{"text": "LOUD"}\n{"text": "quiet"}\n{"text": "12"}\n')
    paths = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths}

    def assay(*arguments: str) -> str:
        asked = [sys.executable, "-m", "assay", *arguments]
        done = subprocess.run(asked, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    proposed = assay("init", "outputs.jsonl")
    assert "# Outputs that shout.\n[loudness]\nmost = 0.5\n" in proposed
    (tmp_path / "study.toml").write_text('data = "outputs.jsonl"\n[loudness]\nmost = 0.6\n')
    results = json.loads(assay("run", "study.toml", "--json"))
    number = results["steps"][0]["numbers"][0]
    assert (number["name"], number["value"], number["n"], number["n_missing"]) == ("loud", 1, 2, 1)
    assert number["signature"] == "shouting(minimum=1)|assay-shouting:0.3.0"
    assert '<section id="loudness">' in (tmp_path / "out/report.html").read_text()


@pytest.mark.slow
def test_an_installed_package_adds_a_kind_of_generator(installed: Path, tmp_path: Path) -> None:
    (tmp_path / "texts.jsonl").write_text("".join(f'{{"text": "text {n}"}}\n' for n in range(30)))
    paths = os.pathsep.join([str(installed), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "ASSAY_CACHE": str(tmp_path / "cache")}

    def assay(*arguments: str) -> str:
        asked = [sys.executable, "-m", "assay", *arguments]
        done = subprocess.run(asked, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assay("fit", "generator", "texts.jsonl", "--kind", "parrot", "-o", "mine")
    assay("generate", "texts.jsonl", "--model", "mine", "-o", "drawn.jsonl")
    records = [json.loads(line) for line in (tmp_path / "drawn.jsonl").read_text().splitlines()]
    assert len(records) == 30 and len({record["text"] for record in records}) == 1
    assert all(record["logprobs"] == {"mine": 0.0} for record in records)
