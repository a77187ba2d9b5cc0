"""`assay prefer`: rank systems by pairwise preferences."""

from __future__ import annotations

from typing import Any, Literal

import click

from assay.cli import options


@click.command("prefer")
@options.data_argument
@click.option("--criterion", required=True, metavar="NAME", help="The criterion whose judgments compare two units.")
@click.option(
    "--prior-wins",
    type=float,
    default=0.0,
    show_default=True,
    help="Wins to add both ways to each pair of systems, for systems that won or lost every comparison.",
)
@click.option(
    "--intervals",
    type=click.Choice(["information", "bootstrap"]),
    default="information",
    show_default=True,
    help="From the information matrix (judgments independent), or by resampling.",
)
@click.option(
    "--resample",
    "over",
    type=click.Choice(["items", "annotators"]),
    default="items",
    show_default=True,
    help="What the bootstrap draws.",
)
@click.option("--resamples", type=options.count(1), default=1000, show_default=True, help="Number of resamples.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.seed_option
@options.json_option
def command(
    data: str,
    criterion: str,
    prior_wins: float,
    intervals: Literal["information", "bootstrap"],
    over: Literal["items", "annotators"],
    resamples: int,
    confidence: float,
    seed: int,
    as_json: bool,
) -> None:
    """Rank systems by pairwise preferences: Bradley and Terry's model, ties as in Davidson's.

    A judgment about a pair names the other unit in `other`; its value is 1 (the unit is preferred), -1 (the other) or
    0 (neither), or a label such as first, second, tie.

    \b
    assay prefer comparisons.jsonl --criterion better
    assay prefer comparisons.jsonl --criterion better --intervals bootstrap --resample annotators
    """
    from assay.io import load
    from assay.meta.preference import preferences

    found = preferences(
        load(data),
        criterion,
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


def _shown(found: dict[str, Any]) -> str:
    from assay.report.table import text_table

    nan = float("nan")
    numbers = ("strength", "low", "high")
    rows = [
        [row["system"], *(nan if row[name] is None else row[name] for name in numbers)]
        + [row[name] for name in ("wins", "ties", "losses")]
        for row in found["systems"]
    ]
    return text_table(["system", *numbers, "wins", "ties", "losses"], rows)
