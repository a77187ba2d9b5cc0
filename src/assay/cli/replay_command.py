"""`assay replay`: recompute a result from its signature."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.scores import Source
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("replay")
@click.argument("signature", metavar="SIGNATURE")
@options.optional_data_argument
@options.scoring_again_options
@options.workers_option
@result_options
def command(
    signature: str, data: Given | None, scoring: options.Scoring, workers: int, form: str, as_json: bool
) -> None:
    """Recompute a result, bit for bit, from the signature printed with it.

    DATA is what the result was computed from, a dataset or a score table. The signature records how evaluators were
    fitted, so cross-fitting is repeated; if they had training data, --train must name the data with the recorded hash.

    \b
    assay replay "correlation(candidate=..., target=..., ...)|assay:0.1.0" outputs.jsonl
    """
    from assay.analyses.replay import evaluators_of, replay
    from assay.io.cache import ScoreCache

    source = Source(data or "", workers=workers, scoring=scoring)
    given: dict[str, Any] = {}
    if data is not None and not source.is_table:
        assert source.dataset is not None
        how = scoring.arguments(source.dataset, evaluators_of(signature))
        given = {"train": how["train"], "requests": how["requests"], "cache": ScoreCache()}
    recomputed_from = None if data is None else source.dataset or source
    show(replay(signature, recomputed_from, workers=workers, **given), form, as_json)
