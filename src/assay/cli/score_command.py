"""`assay score`: score outputs with evaluators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli import options
from assay.limits import MOST_WORKERS

if TYPE_CHECKING:
    from assay.scores import Column, ScoreTable


@click.command("score")
@options.data_argument
@options.evaluator_option
@options.unit_option
@options.learning_options
@options.seed_option
@options.workers_option
@options.executor_option
@options.no_cache_option
@click.option(
    "--requests",
    type=click.IntRange(1, MOST_WORKERS),
    default=8,
    show_default=True,
    help="Requests under way together, of evaluators that ask a service; results do not depend on it.",
)
@click.option("--max-requests", type=options.count(), help="The most requests to send, retries included.")
@click.option("--offline", is_flag=True, help="Send no request: only answers that are kept count.")
@options.json_option
@options.output_option(".csv, .tsv, .json or .parquet, a row per unit")
def command(
    data: str,
    evaluators: tuple[str, ...],
    unit: str | None,
    learning: options.Learning,
    seed: int,
    workers: int,
    executor: str | None,
    no_cache: bool,
    requests: int,
    max_requests: int | None,
    offline: bool,
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
    from assay.io import load
    from assay.io.cache import ScoreCache
    from assay.io.score_tables import check_score_path, save_scores
    from assay.part.text import text_table
    from assay.run import score
    from assay.run.requests import Requests

    if output is not None:
        check_score_path(output)
    dataset = load(data)
    how = learning.arguments(dataset, evaluators)
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
            requests=Requests(requests, most=max_requests, offline=offline),
        )
    systems = table.by_system()
    if output is not None:
        save_scores(table, output)
    if as_json:
        texts = {name: _texts(table, column) for name, column in table.columns.items() if column.texts is not None}
        about = {"unit": table.kind, "seed": table.seed, "systems": _by_system(table, systems)}
        options.print_json(about | ({"texts": texts} if texts else {}))
    else:
        click.echo(text_table(["system", *systems.columns], _rows(systems)))
    options.say_notes(table)
    if output is not None:
        options.say(f"wrote {len(table)} rows to {output}")


def _by_system(table: ScoreTable, systems: ScoreTable) -> list[dict[str, Any]]:
    units = table.rows_by_system()
    described = []
    for row, system in enumerate(systems.unit):
        scores = {}
        for name, column in systems.columns.items():
            own = table[name].take(units[row])
            scores[name] = {
                "value": float(column.values[row]),
                "n": own.n,
                "n_missing": own.n_missing,
                "signature": column.signature,
                "missing": own.gaps.counts(),
            }
        described.append({"system": system, "scores": scores})
    return described


def _texts(table: ScoreTable, column: Column) -> dict[str, str]:
    """The texts beside the scores of single units."""
    return {unit: text for unit, text in zip(table.unit, column.texts or (), strict=True) if text}


def _rows(systems: ScoreTable) -> list[list[str | float]]:
    return [
        [system, *(float(column.values[row]) for column in systems.columns.values())]
        for row, system in enumerate(systems.unit)
    ]
