"""`assay agree`: how far annotators agree, and how good each of them is."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import complete, options
from assay.cli.show import result_options, show, write_table

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("agree")
@options.data_argument
@click.option(
    "--criterion",
    "criteria",
    multiple=True,
    metavar="NAME",
    help="A criterion; repeatable. Default: all.",
    shell_complete=complete.criteria,
)
@click.option(
    "--votes",
    default="modal",
    show_default=True,
    metavar="RULE",
    help="Units for Fleiss' kappa: modal (those with the most common number of votes), all, or a number of votes.",
)
@click.option(
    "--scale",
    type=click.Choice(["nominal", "ordinal", "interval", "ratio"]),
    help="Scale for Krippendorff's alpha. Default: as declared, else nominal for labels and ordinal for numbers.",
)
@click.option(
    "--weighting",
    type=click.Choice(["none", "linear", "quadratic"]),
    default="none",
    show_default=True,
    help="Disagreement weights for Cohen's kappa.",
)
@click.option(
    "--min-shared",
    type=options.count(1),
    default=5,
    show_default=True,
    help="Minimum units shared by a pair of annotators in Cohen's kappa.",
)
@click.option(
    "--against",
    type=click.Choice(["human"]),
    help="Recode votes as correct or not: human is whether a human wrote the output.",
)
@click.option(
    "--range",
    "answer_range",
    type=float,
    help="Range of the answers, to rescale squared errors to 0-1. Default: as declared, else as observed.",
)
@click.option("--constant-rho", type=float, help="Rho to assign to a constant annotator. Default: a gap.")
@click.option("--icc", is_flag=True, help="Add intraclass correlations, ICC(1,1) to ICC(3,k).")
@options.resampling_options
@result_options
@options.output_option(".csv or .jsonl, a row per unit: the Dawid-Skene label, its probability, the majority")
def command(
    data: Given,
    criteria: tuple[str, ...],
    votes: str,
    form: str,
    as_json: bool,
    output: Path | None,
    **chosen: Any,
) -> None:
    """How far annotators agree, and how good each of them is.

    For each criterion: Fleiss' and Cohen's kappa, Krippendorff's alpha, percent agreement, the best and the average
    annotator against the mean, the human ceiling, and the Dawid-Skene model. Intervals generalize to new items: items
    are resampled unless --resample names units, annotators, or items and annotators. Too few of them give a reason
    instead of an interval.

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
