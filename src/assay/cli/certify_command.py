"""`assay certify`: what a diversity metric measures."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options, set_tests
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.evaluator import Evaluator
    from assay.records import Dataset

TASKS = ("story", "resp", "prompt")
CONTEST = tuple(f"data:diversity/contest-{task}" for task in TASKS)
NUGGETS = tuple(f"data:diversity/{kind}-{task}" for task in TASKS for kind in ("nuggets200", "nuggets"))
DECTEST = tuple(f"data:diversity/dectest200-{task}" for task in TASKS)


@click.command("certify")
@click.argument("metric")
@click.option("--contest", multiple=True, metavar="DATA", help="Labeled sets. Default: those in the catalogue.")
@click.option("--nuggets", multiple=True, metavar="DATA", help="Form-neutral labeled sets. Default: the same.")
@click.option("--dectest", multiple=True, metavar="DATA", help="Sets with a decoding parameter. Default: the same.")
@click.option(
    "--beside", multiple=True, metavar="NAME", help="Metrics to compare it with. Default: some built-in ones."
)
@click.option("--param", "parameter", default="temperature", show_default=True, help="The decoding parameter.")
@click.option(
    "--stored",
    multiple=True,
    metavar="NAME=COLUMN",
    help="Set columns to show beside the metrics, if the data has them. Default: people=metric_abs_hds_mean and "
    "sent-BERT=metric_sent_bert.",
)
@set_tests.label_option
@set_tests.resamples_option
@options.scoring_options
@options.seed_option
@result_options
def command(
    metric: str,
    contest: tuple[str, ...],
    nuggets: tuple[str, ...],
    dectest: tuple[str, ...],
    beside: tuple[str, ...],
    stored: tuple[str, ...],
    resamples: int,
    scoring: options.Scoring,
    seed: int,
    form: str,
    as_json: bool,
    **settings: Any,
) -> None:
    """Print a card for a diversity metric: what it measures, form or content, and what it reacts to.

    METRIC is an evaluator by name or call, a function of a list of texts as package.module:function, or a table of
    scores by set (its column `score`, else the last). Catalogue data that is not on this computer is skipped; without
    any, the embedded sample is used.

    \b
    assay certify "distinct(order=2)"
    assay certify my_package:my_metric --contest mine.jsonl
    """
    from assay.analyses.sets.certify import BESIDE, STORED, certify
    from assay.metaeval.questions.question import Resampling
    from assay.sample import PATH

    sets: dict[str, Any]
    if contest or nuggets or dectest:
        sets = {"contest": _loaded(contest), "nuggets": _loaded(nuggets), "dectest": _loaded(dectest)}
    else:
        sets = {"contest": _available(CONTEST), "nuggets": _available(NUGGETS), "dectest": _available(DECTEST)}
    if not any(sets.values()):
        options.say("no catalogue data on this computer (`assay data list`): using the embedded sample")
        sets["dectest"] = _loaded((str(PATH),))
    evaluator, fixed = _metric(metric)
    scored = [dataset for of_test in sets.values() for dataset in of_test.values()]
    part = certify(
        metric,
        evaluator=evaluator,
        beside=beside or BESIDE,
        **sets,
        **settings,
        stored=dict(map(_named_column, stored)) or STORED,
        fixed=fixed,
        **scoring.arguments(scored, (evaluator or metric, *beside)),
        resampling=Resampling(resamples, seed=seed),
    )
    show(part, form, as_json)


def _named_column(stored: str) -> tuple[str, str]:
    name, _, column = stored.rpartition("=")
    return name or column, column


def _loaded(names: tuple[str, ...]) -> dict[str, Dataset]:
    from assay.io import load

    return {name: load(name) for name in names}


def _available(names: tuple[str, ...]) -> dict[str, Dataset]:
    """Load the catalogue data that is on this computer."""
    from assay.errors import DataError

    datasets: dict[str, Dataset] = {}
    for name in names:
        with suppress(DataError):
            datasets |= _loaded((name,))
    return datasets


def _metric(metric: str) -> tuple[Evaluator | None, bool]:
    """Return a metric that is not in the registry (else None), and whether it is a score table."""
    from assay.evaluators.outside import from_function, from_scores
    from assay.io.score_tables import is_score_table, read_scores

    if metric.lower().endswith(".csv") or is_score_table(metric):
        table = read_scores(metric, needs_units=True)
        column = table.columns.get("score") or list(table.columns.values())[-1]
        return from_scores(metric, table.unit.to_list(), column), True
    if ":" in metric and "(" not in metric:
        sys.path.insert(0, "")
        return from_function(metric), False
    return None, False
