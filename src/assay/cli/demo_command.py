"""`assay demo`: score the embedded sample."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options

# One or two of every family, so that the table shows where they disagree; all of them together take seconds.
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

GO_ON = (
    "assay score {outputs} --unit set -e distinct -e cos_sim",
    "assay huse {outputs} --system ngram-t0.7",
    "assay init {outputs} > study.toml",
    "assay run study.toml -o out",
)


@click.command("demo")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default="assay-demo")
@options.json_option
@click.pass_context
def command(ctx: click.Context, folder: Path, as_json: bool) -> None:
    """Score the embedded sample and print a table, a line per system.

    The sample is 30 everyday questions with texts that stand for people, the outputs of six small systems, and the
    judgments of a simulated panel, all made for this project. A copy of it, outputs.jsonl, and the scores,
    scores.csv, are written into FOLDER, by default assay-demo.

    \b
    assay demo
    assay demo my-folder
    """
    from assay.cli.score_command import command as score
    from assay.sample import copy_to

    outputs = copy_to(folder)
    asked = " ".join(f'-e "{name}"' if "(" in name else f"-e {name}" for name in EVALUATORS)
    scores = folder / "scores.csv"
    options.say(f"$ assay score {outputs} {asked} -o {scores}")
    ctx.invoke(score, data=str(outputs), evaluators=EVALUATORS, output=scores, as_json=as_json)
    options.say("Go on with:")
    for example in GO_ON:
        options.say(f"$ {example.format(outputs=outputs)}")
