"""`assay demo`: study the embedded sample."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options

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


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="assay-demo")
@options.json_option
@click.pass_context
def command(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Score the embedded sample, print a table, run a study of it and write a report.

    The sample has 30 everyday questions with texts that stand in for human ones, the outputs of six small systems,
    and the judgments of a simulated panel, all made for this project. FOLDER (default: assay-demo) receives a copy,
    outputs.jsonl, with scores.csv, study.toml and the results in out. The last line printed is the path of the report.

    \b
    assay demo
    assay demo my-folder
    """
    from assay.cli.run_command import command as run
    from assay.cli.score_command import command as score
    from assay.io import load
    from assay.io.results import write_text
    from assay.sample import copy_to
    from assay.study.init import propose

    outputs = copy_to(folder)
    if not as_json:
        calls = " ".join(f'-e "{name}"' if "(" in name else f"-e {name}" for name in EVALUATORS)
        options.say(f"$ assay score {outputs} {calls} -o {folder / 'scores.csv'}")
        ctx.invoke(score, data=(str(outputs),), evaluators=EVALUATORS, output=folder / "scores.csv")
    text = propose(outputs.name, load(outputs), options.say).replace("resamples = 1000", f"resamples = {RESAMPLES}")
    study = folder / "study.toml"
    write_text(text.replace("Study of outputs.jsonl", "The embedded sample"), study)
    options.say(f"$ assay run {study} -o {folder / 'out'}")
    ctx.invoke(run, study=study, output=folder / "out", as_json=as_json)
