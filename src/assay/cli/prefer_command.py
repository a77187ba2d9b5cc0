"""`assay prefer`: rank systems by pairwise preferences."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.several import several

if TYPE_CHECKING:
    from assay.metaeval.votes.pair_judgments import Comparisons
    from assay.metaeval.votes.preference_spread import Factor, Intervals

MOST_PAIRS = 45


@click.command("prefer")
@options.data_argument
@click.option("--criterion", metavar="NAME", help="The criterion whose judgments compare two units.")
@click.option(
    "-e",
    "--evaluator",
    metavar="NAME",
    help="An evaluator instead, by name or call: its preferences between outputs of two systems for one item.",
)
@click.option(
    "--prior-wins",
    type=float,
    default=0.0,
    show_default=True,
    help="Wins to add both ways to each pair of systems, for systems that won or lost every comparison.",
)
@click.option(
    "--intervals",
    type=click.Choice(["clustered", "bootstrap", "information"]),
    default="clustered",
    show_default=True,
    help="Intervals and p for clusters of judgments, by formula or by resampling them; or as if judgments were "
    "independent (information).",
)
@several(
    "--resample",
    "over",
    type=click.Choice(["items", "annotators"]),
    help="The clusters: items, annotators or both; by default those that gave several judgments.",
)
@click.option("--resamples", type=options.count(2), default=1000, show_default=True, help="Number of resamples.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.seed_option
@options.json_option
def command(
    data: str,
    criterion: str | None,
    evaluator: str | None,
    prior_wins: float,
    intervals: Intervals,
    over: tuple[Factor, ...],
    resamples: int,
    confidence: float,
    seed: int,
    as_json: bool,
) -> None:
    """Rank systems by pairwise preferences: Bradley and Terry's model, ties as in Davidson's.

    A judgment about a pair names the other unit in `other`; its value is 1 (the unit is preferred), -1 (the other) or
    0 (neither), or a label such as first, second, tie. p is adjusted for the number of pairs (Holm), and the rank of a
    system goes from 1 + those surely better to the number of systems - those surely worse.

    With -e an evaluator compares every two outputs of two systems for one item (at most 1,000 of an item): one that
    judges matchups by its score of the two, any other by which of them it scores better.

    \b
    assay prefer comparisons.jsonl --criterion better
    assay prefer comparisons.jsonl --criterion better --intervals bootstrap --resample annotators
    assay prefer outputs.jsonl -e chrf
    """
    from assay.metaeval.votes.preference import preferences_of

    found = preferences_of(
        _comparisons(data, criterion, evaluator, seed),
        prior_wins=prior_wins,
        intervals=intervals,
        over=over,
        n_resamples=resamples,
        confidence=confidence,
        seed=seed,
    ).as_json()
    if as_json:
        options.print_json(found)
        return
    click.echo(_shown(found))
    if "reason" in found:
        options.say(f"no strengths: {found['reason']}")
    if "no_interval" in found:
        options.say(f"no intervals: {found['no_interval']}")


def _comparisons(data: str, criterion: str | None, evaluator: str | None, seed: int) -> Comparisons:
    from assay.cli.scores import Source
    from assay.errors import AssayError
    from assay.metaeval.votes.pair_judgments import comparisons_of
    from assay.metaeval.votes.pair_scores import comparisons_from, preferring_unit
    from assay.registry import parse

    source = Source(data, seed=seed)
    if (criterion is None) == (evaluator is None):
        raise AssayError("say who prefers: --criterion NAME for annotators, or -e NAME for an evaluator.")
    if criterion is not None:
        return comparisons_of(source.dataset, criterion)
    assert evaluator is not None
    unit = preferring_unit(source.dataset, parse(evaluator))
    comparisons = comparisons_from(source.dataset, source.table([evaluator], unit), evaluator)
    if comparisons.n_missing:
        options.say(f"{comparisons.n_missing} matchups are left out: {evaluator} has no score for them.")
    return comparisons


def _shown(found: dict[str, Any]) -> str:
    from assay.part import Cell
    from assay.part.text import text_table

    def numbers(row: dict[str, Any], names: tuple[str, ...]) -> list[Cell]:
        return [float("nan") if row[name] is None else row[name] for name in names]

    of_systems = ("strength", "low", "high", "wins", "ties", "losses")
    systems = [
        [
            row["system"],
            *numbers(row, of_systems),
            "" if row["rank_low"] is None else f"{row['rank_low']}-{row['rank_high']}",
        ]
        for row in found["systems"]
    ]
    shown = text_table(["system", *of_systems, "rank"], systems)
    if not found["pairs"]:
        return shown
    of_pairs = ("difference", "low", "high", "p_value", "p_adjusted")
    pairs = [[row["left"], row["right"], *numbers(row, of_pairs)] for row in found["pairs"][:MOST_PAIRS]]
    rest = len(found["pairs"]) - len(pairs)
    more = f"\n({rest} more pairs: --json)" if rest else ""
    return f"{shown}\n\n{text_table(['left', 'right', *of_pairs], pairs)}{more}"
