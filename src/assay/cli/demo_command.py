"""`assay demo`: study the embedded sample."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options
from assay.cli.show import show

if TYPE_CHECKING:
    from assay.scores import ScoreTable


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="assay-demo")
@options.json_option
def command(folder: Path, as_json: bool) -> None:
    """Score the embedded sample, print a table, run a study of it and write a report.

    The sample has 30 everyday questions with texts that stand in for human ones, the outputs of six small systems,
    and the judgments of a simulated panel, all made for this project. FOLDER (default: assay-demo) receives a copy,
    outputs.jsonl, with scores.csv, study.toml and the results in out. The last line printed is the path of the report.

    \b
    assay demo
    assay demo my-folder
    """
    from assay.analyses.scores import scores_part
    from assay.cli.run_command import report_progress, say_plan, show_study
    from assay.demonstration import demo

    def scored(table: ScoreTable) -> None:
        if not as_json:
            show(scores_part(table), "text", False)

    result = demo(folder, say=options.say, scored=scored, plan=say_plan, progress=report_progress)
    show_study(result, folder / "out", as_json)
