"""`assay agree`: how far annotators agree, and how good each of them is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.metaeval.votes.agreement import CriterionAgreement

MOST_SHOWN = 20
ROWS = {
    "best": "best annotator",
    "best_held_out": "best annotator, held out",
    "average": "average annotator",
}


@click.command("agree")
@options.data_argument
@click.option("--criterion", "criteria", multiple=True, metavar="NAME", help="A criterion; by default all.")
@click.option(
    "--votes",
    default="modal",
    show_default=True,
    metavar="RULE",
    help="Units of Fleiss' kappa: modal (those with the most frequent number of votes), all, or a number of votes.",
)
@click.option(
    "--scale",
    type=click.Choice(["nominal", "ordinal", "interval", "ratio"]),
    help="Scale of Krippendorff's alpha; by default nominal for labels and ordinal for numbers.",
)
@click.option(
    "--weighting",
    type=click.Choice(["none", "linear", "quadratic"]),
    default="none",
    show_default=True,
    help="What a disagreement costs in Cohen's kappa.",
)
@click.option(
    "--min-shared",
    type=options.count(1),
    default=5,
    show_default=True,
    help="Units that two annotators must share to count as a pair in Cohen's kappa.",
)
@click.option(
    "--against",
    type=click.Choice(["human"]),
    help="Recode each vote as right or wrong: human asks whether people wrote the output.",
)
@click.option("--range", "answer_range", type=float, help="Range of the answers, for squared errors on a 0 to 1 scale.")
@click.option("--constant-rho", type=float, help="What the rho of a constant annotator counts as; by default a gap.")
@options.resampling_options
@options.json_option
@options.output_option(
    ".csv or .jsonl, a row per unit: the label by Dawid and Skene's model, its probability, the majority"
)
def command(
    data: str,
    criteria: tuple[str, ...],
    votes: str,
    resamples: int,
    factors: tuple[str, ...],
    interval: Any,
    confidence: float,
    seed: int,
    as_json: bool,
    output: Path | None,
    **chosen: Any,
) -> None:
    """How far annotators agree, and how good each of them is.

    For each criterion: Fleiss' and Cohen's kappa, Krippendorff's alpha, percent agreement, the best and the average
    annotator against the mean, the human ceiling, and Dawid and Skene's model. Intervals are for other items like
    these: whole items are drawn unless --resample says units, annotators, or items and annotators. Too few of them give
    no interval but a reason.

    \b
    assay agree outputs.jsonl --criterion typicality
    assay agree data:judges/reviews --criterion real --json
    """
    from assay.io import load
    from assay.io.results import ROW_ENDINGS, check_path, write_rows
    from assay.metaeval.questions.question import Resampling
    from assay.metaeval.votes.agreement import AgreementOptions, agree

    if output is not None:
        check_path(output, ROW_ENDINGS)
    results = agree(
        load(data),
        criteria,
        options=AgreementOptions(votes=_rule(votes), **chosen),
        resampling=Resampling(resamples, factors, interval, confidence, seed),
    )
    if output is not None:
        rows = [{"criterion": result.criterion, **row} for result in results for row in result.consensus.rows()]
        write_rows(rows, output)
    if as_json:
        options.print_json(
            {
                "criteria": [result.as_json() for result in results],
                "annotators": [
                    annotator.as_json(result.criterion)
                    for result in results
                    for annotator in result.annotators.annotators
                ],
            }
        )
    else:
        click.echo("\n\n".join(_shown(result) for result in results))
    if output is not None:
        options.say(f"wrote {len(rows)} rows to {output}")


def _rule(votes: str) -> Any:
    if votes in ("modal", "all"):
        return votes
    try:
        return int(votes)
    except ValueError:
        raise click.BadParameter(f"{votes!r} is not modal, all or a number.", param_hint="--votes") from None


def _shown(result: CriterionAgreement) -> str:
    from assay.part.text import text_table

    asked = f"{result.criterion} ({result.question})" if result.question else result.criterion
    head = f"{asked}: {result.n_votes} votes of {result.n_annotators} annotators on {result.n_units} units"
    named = {
        **result.statistics,
        **{f"ceiling: {name}": estimate for name, estimate in result.ceiling.items()},
        **{
            f"{ROWS[row]}: {name}": estimate
            for row, measures in result.annotators.summary.items()
            for name, estimate in measures.items()
        },
        **{f"share of {name} (Dawid-Skene)": estimate for name, estimate in result.consensus.prevalence.items()},
    }
    rows: list[list[str | float]] = [[name, e.value, e.low, e.high, e.n, e.reason] for name, e in named.items()]
    table = text_table(["statistic", "value", "low", "high", "n", "note"], rows)
    worst = sorted(result.annotators.annotators, key=lambda a: (a.measures["agreement"].value, a.annotator))
    quality = [
        [
            a.annotator,
            a.n,
            *(a.measures[name].value for name in ("agreement", "rho_left_out", "mse_left_out")),
            a.top_share,
            a.seconds_per_judgment,
            "constant" if a.constant else "",
        ]
        for a in worst[:MOST_SHOWN]
    ]
    title = f"annotators, least agreement first{f' ({MOST_SHOWN} of {len(worst)})' if len(worst) > MOST_SHOWN else ''}"
    header = ["annotator", "n", "agreement", "rho", "mse", "top answer", "seconds", "note"]
    return "\n".join([head, "", table, "", title, "", text_table(header, quality)])
