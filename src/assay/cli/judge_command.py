"""`assay judge`: a language model answers a form about outputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli import model_options, options
from assay.cli.show import result_options, show


@click.command("judge")
@options.data_argument
@model_options.model_option
@click.option(
    "--form",
    "questionnaire",
    default="rating",
    show_default=True,
    metavar="FORM",
    help="rating, typicality, real or preference, or a .toml file with a question and its answers.",
)
@click.option(
    "--answer",
    type=click.Choice(["chosen", "expected", "compared"]),
    default="chosen",
    show_default=True,
    help="The answer in the reply, or the mean answer by the probabilities of first tokens, or of whole answers.",
)
@click.option(
    "--orders",
    type=click.Choice(["both", "first"]),
    default="both",
    show_default=True,
    help="Order of the two texts of a preference; each is a judgment of its own.",
)
@click.option("--samples", type=options.count(1), default=1, show_default=True, help="Replies to each question.")
@click.option("--temperature", type=float, help="Default: 0, or 1 for several samples.")
@click.option("--max-tokens", type=options.count(1), default=128, show_default=True, help="Longest reply.")
@click.option(
    "--person-price", type=click.FloatRange(0, min_open=True), help="What an answer of a person costs, to compare with."
)
@click.option("--as", "annotator", metavar="NAME", help="Name of the model among the annotators. Default: a signature.")
@model_options.endpoint_options
@result_options
@options.output_option(".jsonl, .csv or .parquet, the data with the judgments")
def command(
    data: str, questionnaire: str, form: str, as_json: bool, output: Path | None, model: str, **settings: Any
) -> None:
    """Let a language model answer a form about every output; its answers become judgments in the data.

    The form is the one that people get. Every reply is kept as it comes, so a run that was stopped goes on where it
    was, and a second one sends nothing. A reply without a verdict is no judgment, and is counted with its reason.
    A key comes from ASSAY_API_KEY, or from the file that ASSAY_API_KEY_FILE names.

    \b
    assay judge outputs.jsonl --model smollm2 --form typicality --answer expected -o judged.jsonl
    assay judge outputs.jsonl --model "url(gpt-x@http://localhost:8000/v1)" --form preference \\
        --budget 5USD --prices 0.5 1.5 -o judged.jsonl
    """
    from assay.analyses.models.judge import judge
    from assay.io import load, save

    asking = model_options.asking(settings)
    budget = asking["budget"]
    with options.progress("judging", budget.so_far if budget else None) as progress:
        judged = judge(load(data), model, questionnaire, progress=progress, **asking, **settings)
    if output is not None:
        save(judged.dataset, output)
        options.say(f"wrote {output}")
    show(judged.part, form, as_json)
