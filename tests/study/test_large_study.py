"""A study of 100,000 outputs: it finishes, nothing fails, and its report stays small and says what was left out."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from assay.sample import PATH

COPIES = 96
LIMIT = 10_000_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The embedded sample 96 times, each time with items and texts of its own."""
    folder = tmp_path_factory.mktemp("large")
    sample = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]
    with open(folder / "outputs.jsonl", "w", encoding="utf-8") as file:
        for copy in range(COPIES):
            for row in sample:
                own = {key: f"{row[key]}#{copy}" for key in ("id", "item", "set")}
                file.write(json.dumps(row | own | {"text": f"{row['text']} {copy}"}) + "\n")
    return folder


def assay(folder: Path, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-m", "assay", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_a_hundred_thousand_outputs_make_a_small_report(folder: Path) -> None:
    proposed = assay(folder, "init", "outputs.jsonl")
    (folder / "study.toml").write_text(proposed.replace("resamples = 1000", "resamples = 100"), encoding="utf-8")
    results = json.loads(assay(folder, "run", "study.toml", "--json"))
    steps = {step["name"]: step for step in results["steps"]}
    assert {"generators", "huse", "scores", "diversity", "meta", "neighbors", "agreement", "health"} <= set(steps)
    assert not any(step["failure"] for step in steps.values())
    bleu = [n for n in steps["scores"]["numbers"] if n["evaluator"] == "bleu"]
    assert sum(number["n"] for number in bleu) == COPIES * 1050
    report = (folder / "out/report.html").read_text(encoding="utf-8")
    assert len(report.encode()) < LIMIT
    assert "10,000 of 100,800 judged texts were drawn" in report
    assert "400 of 14,400 drawn" in report
