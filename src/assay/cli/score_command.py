"""`assay score`: score outputs with evaluators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.cli.show import result_options, show

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("score")
@options.data_argument
@options.evaluator_option
@options.unit_option
@options.scoring_options
@options.seed_option
@options.workers_option
@options.executor_option
@options.no_cache_option
@result_options
@options.output_option(".csv, .tsv, .json or .parquet, a row per unit")
def command(
    data: Given,
    evaluators: tuple[str, ...],
    scoring: options.Scoring,
    no_cache: bool,
    form: str,
    as_json: bool,
    output: Path | None,
    **settings: Any,
) -> None:
    """Score outputs with evaluators.

    Prints a score per system; -o writes a row per unit with the columns unit, item, system and one per evaluator, and
    whatever else meta and compare need to get the same numbers from the file. Explanations, where an evaluator gives
    them, are in the file and in the JSON.

    \b
    assay score outputs.jsonl -e bleu -e "human(criterion='typicality')" -o scores.csv
    assay score data:huse/summarization -e length --json
    """
    from assay.analyses.scores import scores_part
    from assay.io import load
    from assay.io.cache import ScoreCache
    from assay.io.score_tables import check_score_path, save_scores
    from assay.run import score

    if output is not None:
        check_score_path(output)
    dataset = load(data)
    arguments = scoring.arguments(dataset, evaluators)
    with options.progress("scoring") as progress:
        table = score(
            dataset,
            evaluators,
            **arguments,
            **settings,
            cache=None if no_cache else ScoreCache(),
            progress=progress,
            failures="error",
        )
    if output is not None:
        save_scores(table, output)
    show(scores_part(table, texts=as_json), form, as_json)
    if output is not None:
        options.say(f"wrote {len(table)} rows to {output}")
