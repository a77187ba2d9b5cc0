"""`assay fit`: fit an evaluator once, apply it later."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("fit")
@click.argument("evaluator", metavar="EVALUATOR")
@options.data_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    required=True,
    metavar="FOLDER",
    help="New folder to write, atomically.",
)
@click.option("--kind", metavar="KIND", help="The parameter kind of EVALUATOR, such as pragmatic for listener.")
@options.unit_option
@options.seed_option
@options.json_option
def command(
    evaluator: str, data: Given, output: str, kind: str | None, unit: str | None, seed: int, as_json: bool
) -> None:
    """Fit a trainable evaluator on all of DATA and save it to a folder.

    The folder holds a manifest and plain arrays. Pass it as the parameter model to score other texts. A long training
    that was interrupted goes on where it stopped if the command is repeated.

    \b
    assay fit "neighbors(criterion='typicality')" judged.jsonl -o judge
    assay score new.jsonl -e "neighbors(model='judge')"
    assay fit listener data:colors/train --kind pragmatic -o pragmatic
    """
    from assay.grammar import parse_call
    from assay.io import load
    from assay.io.fitted_models import new_model_folder, read_model
    from assay.progress import reporting
    from assay.registry import build
    from assay.run.fit import fit

    new_model_folder(output)
    asked = parse_call(evaluator)
    chosen = build(asked if kind is None else replace(asked, kwargs={**asked.kwargs, "kind": kind}))
    dataset = load(data)
    with options.progress("fitting") as progress, reporting(progress):
        fitted = fit(chosen, dataset, output, unit=unit, seed=seed)
    if as_json:
        model = read_model(output)
        options.print_json({"folder": output, "content": model.content, **model.manifest})
    call = f"{fitted.name}(model={output!r})"
    options.say(f'fitted on {len(dataset)} outputs and written to {output}; score with -e "{call}"')
