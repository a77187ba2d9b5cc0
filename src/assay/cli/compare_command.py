"""`assay compare`: hold systems against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.several import several

if TYPE_CHECKING:
    from assay.metaeval.systems.comparison import Difference
    from assay.metaeval.systems.ranks import SystemClusters


@click.command("compare")
@options.data_argument
@several("--systems", "systems", metavar="NAME", help="Two or more systems; by default all.")
@options.candidate_option
@options.unit_option
@options.lower_option
@options.learning_options
@options.resampling_options
@options.testing_options(["t", "permutation", "bootstrap"])
@options.workers_option
@options.no_cache_option
@options.table_options
@options.json_option
def command(
    data: str,
    systems: tuple[str, ...],
    evaluators: tuple[str, ...],
    unit: str | None,
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
    workers: int,
    no_cache: bool,
    form: str,
    as_json: bool,
) -> None:
    """Compare systems by evaluators, paired on the items they share.

    Difference with interval, p, win/tie/loss on items, effect size; then the systems by rank, with intervals of ranks
    that hold for all at once and clusters of systems that cannot be told apart. All outputs of an item, such as
    several seeds, belong together. Of more than 63 systems each is shown with the best one and with the next in rank.

    \b
    assay compare outputs.jsonl --systems ngram-t0.5 ngram-t1.0 -e bleu -e "human(criterion='typicality')"
    assay compare scores.csv --systems A B --json
    """
    from assay.errors import AssayError
    from assay.metaeval.questions.pair_tests import Procedure
    from assay.metaeval.questions.question import Resampling
    from assay.metaeval.systems.comparison import compare_systems
    from assay.report.meta import render_differences

    if factors not in ((), ("items",)):
        raise AssayError("a comparison of systems draws items, the only thing both share; leave --resample out.")
    table = Source(data, seed, workers, no_cache, lower_is_better, learning).table(evaluators, unit)
    differences, clusters = compare_systems(
        table,
        systems,
        resampling=Resampling(resamples, ("items",), interval, confidence, seed),
        procedure=Procedure(test, (), correction, alpha),
        workers=workers,
    )
    if as_json:
        found = {"comparisons": list(map(asdict, differences)), "clusters": list(map(asdict, clusters))}
        options.print_json(found)
    else:
        click.echo(render_differences(differences, clusters, form))
    for note in _notes(differences, clusters):
        options.say(note)


def _notes(differences: Sequence[Difference], clusters: Sequence[SystemClusters]) -> Iterator[str]:
    """What is missing and why; a reason that several pairs share is told once."""
    for found in clusters:
        shown = sum(difference.evaluator == found.evaluator for difference in differences)
        if shown < found.n_pairs:
            yield (
                f"{found.evaluator}: {shown:,} of {found.n_pairs:,} pairs of systems are shown, those with the best "
                f"one and with the next in rank; {found.n_tested:,} were tested, and p is adjusted for all of them"
            )
    by_reason: dict[tuple[str, str], list[Difference]] = {}
    for difference in differences:
        by_reason.setdefault((difference.evaluator, difference.reason), []).append(difference)
    for (evaluator, reason), pairs in by_reason.items():
        if reason:
            more = f" ({len(pairs) - 1:,} more pairs alike)" if len(pairs) > 1 else ""
            yield f"{pairs[0].left} and {pairs[0].right} by {evaluator}: {reason}{more}"
