"""`assay meta`: evaluate the evaluators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import complete, options
from assay.cli.scores import Source
from assay.cli.several import several
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("meta")
@options.data_argument
@options.candidate_option
@click.option(
    "--target",
    required=True,
    metavar="NAME",
    help="The evaluator or column to compare the others with.",
    shell_complete=complete.evaluators,
)
@options.unit_option
@several("--level", "levels", metavar="LEVEL", help="output, pair, set or system. Default: the unit, and system.")
@several(
    "--stat", "statistics", metavar="NAME", help="Statistics. Default: pearson spearman kendall; the docs list all."
)
@several("--grouping", "groupings", metavar="NAME", help="pooled (default), item or system.")
@options.lower_option
@options.scoring_options
@options.resampling_options
@options.testing_options(["auto", "t", "permutation", "bootstrap", "williams", "steiger", "none"])
@several(
    "--swap",
    "swapped",
    metavar="FACTOR",
    help="What a permutation swaps: systems (default at system level), items (default elsewhere), annotators; both: "
    "PERM-BOTH.",
)
@click.option("--ranking", is_flag=True, help="Also rank the systems, and recompute without each of them.")
@options.workers_option
@options.no_cache_option
@result_options
def command(
    data: Given,
    evaluators: tuple[str, ...],
    statistics: tuple[str, ...],
    groupings: tuple[str, ...],
    lower_is_better: tuple[str, ...],
    scoring: options.Scoring,
    seed: int,
    workers: int,
    no_cache: bool,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Evaluate the evaluators: how well does each agree with a target, and which differ?

    DATA is a dataset (name the evaluators with -e) or a score table: system,item and a column per evaluator. Prints
    correlations with intervals and sample sizes, pairwise tests, and clusters of indistinguishable evaluators.

    \b
    assay meta outputs.jsonl -e bleu -e length --target "human(criterion='typicality')" --level output system
    assay meta scores.csv --target human --stat spearman --json
    """
    from assay.analyses.meta import meta
    from assay.metaeval.questions.statistics import DEFAULT

    source = Source(data, seed, workers, no_cache, lower_is_better, scoring, evaluators)
    settings = {"statistics": statistics or DEFAULT, "groupings": groupings or ("pooled",), **chosen}
    with options.progress("resampling") as progress:
        part = meta(source, evaluators, seed=seed, workers=workers, progress=progress, **settings)
    show(part, form, as_json)
