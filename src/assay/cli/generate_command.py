"""`assay generate`: draw texts from a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli import model_options, options
from assay.cli.show import result_options, show


@click.command("generate")
@click.argument("prompts", metavar="PROMPTS")
@model_options.model_option
@click.option("--n", type=options.count(1), default=1, show_default=True, help="Texts for each item and setting.")
@model_options.sweep_option("--temperature", "1", "Temperatures, separated by commas, or FIRST:LAST:HOW_MANY.")
@model_options.sweep_option("--top-k", "all", "Tokens that may be drawn, separated by commas; all for every token.")
@model_options.sweep_option("--top-p", "1", "Shares of the probability that may be drawn, separated by commas.")
@click.option("--as", "system", metavar="SYSTEM", help="Name of the system. Default: the model's.")
@click.option("--max-tokens", type=options.count(1), default=64, show_default=True, help="Where a text is cut.")
@model_options.prompt_options
@click.option(
    "--beam",
    type=options.count(1),
    help="Take the best text of a beam search of this width: the only one that the system can say.",
)
@click.option("--human", is_flag=True, help="Keep human-written outputs, with log-probabilities at every setting.")
@model_options.endpoint_options
@options.seed_option
@result_options
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Output file (.jsonl, .csv, .parquet) or folder of tables, written atomically.",
)
def command(
    prompts: str,
    temperature: str,
    top_k: str,
    top_p: str,
    end: str,
    form: str,
    as_json: bool,
    output: Path,
    **settings: Any,
) -> None:
    """Draw texts for every item of PROMPTS at every setting, with their exact log-probabilities.

    PROMPTS is a file with a context per line, or a dataset whose items are used. A text depends on model, item,
    setting, number and seed alone. Every text is kept as it comes: after an interrupt the same command goes on.

    \b
    assay generate prompts.jsonl --model smollm2 --n 10 --temperature .3,.7,1 --top-p .9,1 -o outputs.jsonl
    assay dectest outputs.jsonl -e distinct
    """
    from assay.analyses.models.generate import generate
    from assay.io import save
    from assay.io.files import check_data_path
    from assay.io.prompts import load_prompts

    check_data_path(output)
    dataset = load_prompts(prompts)
    asked = model_options.asking(settings)
    with options.progress("drawing") as progress:
        result = generate(
            dataset,
            temperature=model_options.numbers_of("--temperature", temperature),
            top_k=model_options.counts_of("--top-k", top_k),
            top_p=model_options.numbers_of("--top-p", top_p),
            end=model_options.end_of(end),
            progress=progress,
            **asked,
            **settings,
        )
    save(result.dataset, output)
    show(result.part, form, as_json)
    options.say(f"wrote {len(result.dataset)} outputs to {output}")
