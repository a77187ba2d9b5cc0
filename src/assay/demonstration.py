"""The embedded sample, scored and studied: a first look at everything."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from assay.io import load
from assay.io.cache import ScoreCache
from assay.io.results import write_text
from assay.io.score_tables import save_scores
from assay.run import score
from assay.sample import copy_to
from assay.scores import ScoreTable
from assay.study.init import propose
from assay.study.run import StudyResult, run_study
from assay.study.runner import Report, StudyRun

# One or two of every family, to show where they disagree; together they take seconds.
EVALUATORS = (
    "human('typicality')",
    "human('real')",
    "huse",
    "huse_q",
    "huse_d",
    "bleu",
    "neighbors(criterion='typicality')",
    "length",
)
# Enough for a demo; a real study takes 1000 or more.
RESAMPLES = 200


def demo(
    folder: str | Path = "assay-demo",
    *,
    say: Callable[[str], None] = lambda _: None,
    scored: Callable[[ScoreTable], None] = lambda _: None,
    plan: Callable[[StudyRun], None] = lambda _: None,
    progress: Report = lambda number, total, name, status, transient: None,
) -> StudyResult:
    """Copy the embedded sample to a folder, score it, run a study of it and write the report.

    Args:
        folder: receives outputs.jsonl, scores.csv, study.toml, and the results in out.
        say: called with the commands that do the same.
        scored: called with the scores, before the study.
        plan: as of `run_study`.
        progress: as of `run_study`.
    """
    folder = Path(folder)
    outputs = copy_to(folder)
    calls = " ".join(f'-e "{name}"' if "(" in name else f"-e {name}" for name in EVALUATORS)
    say(f"$ assay score {outputs} {calls} -o {folder / 'scores.csv'}")
    dataset = load(outputs)
    table = score(dataset, EVALUATORS, cache=ScoreCache(), failures="error")
    save_scores(table, folder / "scores.csv")
    scored(table)
    study = folder / "study.toml"
    proposed = propose(outputs.name, dataset, say).replace("resamples = 1000", f"resamples = {RESAMPLES}")
    write_text(proposed.replace("Study of outputs.jsonl", "The embedded sample"), study)
    say(f"$ assay run {study} -o {folder / 'out'}")
    return run_study(study, folder / "out", plan=plan, progress=progress)
