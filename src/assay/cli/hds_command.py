"""`assay hds`: human diversity scores of sets."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

import click

from assay.cli import options


@click.command("hds")
@options.data_argument
@click.option("--criterion", "criteria", multiple=True, required=True, help="What was asked; give it once for each.")
@click.option("--price", type=float, default=1.0, show_default=True, help="Price of one judgment.")
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.json_option
def command(data: str, criteria: tuple[str, ...], price: float, confidence: float, as_json: bool) -> None:
    """Summarise how diverse people say sets are, how surely, and what that costs per set.

    A criterion may have been asked about sets (absHDS, aspHDS), about pairs of outputs (simHDS) or about pairs
    of sets (rnkHDS). Intervals are for other annotators (Student's t); a set needs three of them. A comparison of two
    sets is paid for once, half by each.

    \b
    assay hds judged.jsonl --criterion diversity --criterion similarity --price 0.05
    """
    from assay.io import load
    from assay.metaeval.sets.human_diversity import human_diversity
    from assay.part import Cell
    from assay.part.text import text_table

    dataset = load(data)
    found = [human_diversity(dataset, name, price=price, confidence=confidence) for name in criteria]
    if as_json:
        options.print_json({"scores": [asdict(one) for one in found]})
        return
    header = ["criterion", "asked about", "sets", "judgments per set", "annotators per set", "cost per set", "width"]
    rows: list[list[Cell]] = [
        [
            one.criterion,
            one.asked_about,
            len(one.sets),
            one.judgments_per_set,
            one.annotators_per_set,
            one.cost_per_set,
            one.mean_width,
        ]
        for one in found
    ]
    click.echo(text_table(header, rows))
    for one in found:
        reasons = Counter(row.reason for row in one.sets if row.reason)
        for reason, n in reasons.most_common():
            options.say(f"{one.criterion}: {n} of {len(one.sets)} sets have no interval ({reason})")
