"""`assay certify`: what does a diversity metric measure?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from assay.cli import options, set_tests

if TYPE_CHECKING:
    from assay.evaluator import Evaluator
    from assay.metaeval.sets.certify import Scorer
    from assay.records import Dataset
    from assay.scores import ScoreTable

TASKS = ("story", "resp", "prompt")
CONTEST = tuple(f"data:diversity/contest-{task}" for task in TASKS)
NUGGETS = tuple(f"data:diversity/{kind}-{task}" for task in TASKS for kind in ("nuggets200", "nuggets"))
DECTEST = tuple(f"data:diversity/dectest200-{task}" for task in TASKS)
BESIDE = ("distinct", "cos_sim", "embedding_diversity", "content_diversity")
STORED = {"people": "metric_abs_hds_mean", "sent-BERT": "metric_sent_bert"}


@click.command("certify")
@click.argument("metric")
@click.option("--contest", multiple=True, metavar="DATA", help="Labelled sets; default those of the catalogue.")
@click.option("--nuggets", multiple=True, metavar="DATA", help="Form-neutral labeled sets; default the same.")
@click.option("--dectest", multiple=True, metavar="DATA", help="Sets with a parameter; default the same.")
@click.option("--beside", multiple=True, metavar="NAME", help="Metrics to show beside it; default some built-in ones.")
@click.option("--param", "parameter", default="temperature", show_default=True, help="The decoding parameter.")
@set_tests.label_option
@set_tests.resamples_option
@options.seed_option
@options.json_option
def command(
    metric: str,
    contest: tuple[str, ...],
    nuggets: tuple[str, ...],
    dectest: tuple[str, ...],
    beside: tuple[str, ...],
    parameter: str,
    label: str,
    resamples: int,
    seed: int,
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
    from assay.metaeval.questions.question import Resampling
    from assay.metaeval.sets.certify import Material, certify
    from assay.report.certificate import write_card
    from assay.sample import PATH

    given = bool(contest or nuggets or dectest)
    found = {
        "contest": _loaded(contest if given else CONTEST, given),
        "nuggets": _loaded(nuggets if given else NUGGETS, given),
        "dectest": _loaded(dectest if given else DECTEST, given),
    }
    if not any(found.values()):
        options.say("no data of the catalogue is on this computer (`assay data list`): the embedded sample is used")
        found["dectest"] = _loaded((str(PATH),), True)
    changed = next(iter({**found["contest"], **found["dectest"], **found["nuggets"]}.values()))
    chosen, fixed = _metric(metric)
    score = _scorer(metric, chosen, seed)
    how = Resampling(resamples, seed=seed)
    card = certify(
        metric,
        beside or BESIDE,
        Material(**found, changed=changed, label=label, parameter=parameter, stored=STORED),
        score,
        fixed=fixed,
        how=how,
    )
    if as_json:
        options.print_json(asdict(card))
    else:
        click.echo(write_card(card))


def _loaded(names: tuple[str, ...], must_exist: bool) -> dict[str, Dataset]:
    """Load data by name; what the catalogue names and this computer lacks is left out."""
    from assay.errors import DataError
    from assay.io import load

    found = {}
    for name in names:
        try:
            found[name] = load(name)
        except DataError:
            if must_exist:
                raise
    return found


def _metric(metric: str) -> tuple[Evaluator, bool]:
    """Make the metric from what the user wrote, and say whether its scores are fixed."""
    from assay.evaluators.outside import from_function, from_scores
    from assay.io.score_tables import is_score_table, read_scores
    from assay.registry import parse

    if metric.lower().endswith(".csv") or is_score_table(metric):
        table = read_scores(metric, needs_units=True)
        column = table.columns.get("score") or list(table.columns.values())[-1]
        return from_scores(metric, table.unit.to_list(), column), True
    if ":" in metric and "(" not in metric:
        sys.path.insert(0, "")
        return from_function(metric), False
    return parse(metric), False


def _scorer(metric: str, chosen: Evaluator, seed: int) -> Scorer:
    """Score sets by the names of metrics; one beside the metric that this data does not allow is left out."""
    from dataclasses import replace

    from assay.errors import AssayError
    from assay.registry import parse
    from assay.run import score as run

    left_out: set[str] = set()

    def score(dataset: Dataset, names: Sequence[str]) -> ScoreTable:
        table = run(dataset, ["distinct"], unit="set", seed=seed, failures="error")
        columns = {}
        for name in names:
            try:
                made = chosen if name == metric else parse(name)
                scored = run(dataset, [made], unit="set", seed=seed, failures="error")
                column = next(iter(scored.columns.values()))
            except AssayError as error:
                if name == metric:
                    raise
                if name not in left_out:
                    options.say(f"{name} is left out: {error}")
                left_out.add(name)
                continue
            columns[name] = replace(column, name=name)
        return replace(table, columns=columns)

    return score
