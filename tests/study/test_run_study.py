"""Running a study: kept results, failures that stay alone, and a run that is killed at any moment."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.contracts.worlds import records

STUDY = """
data = "outputs.jsonl"
resamples = 50

[scores]
evaluators = ["length", "bleu", "human(criterion='typicality')"]

[health]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records()))
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path


def start(folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "assay", "run", "study.toml", "-o", "out"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"ASSAY_CACHE": str(folder / "cache")},
    )


def run(folder: Path) -> tuple[int, str, str]:
    process = start(folder)
    out, err = process.communicate()
    return process.returncode, out, err


def test_a_run_leaves_results_tables_and_a_report(folder: Path) -> None:
    code, out, err = run(folder)
    assert code == 0, err
    assert out.strip() == "out/report.html"
    results = json.loads((folder / "out/results.json").read_text())
    first = results["steps"][0]["numbers"][0]
    assert {"system", "evaluator", "value", "n", "n_missing", "signature", "seed"} <= set(first)
    assert (folder / "out/tables/scores.csv").exists()
    assert r"\begin{tabular}" in (folder / "out/tables/scores.tex").read_text()


def test_a_second_run_computes_nothing_and_gives_the_same_bytes(folder: Path) -> None:
    run(folder)
    before = {path.name: path.read_bytes() for path in (folder / "out").iterdir() if path.is_file()}
    code, _, err = run(folder)
    assert code == 0
    assert err.count("kept from an earlier run") == 2
    assert "running" not in err
    assert {path.name: path.read_bytes() for path in (folder / "out").iterdir() if path.is_file()} == before


def test_other_data_or_settings_are_computed_anew(folder: Path) -> None:
    run(folder)
    (folder / "study.toml").write_text(STUDY.replace('"length", ', ""))
    _, _, err = run(folder)
    assert "scores: running" in err
    assert "health: kept" in err
    with open(folder / "outputs.jsonl", "a") as file:
        file.write('{"text": "one more", "item": "i0"}\n')
    _, _, err = run(folder)
    assert "health: running" in err


def test_a_step_that_fails_is_told_and_the_others_go_on(folder: Path) -> None:
    (folder / "study.toml").write_text(STUDY.replace('"bleu"', '"blue"'))
    code, _, err = run(folder)
    assert code == 0
    assert "scores: failed: no evaluator 'blue'. Did you mean 'bleu'?" in err
    assert "health: done" in err
    assert "no evaluator &#x27;blue&#x27;" in (folder / "out/report.html").read_text()


@pytest.mark.slow
def test_killed_at_any_moment_it_completes_the_next_time(folder: Path) -> None:
    expected = folder / "expected"
    run(folder)
    (folder / "out").rename(expected)
    wanted = (expected / "results.json").read_bytes()
    rng = random.Random(0)
    for _ in range(20):
        process = start(folder)
        time.sleep(rng.uniform(0, 3))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for path in (folder / "out").rglob("*.json") if (folder / "out").exists() else ():
            if not path.name.startswith("."):
                json.loads(path.read_text())
    code, _, err = run(folder)
    assert code == 0, err
    assert (folder / "out/results.json").read_bytes() == wanted
    assert not [path for path in (folder / "out").rglob("*") if path.name.startswith(".")]
