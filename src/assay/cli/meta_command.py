"""`assay meta`: hold evaluators against a target."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.several import several

if TYPE_CHECKING:
    from assay.metaeval.questions.study import Answers


MOST_WARNINGS = 5


@click.command("meta")
@options.data_argument
@options.candidate_option
@click.option("--target", required=True, metavar="NAME", help="The evaluator or column the others are held against.")
@options.unit_option
@several("--level", "levels", metavar="LEVEL", help="output, pair, set or system; by default the unit, and system.")
@several("--stat", "statistics", metavar="NAME", help="By default pearson spearman kendall; others: see the docs.")
@several("--grouping", "groupings", metavar="NAME", help="pooled (default), item or system.")
@options.lower_option
@options.learning_options
@options.resampling_options
@options.testing_options(["auto", "t", "permutation", "bootstrap", "williams", "steiger", "none"])
@several(
    "--swap",
    "swapped",
    metavar="FACTOR",
    help="What a permutation swaps: systems (default at system level), items (else), annotators; both: PERM-BOTH.",
)
@click.option("--ranking", is_flag=True, help="Also rank the systems, and leave each out in turn.")
@options.workers_option
@options.no_cache_option
@options.table_options
@options.json_option
def command(
    data: str,
    evaluators: tuple[str, ...],
    target: str,
    unit: str | None,
    levels: tuple[str, ...],
    statistics: tuple[str, ...],
    groupings: tuple[str, ...],
    lower_is_better: tuple[str, ...],
    learning: options.Learning,
    resamples: int,
    factors: tuple[str, ...],
    interval: Any,
    confidence: float,
    seed: int,
    test: Any,
    correction: str,
    alpha: float,
    swapped: tuple[str, ...],
    ranking: bool,
    workers: int,
    no_cache: bool,
    form: str,
    as_json: bool,
) -> None:
    """Evaluate the evaluators: how well does each agree with a target, and which differ?

    DATA is a data set (name the evaluators with -e), or a table of scores: system,item and a column per evaluator.
    Correlations come with intervals, the units they rest on, tests of every two evaluators and clusters of those
    that cannot be told apart.

    \b
    assay meta outputs.jsonl -e bleu -e length --target "human(criterion='typicality')" --level output system
    assay meta scores.csv --target human --stat spearman --json
    """
    from assay.metaeval.questions.pair_tests import PERM_BOTH, Procedure
    from assay.metaeval.questions.question import Question, Resampling
    from assay.metaeval.questions.statistics import DEFAULT
    from assay.metaeval.questions.study import ask, plan
    from assay.report.meta import render_answers

    source = Source(data, seed, workers, no_cache, lower_is_better, learning)
    resampling = Resampling(resamples, factors, interval, confidence, seed)
    question = Question(target, evaluators, statistics or DEFAULT, levels, groupings or ("pooled",), resampling)
    cells = PERM_BOTH if "both" in swapped else swapped
    procedure = None if test == "none" else Procedure(test, cells, correction, alpha)
    wanted = (*evaluators, target) if evaluators or not source.is_table else ()
    dataset = None if source.is_table else source.dataset
    answers = []
    for kind, own in plan(question, unit):
        table = source.score(wanted, kind)
        with options.progress("resampling") as progress:
            answers.append(
                ask(table, own, procedure, dataset=dataset, ranking=ranking, workers=workers, progress=progress)
            )
    if as_json:
        options.print_json(_joined(answers))
    else:
        for answer in answers:
            click.echo(render_answers(answer, form))
    warnings = [warning for answer in answers for warning in answer.warnings]
    for warning in warnings[:MOST_WARNINGS]:
        options.say(f"warning: {warning}")
    if len(warnings) > MOST_WARNINGS:
        options.say(f"... and {len(warnings) - MOST_WARNINGS} more warnings of this kind; --json has them all")


def _joined(answers: list[Answers]) -> dict[str, Any]:
    """The answers about every unit, one list per kind of answer."""
    joined: dict[str, Any] = {}
    for answer in answers:
        for key, values in asdict(answer).items():
            joined.setdefault(key, []).extend(values)
    return joined
