"""`assay fit`: fit an evaluator once, apply it later."""

from __future__ import annotations

import click

from assay.cli import options


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
@options.unit_option
@options.seed_option
@options.json_option
def command(evaluator: str, data: str, output: str, unit: str | None, seed: int, as_json: bool) -> None:
    """Fit a trainable evaluator on all of DATA and save it to a folder.

    The folder holds a manifest and plain arrays. Pass it as the parameter model to score other texts.

    \b
    assay fit "neighbors(criterion='typicality')" judged.jsonl -o judge
    assay score new.jsonl -e "neighbors(model='judge')"
    """
    from assay.io import load
    from assay.io.fitted_models import new_model_folder, read_model
    from assay.run.fit import fit

    new_model_folder(output)
    dataset = load(data)
    fitted = fit(evaluator, dataset, output, unit=unit, seed=seed)
    if as_json:
        model = read_model(output)
        options.print_json({"folder": output, "content": model.content, **model.manifest})
    call = f"{fitted.name}(model={output!r})"
    options.say(f'fitted on {len(dataset)} outputs and written to {output}; score with -e "{call}"')
