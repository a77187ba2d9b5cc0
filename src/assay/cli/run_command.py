"""`assay run`: a study file in, a report out."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options, stop
from assay.cli.terminal import bare_stderr, is_terminal
from assay.errors import AssayError
from assay.part.visible import visible


@click.command("run")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", metavar="FOLDER", type=click.Path(path_type=Path), default="out", show_default=True,
    help="Folder for results, tables, figures and the report.",
)  # fmt: skip
@options.json_option
def command(study: Path, output: Path, as_json: bool) -> None:
    """Run all steps of a study file and write the report.

    Steps already computed from the same data and settings are reused; an interrupted run resumes where it stopped.

    \b
    assay init outputs.jsonl > study.toml
    assay run study.toml -o out
    """
    from assay.study.file import read_study
    from assay.study.outcome import write_outcome
    from assay.study.runner import StudyRun

    try:
        run = StudyRun(read_study(study), output)
        options.say("plan: " + ", ".join(f"{name} (kept)" if name in run.kept else name for name in run.study.steps))
        finished = run.finish(_report_progress)
        report = write_outcome(run.study, finished, output)
    except KeyboardInterrupt:
        stop("stopped; run the same command to resume")
    if as_json:
        click.echo((output / "results.json").read_text(encoding="utf-8"), nl=False)
    else:
        click.echo(str(report))
    failed = [step.name for step in finished if step.failure]
    if failed:
        raise AssayError(f"failed: {', '.join(failed)}; the report has the reasons, and the other steps.")


def _report_progress(number: int, total: int, name: str, status: str, transient: bool) -> None:
    """Report progress on stderr; a transient line is overwritten on a terminal and dropped elsewhere."""
    line = f"[{number}/{total}] {name}: {status}"
    if is_terminal():
        click.echo(f"\r\x1b[K{visible(line)}", file=bare_stderr(), nl=not transient)
    elif not transient:
        options.say(line)
