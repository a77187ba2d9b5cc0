"""`assay score`: score outputs with evaluators."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options
from assay.cli.show import result_options, show


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
    data: str,
    evaluators: tuple[str, ...],
    unit: str | None,
    scoring: options.Scoring,
    seed: int,
    workers: int,
    executor: str | None,
    no_cache: bool,
    form: str,
    as_json: bool,
    output: Path | None,
) -> None:
    """Score outputs with evaluators.

    Prints a score per system; -o writes a row per unit with the columns unit, item, system and one per evaluator,
    and what else meta and compare need to give the same numbers from that file. The texts of an evaluator that
    explains its scores are in that file and in the JSON.

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
    how = scoring.arguments(dataset, evaluators)
    with options.progress("scoring") as progress:
        table = score(
            dataset,
            evaluators,
            unit=unit,
            **how,
            seed=seed,
            workers=workers,
            executor=executor,
            cache=None if no_cache else ScoreCache(),
            progress=progress,
            failures="error",
        )
    if output is not None:
        save_scores(table, output)
    show(scores_part(table, texts=as_json), form, as_json)
    if output is not None:
        options.say(f"wrote {len(table)} rows to {output}")
