"""`assay originality`: what generators copied, and how much they repeat themselves."""

from __future__ import annotations

import click

from assay.cli import options
from assay.cli.show import result_options, show


@click.command("originality")
@options.data_argument
@click.option("--train", metavar="DATA", help="The texts that the generators were trained on.")
@click.option("--tokenizer", default="lower+13a", show_default=True, help="Words for spans and n-grams.")
@click.option(
    "--near",
    type=float,
    default=0.8,
    show_default=True,
    help="Jaccard similarity of trigrams from which two texts are near duplicates.",
)
@click.option("--confidence", type=float, default=0.95, show_default=True, help="Confidence of the intervals.")
@options.seed_option
@result_options
def command(
    data: str, train: str | None, tokenizer: str, near: float, confidence: float, seed: int, form: str, as_json: bool
) -> None:
    """What generators copied from their training texts, and how much they repeat themselves.

    For each system: the share of its n-grams and the longest spans found in --train, whole texts copied, near
    duplicates among its own texts, Self-BLEU and type-token ratio on equally many texts.

    \b
    assay originality outputs.jsonl --train train.jsonl
    """
    from assay.analyses.originality import originality
    from assay.io import load

    training = load(train) if train else None
    part = originality(load(data), training, tokenizer=tokenizer, near=near, confidence=confidence, seed=seed)
    show(part, form, as_json)
