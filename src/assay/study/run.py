"""Run a study file from start to report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.part import Part
from assay.run.executor import Executor
from assay.study.file import read_study
from assay.study.outcome import write_outcome
from assay.study.runner import Report, StudyRun


@dataclass(frozen=True)
class StudyResult:
    """What a study wrote: the report, the result of each step, and why steps failed."""

    report: Path
    parts: Mapping[str, Part] = field(default_factory=dict)
    failures: Mapping[str, str] = field(default_factory=dict)

    def _repr_html_(self) -> str:
        return "".join(part._repr_html_() for part in self.parts.values())


def run_study(
    study: str | Path,
    output: str | Path = "out",
    *,
    executor: str | Executor | None = None,
    plan: Callable[[StudyRun], None] = lambda _: None,
    progress: Report = lambda number, total, name, status, transient: None,
) -> StudyResult:
    """Run all steps of a study file and write results, tables, figures and the report to a folder.

    Steps already computed from the same data and settings are reused.

    Args:
        study: the study file.
        output: the folder to write to.
        executor: where the data is scored, as in `assay.score`; does not affect results.
        plan: called with the run before its first step.
        progress: called with the number of the step, of all steps, its name and status, and whether that will change.
    """
    run = StudyRun(read_study(Path(study)), Path(output))
    plan(run)
    finished = run.finish(progress, executor)
    report = write_outcome(run.study, finished, Path(output))
    return StudyResult(
        report,
        {step.name: step.part for step in finished if step.part is not None},
        {step.name: step.failure for step in finished if step.failure},
    )
