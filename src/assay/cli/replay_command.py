"""`assay replay`: recompute a result from its signature."""

from __future__ import annotations

from dataclasses import replace

import click

from assay.cli import options
from assay.cli.scores import Source


@click.command("replay")
@click.argument("signature", metavar="SIGNATURE")
@options.data_argument
@options.scoring_again_options
@options.workers_option
def command(signature: str, data: str, scoring: options.Scoring, workers: int) -> None:
    """Recompute a result, bit for bit, from the signature printed with it.

    The signature records how evaluators were fitted, so cross-fitting is repeated; if they had training data, --train
    must name the data with the recorded hash.

    \b
    assay replay "correlation(candidate=..., target=..., ...)|assay:0.1.0" outputs.jsonl
    """
    from assay.analyses.agree import agreement_part
    from assay.grammar import parse_call
    from assay.io import load
    from assay.metaeval.questions.replay import check_origin, read
    from assay.metaeval.votes.agreement import AGREEMENT, agree_again
    from assay.part import Part

    if parse_call(signature).name == AGREEMENT:
        check_origin(signature)
        part = agreement_part([agree_again(signature, load(data))])
    else:
        result = read(signature)
        source = Source(data, result.seed, workers)
        source = replace(source, scoring=scoring if source.is_table else scoring.fitted_as(result.fits))
        dataset = source.dataset if result.needs_dataset else None
        answer = result.again(source.score(result.columns, result.unit), dataset, workers)
        part = Part("Recomputed", signature, numbers=(answer.number(),), seed=result.resampling.seed)
    options.print_json(part.to_json())
