"""`assay run`: a study file in, a report out."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options


@click.command("run")
@click.argument("study", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path, file_okay=False), default="out", show_default=True,
    help="The folder for results, tables, figures and the report.",
)  # fmt: skip
@options.json_option
def command(study: Path, output: Path, as_json: bool) -> None:
    """Run a study: everything its file asks for, then the report.

    What was computed before, on the same data with the same settings, is not computed again; a run that was stopped
    goes on where it was.

    \b
    assay init outputs.jsonl > study.toml
    assay run study.toml -o out
    """
    from assay.study.file import read_study
    from assay.study.outcome import write_outcome
    from assay.study.runner import run_study

    asked = read_study(study)
    options.say(f"steps: {', '.join(asked.steps)}")
    finished = run_study(asked, output, _tell)
    report = write_outcome(asked, finished, output)
    failed = [step.name for step in finished if step.failure]
    if as_json:
        click.echo((output / "results.json").read_text(encoding="utf-8"), nl=False)
    else:
        click.echo(str(report))
    if failed:
        options.say(f"failed: {', '.join(failed)}; the report says why")


def _tell(number: int, total: int, name: str, what: str) -> None:
    options.say(f"[{number}/{total}] {name}: {what}")
