"""`assay agree`: how far annotators agree, and how good each of them is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli import options
from assay.cli.show import result_options, show, write_table


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
    help="Scale of Krippendorff's alpha; by default as declared, else nominal for labels and ordinal for numbers.",
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
@click.option(
    "--range",
    "answer_range",
    type=float,
    help="Range of the answers, for squared errors on a 0 to 1 scale; by default as declared, else that given.",
)
@click.option("--constant-rho", type=float, help="What the rho of a constant annotator counts as; by default a gap.")
@options.resampling_options
@result_options
@options.output_option(
    ".csv or .jsonl, a row per unit: the label by Dawid and Skene's model, its probability, the majority"
)
def command(
    data: str,
    criteria: tuple[str, ...],
    votes: str,
    form: str,
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
    from assay.analyses.agree import agree
    from assay.io import load
    from assay.io.results import ROW_ENDINGS, check_path

    if output is not None:
        check_path(output, ROW_ENDINGS)
    part = agree(load(data), criteria, votes=_rule(votes), labels=output is not None, **chosen)
    write_table(part, "labels", output)
    show(part, form, as_json)


def _rule(votes: str) -> Any:
    if votes in ("modal", "all"):
        return votes
    try:
        return int(votes)
    except ValueError:
        raise click.BadParameter(f"{votes!r} is not modal, all or a number.", param_hint="--votes") from None
