"""`assay score`: score outputs with evaluators."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

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
@click.option(
    "--gather",
    type=click.FloatRange(0),
    default=2.0,
    show_default=True,
    metavar="GB",
    help="With -o FOLDER: the most memory for evaluators that need all the data in one process.",
)
@click.option(
    "--dry-run",
    is_flag=True,
    help="With -o FOLDER: print the plan, memory per worker and an estimate of the time; score nothing.",
)
@result_options
@options.output_option(".csv, .tsv, .json or .parquet, a row per unit; without an ending, a folder of Parquet parts")
def command(
    data: Given,
    evaluators: tuple[str, ...],
    scoring: options.Scoring,
    no_cache: bool,
    gather: float,
    dry_run: bool,
    form: str,
    as_json: bool,
    output: Path | None,
    **settings: Any,
) -> None:
    """Score outputs with evaluators.

    Prints a score per system; -o writes a row per unit with the columns unit, item, system and one per evaluator, and
    whatever else meta and compare need to get the same numbers from the file. Explanations, where an evaluator gives
    them, are in the file and in the JSON.

    Without an ending, -o is a folder: DATA is a folder or a pattern of parts, each is scored in the memory of one part,
    and the same command resumes where it was interrupted.

    \b
    assay score outputs.jsonl -e bleu -e "human(criterion='typicality')" -o scores.csv
    assay score data:huse/summarization -e length --json
    assay score parts -e bleu -e distinct --cluster local:4 -o scores
    """
    from assay.analyses.scores import scores_part
    from assay.io import load
    from assay.io.cache import ScoreCache
    from assay.io.score_tables import check_score_path, save_scores
    from assay.run import score

    if scoring.cluster is not None and settings["executor"] is not None:
        raise click.UsageError("--cluster names an executor. Leave --executor out.")
    if output is not None and not output.suffix:
        _score_parts(data, evaluators, scoring, output, int(gather * 2**30), dry_run, form, as_json, settings)
        return
    if dry_run:
        raise click.UsageError("--dry-run is for data in parts. Name a folder for the scores with -o.")
    if click.get_current_context().get_parameter_source("gather") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--gather is for data in parts. Name a folder for the scores with -o.")
    if output is not None:
        check_score_path(output)
    dataset = load(data)
    arguments = scoring.arguments(dataset, evaluators)
    with options.progress("scoring") as progress:
        table = score(
            dataset,
            evaluators,
            **{**settings, **arguments},
            cache=None if no_cache else ScoreCache(),
            progress=progress,
            failures="error",
        )
    if output is not None:
        save_scores(table, output)
    show(scores_part(table, texts=as_json), form, as_json)
    if output is not None:
        options.say(f"wrote {len(table)} rows to {output}")


def _score_parts(
    data: Given,
    evaluators: tuple[str, ...],
    scoring: options.Scoring,
    output: Path,
    gather: int,
    dry_run: bool,
    form: str,
    as_json: bool,
    settings: dict[str, Any],
) -> None:
    from assay.analyses.scores import parts_part, plan_part
    from assay.analyses.words import counted
    from assay.errors import AssayError
    from assay.io.parts import DataParts
    from assay.run.part_estimate import plan_parts
    from assay.run.part_pace import Pace
    from assay.run.part_plan import first_parts
    from assay.run.parts import score_parts

    if data.mapping or data.hypotheses or data.systems or data.exclude:
        raise click.UsageError("parts are scored as they are: leave out --map, --hyp, --systems and --exclude.")
    workers = settings.pop("workers")
    executor = scoring.executor or settings.pop("executor") or f"threads:{workers}"
    settings.pop("executor", None)
    if scoring.in_use("train", "folds", "leave_out", "requests", "max_requests", "offline"):
        sample, asked, *_ = first_parts(DataParts.find(data.paths), evaluators, settings["unit"])
        scoring.check_used(sample, asked.values())
    if dry_run:
        planned = plan_parts(
            data.paths, evaluators, unit=settings["unit"], gather=gather, executor=executor, **scoring.learning
        )
        show(plan_part(planned), form, as_json)
        return
    pace = Pace()
    with options.progress("scoring parts", beside=pace.text) as progress:
        scored = score_parts(
            data.paths,
            evaluators,
            output,
            **settings,
            gather=gather,
            executor=executor,
            **scoring.learning,
            requests=scoring.sender,
            progress=progress,
            pace=pace,
        )
    show(parts_part(scored), form, as_json)
    options.say(f"scored {counted(scored.n_scored, 'part')}, kept {scored.n_kept}, in {output}")
    if scored.failures:
        lines = [why if name in why else f"{name}: {why}" for name, why in scored.failures.items()]
        raise AssayError(f"{counted(len(lines), 'part')} could not be scored; the others were.\n" + "\n".join(lines))
