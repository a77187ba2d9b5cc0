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
@click.option(
    "--attributes", metavar="COLUMNS", help="Columns that a conditioned generator reads, such as rating,product."
)
@click.option("--model", metavar="MODEL", help="Pretrained language model that the generator fine_tuned begins with.")
@options.unit_option
@options.seed_option
@options.json_option
def command(
    evaluator: str,
    data: Given,
    output: str,
    kind: str | None,
    attributes: str | None,
    model: str | None,
    unit: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Fit a trainable evaluator on all of DATA and save it to a folder.

    The folder holds a manifest and plain arrays. Pass it as the parameter model to score other texts. A long training
    that was interrupted goes on where it stopped if the command is repeated.

    \b
    assay fit "neighbors(criterion='typicality')" judged.jsonl -o judge
    assay score new.jsonl -e "neighbors(model='judge')"
    assay fit listener data:colors/train --kind pragmatic -o pragmatic

    EVALUATOR may be generator: then a small generator of a --kind (such as lstm, seqgan or speaker; docs/testers.md has
    all) learns to write the human texts of DATA, all texts where none is marked, for assay generate and assay logprob.

    \b
    assay fit generator reviews.jsonl --kind lstm -o lstm
    assay fit generator reviews.jsonl --kind attributes --attributes rating,product -o attributes
    assay fit generator reviews.jsonl --kind fine_tuned --model smollm2 -o tuned
    assay generate prompts.jsonl --model lstm --n 10 --temperature .5,.7,1 -o outputs.jsonl
    """
    if evaluator == "generator":
        if unit is not None:
            raise click.UsageError("--unit is an option of evaluators: leave it out for a generator.")
        _fit_generator(data, output, kind or "lstm", attributes, model, seed, as_json)
        return
    for name, given in (("--attributes", attributes), ("--model", model)):
        if given is not None:
            raise click.UsageError(f"{name} is an option of generators: leave it out for an evaluator.")
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
        written = read_model(output)
        options.print_json({"folder": output, "content": written.content, **written.manifest})
    call = f"{fitted.name}(model={output!r})"
    options.say(f'fitted on {len(dataset)} outputs and written to {output}; score with -e "{call}"')


def _fit_generator(
    data: Given, output: str, kind: str, attributes: str | None, model: str | None, seed: int, as_json: bool
) -> None:
    from assay.generators.fitting import fit_generator
    from assay.io import load
    from assay.progress import reporting

    dataset = load(data)
    with options.progress("training") as progress, reporting(progress):
        columns = [name.strip() for name in (attributes or "").split(",") if name.strip()]
        folder = fit_generator(dataset, output, kind, attributes=columns, model=model, seed=seed)
    training = folder.manifest["training"]
    if as_json:
        options.print_json({"folder": output, "content": folder.content, **folder.manifest})
    beside = {"perplexity_of_trigrams": "word trigrams", "perplexity_before": "before it was tuned"}
    for name in beside.keys() & training.keys():
        options.say(
            f"perplexity on {training.get('measured', training['held_out'])} held-out texts: "
            f"{training['perplexity']:.1f} ({beside[name]}: {training[name]:.1f})"
        )
    options.say(f"trained on {training['texts']} texts and written to {output}; use it as --model {output}")
