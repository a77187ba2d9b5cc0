"""`assay run`: a study file in, a report out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options, stop
from assay.cli.terminal import bare_stderr, is_terminal
from assay.errors import AssayError
from assay.part.visible import visible

if TYPE_CHECKING:
    from assay.study.run import StudyResult
    from assay.study.runner import StudyRun


@click.command("run")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", metavar="FOLDER", type=click.Path(path_type=Path), default="out", show_default=True,
    help="Folder for results, tables, figures and the report.",
)  # fmt: skip
@options.cluster_options
@options.json_option
def command(study: Path, output: Path, scoring: options.Scoring, as_json: bool) -> None:
    """Run all steps of a study file and write the report.

    Steps already computed from the same data and settings are reused; an interrupted run resumes where it stopped.

    \b
    assay init outputs.jsonl > study.toml
    assay run study.toml -o out
    assay run study.toml --cluster tcp://scheduler:8786
    """
    from assay.study.run import run_study

    try:
        result = run_study(study, output, executor=scoring.executor, plan=say_plan, progress=report_progress)
    except KeyboardInterrupt:
        stop("stopped; run the same command to resume")
    show_study(result, output, as_json)


def say_plan(run: StudyRun) -> None:
    """Say which steps will run, and which are kept."""
    options.say("plan: " + ", ".join(f"{name} (kept)" if name in run.kept else name for name in run.study.steps))


def show_study(result: StudyResult, output: Path, as_json: bool) -> None:
    """Print the path of the report, or all results; failed steps are an error."""
    if as_json:
        click.echo((output / "results.json").read_text(encoding="utf-8"), nl=False)
    else:
        click.echo(str(result.report))
    if result.failures:
        raise AssayError(f"failed: {', '.join(result.failures)}; the report has the reasons, and the other steps.")


def report_progress(number: int, total: int, name: str, status: str, transient: bool) -> None:
    """Report progress on stderr; a transient line is overwritten on a terminal and dropped elsewhere."""
    line = f"[{number}/{total}] {name}: {status}"
    if is_terminal():
        click.echo(f"\r\x1b[K{visible(line)}", file=bare_stderr(), nl=not transient)
    elif not transient:
        options.say(line)
