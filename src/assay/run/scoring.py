"""Score a data set: the only loop over evaluators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypedDict

from assay.applied import saved_models
from assay.errors import DataError, EvaluatorError
from assay.evaluator import Evaluator
from assay.io.cache import ScoreCache
from assay.io.frames import from_frame, is_frame
from assay.needs import check_needs, choose_unit, parse_for
from assay.records import Dataset
from assay.run.executor import Executor
from assay.run.executor import executor as find_executor
from assay.run.facts import Facts
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.run.one_pass import Run, RunSettings
from assay.run.requests import Progress, Requests, Sender
from assay.scores import FOR_NOW, NOT_ASKED, PAIRED, Column, ScoreTable
from assay.units import Units

Failures = Literal["gaps", "error"]


class ScoringOptions(TypedDict, total=False):
    """How evaluators are scored, as every analysis that scores takes it; see `score`."""

    train: Dataset | None
    folds: Folds | int | str | None
    executor: str | Executor | None
    cache: ScoreCache | None
    requests: Requests | Sender | None


def score(
    dataset: Dataset | Any,
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
    failures: Failures = "gaps",
    requests: Requests | Sender | None = None,
) -> ScoreTable:
    """Score a data set with evaluators, given by name, signature or value.

    An evaluator that raises on a unit leaves a gap with the reason. A deterministic failure, such as a ValueError, is
    cached like any score; a transient one (a MemoryError, a server that does not answer) is in the notes of the table,
    and that evaluator's scores are not cached.

    Args:
        dataset: what to score; a DataFrame is loaded first.
        evaluators: `"bleu"`, `"bleu(max_order=2)"`, a signature, or evaluators themselves.
        unit: output, pair, matchup, set or system; by default the coarsest that any of the evaluators needs.
        train: the training set of fitted evaluators; without it they are cross-fitted.
        folds: how they are cross-fitted: `Folds`, a number of folds by item (5 by default), or what is left out
            (`"system"`, `"annotator"`, `"column:topic"`). With `train`, `"system"` leaves each scored system out of it.
        seed: the random seed; recorded in the table.
        workers: the number of threads; short for the executor `threads:N`. Functions of one unit in Python, which
            threads do not speed up, run in as many processes once they take more than seconds, if they can be imported.
        executor: where chunks are scored: `"serial"`, `"threads:4"`, `"processes:4"`, `"module:name"` or an `Executor`.
            The result does not depend on it. Evaluators defined in the session stay in this process.
        cache: where scores are kept between runs; None for no cache.
        progress: called with (chunks done, chunks in all).
        failures: whether a transient failure is a gap, or an EvaluatorError after all evaluators have run.
        requests: how services are asked: how many requests at once, how many at most, offline. Calls that share a
            `Sender` share its budget.
    """
    dataset = from_frame(dataset) if is_frame(dataset) else dataset
    for data in (dataset, train):
        if data is not None and not isinstance(data, Dataset):
            raise DataError(_not_a_dataset(data))
    if cache is not None and not isinstance(cache, ScoreCache):
        raise DataError(f"scores cannot be kept in a {type(cache).__name__}. Give assay.ScoreCache(folder).")
    if executor is not None and workers != 1:
        raise EvaluatorError(f"workers={workers} is short for executor='threads:{workers}'. Give one of the two.")
    parsed = {
        str(one) if isinstance(one, str) else repr(one): parse_for(dataset, one) if isinstance(one, str) else one
        for one in evaluators
    }
    if not parsed:
        raise EvaluatorError("no evaluators. Name one, such as bleu; `assay list` shows all.")
    check_needs(dataset, list(parsed.values()), of_pairs=unit in PAIRED)
    learning = Learning(train, Folds.of(folds), seed)
    learning.check(dataset, list(parsed.values()))
    kind = choose_unit(dataset, list(parsed.values()), unit)

    engine = find_executor(executor if executor is not None else f"threads:{workers}")
    settings = RunSettings(learning, engine, cache, progress, Sender.of(requests))
    table = score_units(dataset, parsed, kind, settings, failures)
    facts = Facts.of(Units(kind, dataset), saved_models(parsed, dataset))
    return replace(table, notes=(*facts.notes(parsed), *table.notes))


def score_units(
    dataset: Dataset, evaluators: Mapping[str, Evaluator], kind: str, settings: RunSettings, failures: Failures
) -> ScoreTable:
    """Score the units of a kind with evaluators that fit the data, by name; the notes are about failures alone."""
    run = Run(dataset, settings)
    scored = run.columns(evaluators.values(), kind)
    columns = {name: replace(scored[evaluator], name=name) for name, evaluator in evaluators.items()}
    native = {name: run.native_column(evaluator, kind) for name, evaluator in evaluators.items()}
    failed = [note for name, unpooled in native.items() for note in _without_score(name, *unpooled, FOR_NOW)]
    not_asked = [note for name, unpooled in native.items() for note in _without_score(name, *unpooled, NOT_ASKED)]
    if failed and failures == "error":
        raise EvaluatorError("\n".join(failed))
    units = Units(kind, dataset)
    notes = (*not_asked, *failed)
    seed = settings.learning.seed
    return ScoreTable(kind, units.ids, units.item_ids, units.system_ids, columns, seed, notes)


def _without_score(name: str, column: Column, kind: str, prefix: str) -> Iterator[str]:
    """Note how many units have a gap whose reason starts with `prefix`, if any."""
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
            "Its scores are not cached; run again once the cause is gone."
        )


def _not_a_dataset(data: object) -> str:
    """Say how to make a data set from another object."""
    is_loaded = isinstance(data, str | Path) or type(data).__name__ in ("DataFrame", "Table")
    remedy = "assay.load(...)" if is_loaded else "assay.Dataset.from_records(list of dicts)"
    return f"score takes a Dataset, not a {type(data).__name__}. Make one with {remedy}."
