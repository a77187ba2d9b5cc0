"""`assay logprob`: log-probabilities of outputs under a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import model_options, options
from assay.cli.show import result_options, show, write_table

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("logprob")
@options.data_argument
@model_options.model_option
@click.option("--as", "system", required=True, metavar="SYSTEM", help="The system that the log-probabilities are of.")
@click.option("--temperature", type=float, default=1.0, show_default=True, help="Of the sampling distribution.")
@click.option("--top-k", type=options.count(1), help="Tokens that may be drawn; after temperature.")
@click.option("--top-p", type=float, default=1.0, show_default=True, help="Share that may be drawn; after top-k.")
@model_options.prompt_options
@click.option(
    "--border",
    type=click.Choice(["joint", "separate"]),
    default="joint",
    show_default=True,
    help="Tokenize prompt and text as one string (a token across the border is a gap), or apart.",
)
@click.option("--max-tokens", type=options.count(1), help="Where the sampler stopped: a longer text is impossible.")
@click.option("--window", type=options.count(2), help="Most tokens seen at once. Default: what the model can.")
@click.option("--stride", type=options.count(1), help="Move the window over longer texts by so many tokens.")
@click.option(
    "--check",
    type=click.Choice(["quick", "full"]),
    default="quick",
    show_default=True,
    help="How many texts the checks look at.",
)
@click.option("--tokens", type=click.Path(path_type=Path), help="Also write the value of every token (.csv or .jsonl).")
@click.option("--rows", type=click.Path(path_type=Path), help="Also write a row per output, with reasons of gaps.")
@model_options.endpoint_options
@options.seed_option
@result_options
@options.output_option(".jsonl, .csv or .parquet, the data with the log-probabilities")
def command(
    data: Given,
    end: str,
    tokens: Path | None,
    rows: Path | None,
    form: str,
    as_json: bool,
    output: Path | None,
    **settings: Any,
) -> None:
    """Add log-probabilities under a model's sampling distribution to outputs, human-written ones too.

    Checks run first, and nothing is written where one fails: the vocabulary sums to 1, values do not depend on the
    batch, one beginning of text, no token across the border, tokens decode back, drawn texts score minus their entropy.
    Values are kept: a second run only checks the model again.

    \b
    assay logprob outputs.jsonl --model smollm2 --as smollm2 -o with_logprobs.jsonl
    assay huse with_logprobs.jsonl
    """
    from assay.analyses.models.logprob import logprob
    from assay.io import load, save
    from assay.io.files import check_data_path

    if output is not None:
        check_data_path(output)
    dataset = load(data)
    asked = model_options.asking(settings)
    with options.progress("scoring") as progress:
        result = logprob(
            dataset,
            end=model_options.end_of(end),
            per_token=tokens is not None,
            progress=progress,
            **asked,
            **settings,
        )
    if output is not None:
        save(result.dataset, output)
    if tokens is not None:
        write_table(result.part, "tokens", tokens)
    write_table(result.part, "rows", rows)
    show(result.part, form, as_json)
    if output is not None:
        options.say(f"wrote {len(dataset)} outputs to {output}")
