"""`assay gate`: pass or fail a system, with an exit code for continuous integration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import complete, options
from assay.cli.scores import Source
from assay.cli.several import several
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given

FAILED = 1


@click.command("gate")
@options.compared_data_argument
@click.option("--better-than", metavar="SYSTEM", help="The baseline that must be beaten.")
@click.option("--not-worse-than", metavar="SYSTEM", help="The baseline that may be missed by less than --margin.")
@click.option(
    "--margin", type=float, help="For --not-worse-than: how much worse is too much, in the evaluator's units."
)
@click.option(
    "--by", "evaluators", multiple=True, required=True, metavar="EVALUATOR", help="Evaluator or column; repeatable."
)
@several(
    "--systems",
    "systems",
    metavar="NAME",
    help="Systems to test. Default: all generators but the baseline.",
    shell_complete=complete.systems,
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Probability of passing without merit.")
@click.option("--allow-missing", "missing", is_flag=True, help="Let a system lack scores on some items.")
@options.unit_option
@options.lower_option
@options.scoring_options
@options.seed_option
@options.workers_option
@options.no_cache_option
@result_options
def command(
    data: Given,
    better_than: str | None,
    not_worse_than: str | None,
    margin: float | None,
    evaluators: tuple[str, ...],
    lower_is_better: tuple[str, ...],
    scoring: options.Scoring,
    seed: int,
    workers: int,
    no_cache: bool,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Pass or fail systems against a baseline: exit code 0 if all pass by every evaluator, else 1.

    A one-sided t test over items at level alpha decides. What cannot be tested fails.

    \b
    assay gate outputs.jsonl --better-than old-model --by "human(criterion='typicality')"
    assay gate scores.csv --not-worse-than old-model --margin 0.5 --by bleu --by chrf
    """
    from assay.analyses.gate import gate

    baseline = better_than or not_worse_than
    if not baseline or (better_than and not_worse_than):
        raise click.UsageError("Give either --better-than or --not-worse-than.")
    if bool(not_worse_than) != (margin is not None):
        raise click.UsageError("--not-worse-than and --margin go together.")
    source = Source(data, seed, workers, no_cache, lower_is_better, scoring, evaluators)
    part = gate(source, baseline, evaluators, margin=margin, seed=seed, workers=workers, **chosen)
    show(part, form, as_json)
    if not part.headline["passed"]:
        raise SystemExit(FAILED)
