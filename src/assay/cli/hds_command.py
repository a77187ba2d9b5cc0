"""`assay hds`: human diversity scores of sets."""

from __future__ import annotations

import click

from assay.cli import options
from assay.cli.show import result_options, show


@click.command("hds")
@options.data_argument
@click.option("--criterion", "criteria", multiple=True, required=True, help="What was asked; give it once for each.")
@click.option("--price", type=float, default=1.0, show_default=True, help="Price of one judgment.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@result_options
def command(data: str, criteria: tuple[str, ...], price: float, confidence: float, form: str, as_json: bool) -> None:
    """Summarize how diverse people say sets are, how surely, and what that costs per set.

    A criterion may have been asked about sets (absHDS, aspHDS), about pairs of outputs (simHDS) or about pairs
    of sets (rnkHDS). Intervals are for other annotators (Student's t); a set needs three of them. A comparison of two
    sets is paid for once, half by each.

    \b
    assay hds judged.jsonl --criterion diversity --criterion similarity --price 0.05
    """
    from assay.analyses.sets.hds import hds
    from assay.io import load

    show(hds(load(data), criteria, price=price, confidence=confidence), form, as_json)
