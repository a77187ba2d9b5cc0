"""`assay hds`: human diversity scores of sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli import options
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("hds")
@options.data_argument
@click.option("--criterion", "criteria", multiple=True, required=True, help="A criterion; repeatable.")
@click.option("--price", type=float, default=1.0, show_default=True, help="Price of one judgment.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@result_options
def command(data: Given, criteria: tuple[str, ...], price: float, confidence: float, form: str, as_json: bool) -> None:
    """Summarize human diversity scores of sets, with intervals and the cost per set.

    Judgments may be about sets (absHDS, aspHDS), pairs of outputs (simHDS) or pairs of sets (rnkHDS). Intervals
    generalize to new annotators (Student's t); a set needs three of them. The cost of comparing two sets is split
    between them.

    \b
    assay hds judged.jsonl --criterion diversity --criterion similarity --price 0.05
    """
    from assay.analyses.sets.hds import hds
    from assay.io import load

    show(hds(load(data), criteria, price=price, confidence=confidence), form, as_json)
