"""Scoring a data set: the only loop over evaluators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np

from assay.applied import notes_on_met_texts
from assay.errors import DataError, EvaluatorError
from assay.evaluator import UNEQUAL_SETS, Evaluator
from assay.io.cache import ScoreCache
from assay.needs import check_needs, choose_unit
from assay.records import Dataset
from assay.registry import parse
from assay.run.executor import Executor
from assay.run.executor import executor as find_executor
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.run.one_pass import Run, Settings
from assay.run.requests import Progress, Requests, Sender
from assay.scores import FOR_NOW, NOT_ASKED, PAIRED, Column, ScoreTable
from assay.units import MOST_MATCHUPS, Units


def score(
    dataset: Dataset,
    evaluators: Sequence[str | Evaluator],
    *,
    unit: str | None = None,
    train: Dataset | None = None,
    folds: Folds | int | str | None = None,
    seed: int = 0,
    workers: int = 1,
    executor: str | Executor | None = None,
    cache: ScoreCache | None = None,
    progress: Progress | None = None,
    failures: Literal["gaps", "error"] = "gaps",
    requests: Requests | Sender | None = None,
) -> ScoreTable:
    """Score a data set with evaluators, given by name, signature or value.

    An evaluator that raises on a unit leaves a gap with the reason. What lies in the data, such as a ValueError, is a
    result like any other; what may pass (a MemoryError, a server that does not answer) is in the notes of the table,
    and no score of that evaluator is kept.

    Args:
        dataset: what to score.
        evaluators: `"bleu"`, `"bleu(max_order=2)"`, a signature, or evaluators themselves.
        unit: output, pair, matchup, set or system; by default the coarsest that any of the evaluators needs.
        train: what fitted evaluators learn from; without it they are cross-fitted.
        folds: how they are cross-fitted: `Folds`, a number of folds by item (5 by default), or what is left out
            (`"system"`, `"annotator"`, `"column:topic"`). With `train`, `"system"` leaves each scored system out of it.
        seed: of everything random; written into the table.
        workers: threads: short for the executor `threads:N`.
        executor: where chunks are scored: `"serial"`, `"threads:4"`, `"processes:4"`, `"module:name"` or an `Executor`.
            The result does not depend on it. An evaluator that is a function of the session stays in this process.
        cache: where scores are kept between runs; None keeps none.
        progress: called with (chunks done, chunks in all).
        failures: whether a failure that may pass is a gap, or an EvaluatorError when all evaluators are through.
        requests: how evaluators that ask a service do so: how many at once, how many at most, offline. A `Sender` is
            shared by several calls, which together send at most as many.
    """
    for given in (dataset, train):
        if given is not None and not isinstance(given, Dataset):
            raise DataError(_not_a_dataset(given))
    if cache is not None and not isinstance(cache, ScoreCache):
        raise DataError(f"scores cannot be kept in a {type(cache).__name__}. Give assay.ScoreCache(folder).")
    if executor is not None and workers != 1:
        raise EvaluatorError(f"workers={workers} is short for executor='threads:{workers}'. Give one of the two.")
    asked = {str(given) if isinstance(given, str) else repr(given): given for given in evaluators}
    if not asked:
        raise EvaluatorError("no evaluator was asked for. Name one, such as bleu; `assay list` shows all.")
    parsed = {name: parse(given) if isinstance(given, str) else given for name, given in asked.items()}
    check_needs(dataset, list(parsed.values()), of_pairs=unit in PAIRED)
    learning = Learning(train, Folds.of(folds), seed)
    learning.check(dataset, list(parsed.values()))
    kind = choose_unit(dataset, list(parsed.values()), unit)

    engine = find_executor(executor if executor is not None else f"threads:{workers}")
    run = Run(dataset, Settings(learning, engine, cache, progress, Sender.of(requests)))
    scored = run.columns(parsed.values(), kind)
    columns = {name: replace(scored[evaluator], name=name) for name, evaluator in parsed.items()}
    native = {name: run.native_column(evaluator, kind) for name, evaluator in parsed.items()}
    failed = [said for name, found in native.items() for said in _without_score(name, *found, FOR_NOW)]
    not_asked = [said for name, found in native.items() for said in _without_score(name, *found, NOT_ASKED)]
    if failed and failures == "error":
        raise EvaluatorError("\n".join(failed))
    units = Units(kind, dataset)
    return ScoreTable(
        kind,
        units.ids,
        units.item_ids,
        units.system_ids,
        columns,
        seed,
        (*_notes(units, parsed), *not_asked, *failed),
    )


def _notes(units: Units, evaluators: dict[str, Evaluator]) -> Iterator[str]:
    """What a reader of the scores should know: the cautions that apply to this data, and texts that say nothing."""
    sizes = np.unique(units.members.lengths) if units.kind in ("set", "system") else np.ones(1, np.int64)
    for name, evaluator in evaluators.items():
        cautions = evaluator.about.cautions
        if units.kind in cautions:
            yield f"{name}: {cautions[units.kind]}"
        if UNEQUAL_SETS in cautions and len(sizes) > 1:
            yield f"{name}: {units.kind}s have {sizes[0]} to {sizes[-1]} texts, and {cautions[UNEQUAL_SETS]}"
    if units.n_left_out:
        yield (
            f"{len(units)} of {len(units) + units.n_left_out} matchups are scored: at most {MOST_MATCHUPS} of an item, "
            "those that were judged and others drawn by a hash of their ids"
        )
    yield from notes_on_met_texts(units, evaluators)
    n_empty = int(np.count_nonzero(units.dataset.outputs.text.lengths == 0))
    if n_empty:
        yield f"{n_empty} of {len(units.dataset.outputs)} outputs have an empty text"


def _without_score(name: str, column: Column, kind: str, prefix: str) -> Iterator[str]:
    """Say how many units have no score for a reason outside the data that begins with `prefix`, where any has."""
    counts = {reason: n for reason, n in column.gaps.for_now.items() if reason.startswith(prefix)}
    if not counts:
        return
    reasons = ", ".join(f"{reason.removeprefix(prefix)}: {n}" for reason, n in counts.items())
    units = f"{sum(counts.values())} of {len(column)} {kind}s"
    if prefix == NOT_ASKED:
        yield f"{name}: {units} were not asked about ({reasons})"
    else:
        yield (
            f"{name}: failed on {units} for a reason outside the data ({reasons}). "
            "No score of it is kept; run the same again when the cause is gone."
        )


def _not_a_dataset(given: object) -> str:
    """Say how to make a data set of what was given instead of one."""
    is_loaded = isinstance(given, str | Path) or type(given).__name__ in ("DataFrame", "Table")
    remedy = "assay.load(...)" if is_loaded else "assay.Dataset.from_records(list of dicts)"
    return f"score takes a Dataset, not a {type(given).__name__}. Make one with {remedy}."
