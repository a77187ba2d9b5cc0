"""`assay certify`: what does a diversity metric measure?"""

from __future__ import annotations

import sys
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
STORED = ("people=metric_abs_hds_mean", "sent-BERT=metric_sent_bert")


@click.command("certify")
@click.argument("metric")
@click.option("--contest", multiple=True, metavar="DATA", help="Labeled sets; default those of the catalogue.")
@click.option("--nuggets", multiple=True, metavar="DATA", help="Form-neutral labeled sets; default the same.")
@click.option("--dectest", multiple=True, metavar="DATA", help="Sets with a parameter; default the same.")
@click.option("--beside", multiple=True, metavar="NAME", help="Metrics to show beside it; default some built-in ones.")
@click.option("--param", "parameter", default="temperature", show_default=True, help="The decoding parameter.")
@click.option(
    "--stored",
    multiple=True,
    metavar="NAME=COLUMN",
    default=STORED,
    show_default=True,
    help="Columns of the sets to show beside the metrics, where the data has them.",
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
    parameter: str,
    stored: tuple[str, ...],
    label: str,
    resamples: int,
    scoring: options.Scoring,
    seed: int,
    form: str,
    as_json: bool,
) -> None:
    """Print a card for a diversity metric: what it measures, form or content, and what it reacts to.

    METRIC is an evaluator by name or call, a function of a list of texts as package.module:function, or a table of
    scores by set (its column `score`, else the last). Data that is not on this computer is left out with a note;
    without any, the embedded sample is used.

    \b
    assay certify "distinct(order=2)"
    assay certify my_package:my_metric --contest mine.jsonl
    """
    from assay.analyses.sets.certify import BESIDE, certify
    from assay.metaeval.questions.question import Resampling
    from assay.sample import PATH

    given = bool(contest or nuggets or dectest)
    sets: dict[str, Any] = {
        "contest": _loaded(contest if given else CONTEST, given),
        "nuggets": _loaded(nuggets if given else NUGGETS, given),
        "dectest": _loaded(dectest if given else DECTEST, given),
    }
    if not any(sets.values()):
        options.say("no data of the catalogue is on this computer (`assay data list`): the embedded sample is used")
        sets["dectest"] = _loaded((str(PATH),), True)
    evaluator, fixed = _metric(metric)
    scored = [dataset for of_test in sets.values() for dataset in of_test.values()]
    part = certify(
        metric,
        evaluator=evaluator,
        beside=beside or BESIDE,
        **sets,
        label=label,
        parameter=parameter,
        stored=dict(map(_named_column, stored)),
        fixed=fixed,
        **scoring.arguments(scored, (evaluator or metric, *beside)),
        resampling=Resampling(resamples, seed=seed),
    )
    show(part, form, as_json)


def _named_column(stored: str) -> tuple[str, str]:
    name, _, column = stored.rpartition("=")
    return name or column, column


def _loaded(names: tuple[str, ...], must_exist: bool) -> dict[str, Dataset]:
    """Load data by name; what the catalogue names and this computer lacks is left out."""
    from assay.errors import DataError
    from assay.io import load

    datasets = {}
    for name in names:
        try:
            datasets[name] = load(name)
        except DataError:
            if must_exist:
                raise
    return datasets


def _metric(metric: str) -> tuple[Evaluator | None, bool]:
    """The metric where it is no evaluator of the registry, and whether it is a table of scores."""
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
