"""`assay dectest`: does a diversity metric follow a decoding parameter?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import model_options, options, set_tests
from assay.cli.show import figures_option, result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("dectest")
@options.data_argument
@options.evaluator_option
@click.option(
    "--param",
    "parameter",
    default="temperature",
    show_default=True,
    help="A decoding parameter, or a column of the sets.",
)
@click.option("--log10", is_flag=True, help="Use the parameter's logarithm, as for top-k.")
@click.option("--subset", type=options.count(3), default=200, show_default=True, help="Sets per random subset.")
@click.option("--repeats", type=options.count(1), default=100, show_default=True, help="Number of random subsets.")
@click.option("--ranking", is_flag=True, help="Also rank pairs of sets (a tie is a miss).")
@click.option("--curve", is_flag=True, help="Also show how rho converges with the number of sets.")
@click.option("--ratings", metavar="CRITERION", help="Also show how the rho of judgments converges with their number.")
@click.option("--model", metavar="MODEL", help="Draw the sets from this model: DATA then has only to hold items.")
@click.option(
    "--sweep",
    default="temperature=.2:1.2:11",
    show_default=True,
    metavar="NAME=VALUES",
    help="With --model: the parameter (temperature, top_k or top_p) and its values, as in assay generate.",
)
@click.option("--n", type=options.count(2), default=10, show_default=True, help="With --model: texts of a set.")
@click.option("--max-tokens", type=options.count(1), default=64, show_default=True, help="With --model: longest text.")
@click.option("--template", default="{context} {text}", show_default=True, help="With --model: context and text.")
@click.option("--chat", is_flag=True, help="With --model: put what stands before {text} into a chat message.")
@options.scoring_options
@set_tests.resamples_option
@figures_option
@options.seed_option
@options.workers_option
@result_options
def command(
    data: Given,
    evaluators: tuple[str, ...],
    curve: bool,
    scoring: options.Scoring,
    resamples: int,
    figures: Path | None,
    seed: int,
    model: str | None,
    sweep: str,
    n: int,
    max_tokens: int,
    template: str,
    chat: bool,
    form: str,
    as_json: bool,
    **settings: Any,
) -> None:
    """Test whether metrics follow a decoding parameter (decTest).

    Prints Spearman's rho on all sets with its 95% interval over contexts. With more sets than --subset, also the mean
    and standard deviation of rho over random subsets, and the mean Pearson correlation over the same subsets.

    \b
    assay dectest data:diversity/dectest1000-story -e distinct --param temperature --subset 200 --repeats 100
    assay dectest prompts.jsonl -e distinct --model smollm2 --sweep temperature=.2:1.2:11
    """
    from assay.analyses.models.generate import generate
    from assay.analyses.sets.dectest import dectest
    from assay.io import load
    from assay.io.cache import ScoreCache
    from assay.io.prompts import load_prompts
    from assay.metaeval.questions.question import Resampling

    if model is None:
        dataset = load(data)
    else:
        name, swept = model_options.sweep_of(sweep)
        settings["parameter"] = name
        drawing: dict[str, Any] = {"n": n, "max_tokens": max_tokens, "template": template, "chat": chat, "seed": seed}
        with options.progress("drawing") as progress:
            items = load_prompts(data)
            dataset = generate(items, model, requests=scoring.sender, progress=progress, **swept, **drawing).dataset
    part = dectest(
        dataset,
        evaluators,
        stability=curve or figures is not None,
        **scoring.arguments(dataset, evaluators),
        resampling=Resampling(resamples, seed=seed),
        cache=ScoreCache(),
        **settings,
    )
    show(part, form, as_json, figures=figures)
