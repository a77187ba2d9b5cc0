"""`assay compare`: compare systems."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli import complete, options
from assay.cli.scores import Source
from assay.cli.several import several
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("compare")
@options.compared_data_argument
@several(
    "--systems", "systems", metavar="NAME", help="Two or more systems. Default: all.", shell_complete=complete.systems
)
@options.candidate_option
@options.unit_option
@options.lower_option
@options.scoring_options
@options.resampling_options
@options.testing_options(["t", "permutation", "bootstrap"])
@options.workers_option
@options.no_cache_option
@result_options
def command(
    data: Given,
    evaluators: tuple[str, ...],
    lower_is_better: tuple[str, ...],
    scoring: options.Scoring,
    factors: tuple[str, ...],
    seed: int,
    workers: int,
    no_cache: bool,
    form: str,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Compare systems by evaluators, paired on the items they share.

    Rankings with simultaneous rank intervals and clusters of indistinguishable systems; then every pair: difference
    with interval, p, win/tie/loss over items, effect size. All outputs of an item, such as several seeds, form one
    cluster. With more than 63 systems, each is paired only with the best and with the next in rank.

    \b
    assay compare outputs.jsonl --systems ngram-t0.5 ngram-t1.0 -e bleu -e "human(criterion='typicality')"
    assay compare scores.csv --systems A B --json
    """
    from assay.analyses.compare import compare
    from assay.errors import AssayError

    if factors not in ((), ("items",)):
        raise AssayError("systems are compared over the items they share. Leave --resample out.")
    source = Source(data, seed, workers, no_cache, lower_is_better, scoring, evaluators)
    show(compare(source, evaluators, seed=seed, workers=workers, **chosen), form, as_json)
