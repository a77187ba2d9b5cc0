"""Running a study: kept results, failures that stay alone, and a run that is killed at any moment."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.contracts.worlds import records
from tests.study.packages import install_evaluator, install_step

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
    """Run the study of a folder; packages in its `site` are installed for it."""
    paths = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-m", "assay", "run", "study.toml", "-o", "out"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONPATH": paths},
        # A shell starts background jobs with SIGINT ignored, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def run(folder: Path) -> tuple[int, str, str]:
    process = start(folder)
    out, err = process.communicate()
    return process.returncode, out, err


def written(folder: Path) -> dict[str, bytes]:
    """Every file of a run that is not a temporary one."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


def test_a_run_leaves_results_tables_and_a_report(folder: Path) -> None:
    code, out, err = run(folder)
    assert code == 0, err
    assert out.strip() == "out/report.html"
    assert err.startswith("plan: scores, health\n")
    results = json.loads((folder / "out/results.json").read_text())
    first = results["steps"][0]["numbers"][0]
    assert {"system", "evaluator", "value", "n", "n_missing", "interval", "signature", "seed"} <= set(first)
    assert results["files"] == sorted(
        str(path.relative_to(folder / "out"))
        for kind in ("scores", "tables", "figures")
        for path in (folder / "out" / kind).glob("*")
    )
    assert (folder / "out/scores/outputs.csv").read_text().startswith("unit,item,system,length,bleu,human")
    assert (folder / "out/tables/scores.csv").exists()
    assert r"\begin{tabular}" in (folder / "out/tables/scores.tex").read_text()


def test_a_second_run_computes_nothing_and_gives_the_same_bytes(folder: Path) -> None:
    run(folder)
    before = written(folder / "out")
    code, _, err = run(folder)
    assert code == 0
    assert err == "plan: scores (kept), health (kept)\n"
    assert written(folder / "out") == before


def test_other_data_or_settings_are_computed_anew(folder: Path) -> None:
    run(folder)
    (folder / "study.toml").write_text(STUDY.replace('"length", ', ""))
    _, _, err = run(folder)
    assert err.startswith("plan: scores, health (kept)\n")
    assert "scores: running" in err
    with open(folder / "outputs.jsonl", "a") as file:
        file.write('{"text": "one more", "item": "i0"}\n')
    _, _, err = run(folder)
    assert "health: running" in err


def test_what_an_earlier_run_left_is_removed_and_nothing_else(folder: Path) -> None:
    run(folder)
    (folder / "out/tables/mine.csv").write_text("my own")
    (folder / "study.toml").write_text(STUDY.replace("[health]", ""))
    run(folder)
    assert not (folder / "out/tables/health.csv").exists()
    assert (folder / "out/tables/scores.csv").exists()
    assert (folder / "out/tables/mine.csv").exists()


def test_a_step_that_fails_is_told_and_the_others_go_on(folder: Path) -> None:
    (folder / "study.toml").write_text(STUDY.replace("typicality", "typicalitee"))
    code, out, err = run(folder)
    assert code == 1
    assert out.strip() == "out/report.html"
    assert "scores: failed: " in err
    assert "health: done" in err
    assert "failed: scores; the report has the reasons, and the other steps." in err
    assert "typicalitee" in (folder / "out/report.html").read_text()
    assert json.loads((folder / "out/results.json").read_text())["steps"][0]["failure"]


def test_data_that_cannot_be_read_leaves_nothing(folder: Path) -> None:
    (folder / "outputs.jsonl").write_text('{"text": 3}\n')
    code, out, err = run(folder)
    assert (code, out) == (1, "")
    assert "outputs.jsonl line 1: " in err
    assert not (folder / "out").exists()


def test_a_system_that_is_not_there_is_named(folder: Path) -> None:
    (folder / "study.toml").write_text('systems = ["aa"]\n' + STUDY)
    code, _, err = run(folder)
    assert code == 1
    assert "study.toml: systems: the data has no system 'aa'." in err
    assert not (folder / "out").exists()


def test_only_the_systems_asked_for_are_studied(folder: Path) -> None:
    (folder / "study.toml").write_text('systems = ["a", "people"]\n' + STUDY)
    code, _, err = run(folder)
    assert code == 0, err
    numbers = json.loads((folder / "out/results.json").read_text())["steps"][0]["numbers"]
    assert {number["system"] for number in numbers} == {"a", "people"}


def test_the_counts_of_a_study_of_some_systems_know_no_others(folder: Path) -> None:
    (folder / "study.toml").write_text('systems = ["a", "people"]\n' + STUDY)
    run(folder)
    rows = (folder / "out/tables/health.csv").read_text().splitlines()[1:]
    assert [row.split(",")[0] for row in rows] == ["people", "a"]


def test_a_study_whose_steps_all_fail_still_has_its_report(folder: Path) -> None:
    (folder / "study.toml").write_text(STUDY.replace("typicality", "typicalitee").replace("[health]", ""))
    code, out, err = run(folder)
    assert (code, out.strip()) == (1, "out/report.html")
    assert "failed: scores; the report has the reasons" in err
    assert json.loads((folder / "out/results.json").read_text())["files"] == []


@pytest.mark.slow
def test_two_runs_at_once_into_one_folder_both_complete(folder: Path) -> None:
    both = [start(folder), start(folder)]
    for process in both:
        _, err = process.communicate()
        assert process.returncode == 0, err
    found = written(folder / "out")
    assert not list((folder / "out").rglob(".*"))
    shutil.rmtree(folder / "out")
    run(folder)
    assert written(folder / "out") == found


def test_an_interrupted_run_says_so_and_goes_on_the_next_time(folder: Path) -> None:
    install_step(folder / "site")
    (folder / "study.toml").write_text('data = "outputs.jsonl"\n[health]\n[slow]\n')
    process = start(folder)
    assert process.stderr is not None
    for line in process.stderr:
        if line == "[2/2] slow: running, about 0 s left\n":
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    assert (process.returncode, out) == (130, "")
    assert err == "stopped; run the same command to resume\n"
    (folder / "quick").touch()
    code, _, err = run(folder)
    assert code == 0
    assert err.startswith("plan: health (kept), slow\n")


@pytest.mark.slow
def test_other_code_of_another_package_is_computed_anew(folder: Path) -> None:
    module = install_step(folder / "site")
    (folder / "quick").touch()
    (folder / "study.toml").write_text('data = "outputs.jsonl"\n[slow]\n')
    run(folder)
    assert run(folder)[2] == "plan: slow (kept)\n"
    module.write_text(module.read_text().replace("at last", "at once"))
    _, _, err = run(folder)
    assert err.startswith("plan: slow\n")
    assert "Done at once." in (folder / "out/report.html").read_text()


def test_a_failure_that_may_pass_is_exit_code_1_and_tried_again(folder: Path) -> None:
    install_evaluator(folder / "site")
    (folder / "study.toml").write_text('data = "outputs.jsonl"\n[scores]\nevaluators = ["flaky"]\n[health]\n')
    code, _, err = run(folder)
    assert code == 1
    assert "scores: failed: flaky: failed on 12 of 36 outputs for a reason outside the data (MemoryError: 12)" in err
    assert [path.name.partition("-")[0] for path in (folder / "out/steps").glob("*.step")] == ["health"]
    paths = os.pathsep.join([str(folder / "site"), os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": paths, "ASSAY_CACHE": str(folder / "cache")}
    asked = [sys.executable, "-m", "assay", "score", "outputs.jsonl", "-e", "flaky"]
    failed = subprocess.run(asked, cwd=folder, env=environment, capture_output=True, text=True)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("assay: flaky: failed on 12 of 36 outputs for a reason outside the data")
    (folder / "quick").touch()
    code, _, err = run(folder)
    assert code == 0
    assert err.startswith("plan: scores, health (kept)\n")
    assert subprocess.run(asked, cwd=folder, env=environment, capture_output=True).returncode == 0


def test_a_damaged_step_is_told_and_computed_again(folder: Path) -> None:
    run(folder)
    before = written(folder / "out")
    (kept,) = (folder / "out/steps").glob("scores-*.step")
    kept.write_bytes(kept.read_bytes().replace(b'"n": 12', b'"n": 13', 1))
    code, _, err = run(folder)
    assert code == 0
    assert err.startswith(f"{kept.relative_to(folder)}: damaged, or not written by assay. It is ignored, ")
    assert "plan: scores, health (kept)\n" in err
    assert written(folder / "out") == before


@pytest.mark.slow
def test_a_broken_package_matters_only_to_studies_that_use_it(folder: Path) -> None:
    install_step(folder / "site", "import a_module_that_is_not_there\n")
    (folder / "study.toml").write_text('data = "outputs.jsonl"\n[health]\n')
    assert run(folder)[0] == 0
    (folder / "study.toml").write_text('data = "outputs.jsonl"\n[slow]\n')
    code, _, err = run(folder)
    assert code == 1
    assert err == (
        "assay: study.toml line 2: [slow]: the package slow_step cannot be loaded (ModuleNotFoundError: "
        "No module named 'a_module_that_is_not_there'). Repair or remove it.\n"
    )


@pytest.mark.slow
def test_killed_at_any_moment_it_completes_the_next_time(folder: Path) -> None:
    with open(folder / "study.toml", "a") as file:
        file.write("[generators]\nevaluators = [\"human(criterion='typicality')\"]\n")
    _, _, err = run(folder)
    told = len(err.splitlines())
    wanted = written(folder / "out")
    assert any(name.startswith("figures/") for name in wanted)
    rng = random.Random(0)
    kept = []
    for turn in range(20):
        shutil.rmtree(folder / "out", ignore_errors=True)
        process = start(folder)
        assert process.stderr is not None
        # After a line that the run tells, and some more time: every stretch of a run is met, however fast the machine.
        for _ in range(turn % (told + 1)):
            process.stderr.readline()
        time.sleep(rng.uniform(0, 0.3))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        for name, content in written(folder / "out").items():
            assert content == wanted[name], f"{name} is half-written"
        code, _, err = run(folder)
        assert code == 0, err
        assert written(folder / "out") == wanted
        assert not list((folder / "out").rglob(".*"))
        kept.append(err.count("(kept)"))
    assert 0 in kept
    assert max(kept) == 3, "a kill that came when all steps were done"
