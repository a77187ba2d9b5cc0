"""Scoring a data set: the only loop over evaluators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch, TextBank, make_batch, text_numbers
from assay.crossfit import folds
from assay.errors import AssayError, DataError, EvaluatorError, pass_on_interrupt
from assay.evaluator import (
    UNEQUAL_SETS,
    Additive,
    Batched,
    Evaluator,
    Fitted,
    PerUnit,
    Result,
    Scored,
    failure,
    score_one_by_one,
    with_gaps,
)
from assay.io.cache import ScoreCache
from assay.kernels.ragged import Ragged
from assay.needs import check_needs, choose_unit, native_unit
from assay.outside_code import outside_code
from assay.records import Dataset
from assay.registry import parse
from assay.scores import FOR_NOW, Column, Gaps, ScoreTable
from assay.text.strings import Strings
from assay.units import Units

# Outputs per stretch: large enough that the work per stretch hides its cost, small enough to bound memory.
STRETCH = 20_000
# After this many units that fail one by one, the rest of a failing stretch is given up together.
MOST_FAILURES = 50

Progress = Callable[[int, int], None]


def score(
    dataset: Dataset,
    evaluators: Sequence[str | Evaluator],
    *,
    unit: str | None = None,
    train: Dataset | None = None,
    n_folds: int = 5,
    seed: int = 0,
    workers: int = 1,
    cache: ScoreCache | None = None,
    progress: Progress | None = None,
    failures: Literal["gaps", "error"] = "gaps",
) -> ScoreTable:
    """Score a data set with evaluators, given by name, signature or value.

    An evaluator that raises on a unit leaves a gap with the reason. What lies in the data, such as a ValueError, is a
    result like any other; what may pass (a MemoryError, a server that does not answer) is in the notes of the table,
    and no score of that evaluator is kept.

    Args:
        dataset: what to score.
        evaluators: `"bleu"`, `"bleu(max_order=2)"`, a signature, or evaluators themselves.
        unit: output, pair, set or system; by default the coarsest that any of the evaluators needs.
        train: what fitted evaluators learn from; without it they are cross-fitted.
        n_folds: folds of cross-fitting.
        seed: of everything random; written into the table.
        workers: threads. The result does not depend on their number.
        cache: where scores are kept between runs; None keeps none.
        progress: called with (stretches done, stretches in all).
        failures: whether a failure that may pass is a gap, or an EvaluatorError when all evaluators are through.
    """
    for given in (dataset, train):
        if given is not None and not isinstance(given, Dataset):
            raise DataError(_not_a_dataset(given))
    if cache is not None and not isinstance(cache, ScoreCache):
        raise DataError(f"scores cannot be kept in a {type(cache).__name__}. Give assay.ScoreCache(folder).")
    asked = {str(given) if isinstance(given, str) else repr(given): given for given in evaluators}
    if not asked:
        raise EvaluatorError("no evaluator was asked for. Name one, such as bleu; `assay list` shows all.")
    parsed = {name: parse(given) if isinstance(given, str) else given for name, given in asked.items()}
    check_needs(dataset, list(parsed.values()))
    kind = choose_unit(dataset, list(parsed.values()), unit)

    columns: dict[str, Column] = {}
    failed: list[str] = []
    by_native: dict[str, dict[str, Evaluator]] = {}
    for name, evaluator in parsed.items():
        by_native.setdefault(native_unit(dataset, evaluator, kind), {})[name] = evaluator
    for native, group in by_native.items():
        run = _Run(Units(native, dataset), train, n_folds, seed, workers, cache, progress)
        for name, column in run.columns(group).items():
            if column.gaps.for_now:
                failed.append(_failed_for_now(name, column, native))
            columns[name] = column if native == kind else column.pooled(_groups(dataset, native, kind))
    if failed and failures == "error":
        raise EvaluatorError("\n".join(failed))
    units = Units(kind, dataset)
    return ScoreTable(
        kind,
        units.ids,
        _named(dataset.items.id, units.item),
        _named(dataset.systems.id, units.system),
        {name: columns[name] for name in asked},
        seed,
        (*_notes(units, parsed), *failed),
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
    n_empty = int(np.count_nonzero(units.dataset.outputs.text.lengths == 0))
    if n_empty:
        yield f"{n_empty} of {len(units.dataset.outputs)} outputs have an empty text"


class _Run:
    """One pass over the units of one kind for several evaluators."""

    def __init__(
        self,
        units: Units,
        train: Dataset | None,
        n_folds: int,
        seed: int,
        workers: int,
        cache: ScoreCache | None,
        progress: Progress | None,
    ) -> None:
        self.units = units
        self.train = train
        self.n_folds = n_folds
        self.seed = seed
        self.workers = workers
        self.cache = cache
        self.progress = progress
        self._sources: dict[str, Ragged] = {}

    def columns(self, evaluators: dict[str, Evaluator]) -> dict[str, Column]:
        found: dict[str, Column] = {}
        # Keys are made before anything is scored: a function of one's own may change what it reaches.
        keys = {name: self._key(evaluator) for name, evaluator in evaluators.items()} if self.cache else {}
        for name, evaluator in evaluators.items():
            stored = self._stored(name, evaluator, keys.get(name))
            if stored is not None:
                found[name] = stored
        fresh = {name: evaluator for name, evaluator in evaluators.items() if name not in found}
        in_stretches = {name: e for name, e in fresh.items() if not e.shape.whole}
        found.update(self._score(in_stretches, self._stretches()))
        everything = [np.arange(len(self.units))]
        found.update(self._score({name: e for name, e in fresh.items() if e.shape.whole}, everything))
        for name in fresh:
            key = keys.get(name)
            if self.cache is not None and key is not None and not found[name].gaps.for_now:
                self.cache.put(key, found[name])
        return found

    def _stretches(self) -> list[NDArray[np.int64]]:
        """Units in runs of about STRETCH outputs each."""
        numbers = np.arange(len(self.units))
        cuts = np.searchsorted(
            self.units.members.offsets[1:], np.arange(STRETCH, int(self.units.members.offsets[-1]), STRETCH)
        )
        return [part for part in np.split(numbers, cuts) if len(part)]

    def _score(self, evaluators: dict[str, Evaluator], stretches: list[NDArray[np.int64]]) -> dict[str, Column]:
        if not evaluators:
            return {}
        parts: dict[str, list[Scored]] = {name: [] for name in evaluators}
        for done, scored in enumerate(self._map(lambda rows: self._stretch(evaluators, rows), stretches), 1):
            for name, part in scored.items():
                parts[name].append(part)
            if self.progress:
                self.progress(done, len(stretches))
        return {name: self._column(name, evaluator, parts[name]) for name, evaluator in evaluators.items()}

    def _map(
        self, function: Callable[[NDArray[np.int64]], dict[str, Scored]], stretches: list[NDArray[np.int64]]
    ) -> Iterator[dict[str, Scored]]:
        if self.workers == 1 or len(stretches) == 1:
            yield from map(function, stretches)
            return
        with ThreadPoolExecutor(self.workers) as pool:
            yield from pool.map(function, stretches)

    def _stretch(self, evaluators: dict[str, Evaluator], rows: NDArray[np.int64]) -> dict[str, Scored]:
        """Score some units with every evaluator; they share one bank of tokenized texts."""
        sources = [source for e in evaluators.values() if (source := self._source(e)) is not None]
        bank = TextBank(self.units.dataset, text_numbers(self.units, rows, sources))
        return {name: self._of_units(evaluator, rows, bank) for name, evaluator in evaluators.items()}

    def _source(self, evaluator: Evaluator) -> Ragged | None:
        references = evaluator.references
        if references is None or self.units.kind != "output":
            return None
        if references.signature not in self._sources:
            self._sources[references.signature] = references.resolve(self.units.dataset)
        return self._sources[references.signature]

    def _of_units(self, evaluator: Evaluator, rows: NDArray[np.int64], bank: TextBank) -> Scored:
        source = self._source(evaluator)
        batch = make_batch(self.units, rows, source, bank)
        if source is None:
            return self._of_batch(evaluator, batch)
        usable = batch.references.lengths > 0
        scored = self._of_batch(evaluator, batch.take(np.flatnonzero(usable)))
        return _spread(scored, usable, "no references")

    def _of_batch(self, evaluator: Evaluator, batch: Batch) -> Scored:
        shape = evaluator.shape
        if isinstance(shape, PerUnit):
            return score_one_by_one(shape.score, batch)
        if isinstance(shape, Fitted):
            return _guarded(lambda units: self._fit_and_score(shape, units), batch, whole=True)
        assert isinstance(shape, Additive | Batched)
        function = shape.statistics if isinstance(shape, Additive) else shape.score
        return _guarded(function, batch, whole=shape.whole)

    def _fit_and_score(self, shape: Fitted, batch: Batch) -> Scored:
        fit = shape.fit
        sequence = np.random.SeedSequence(self.seed)
        first = np.random.default_rng(sequence.spawn(1)[0])
        if self.train is not None:
            learnt = self._training_batch(self.train, shape.apart)
            return with_gaps(fit(learnt, first)(batch))
        fold = folds(self.units.dataset, self.n_folds, first)
        fold = fold[batch.outputs.values[batch.outputs.offsets[:-1]]]
        values = np.full(len(batch), np.nan)
        reasons = np.full(len(batch), "", object)
        for number, seed in enumerate(sequence.spawn(self.n_folds)):
            test = np.flatnonzero(fold == number)
            scorer = fit(batch.take(np.flatnonzero(fold != number)), np.random.default_rng(seed))
            scored = with_gaps(scorer(batch.take(test)))
            values[test] = scored.values
            reasons[test] = [scored.gaps[row] for row in range(len(test))]
        return with_gaps(Scored(values, Gaps.of(reasons.tolist())))

    def _training_batch(self, train: Dataset, apart: str) -> Batch:
        """The training units, without any whose text, or context, is also to be scored."""
        here = self.units.dataset
        shared = _shared(here.outputs.text, train.outputs.text)
        if apart == "context":
            named = train.items.context.lengths > 0
            of_item = np.where(
                named, _shared(here.items.context, train.items.context), _shared(here.items.id, train.items.id)
            )
            shared |= of_item[train.outputs.item]
        unseen = train.select(~shared)
        if not len(unseen):
            raise EvaluatorError(f"every training {apart} is also to be scored, so nothing is left to learn from.")
        units = Units(self.units.kind, unseen)
        rows = np.arange(len(units))
        return make_batch(units, rows, None, TextBank(unseen, text_numbers(units, rows, [])))

    def _column(self, name: str, evaluator: Evaluator, parts: Iterable[Scored]) -> Column:
        scored = _stacked(list(parts))
        column = Column(name, scored.values, scored.gaps)
        # Where no unit could be scored there are no statistics, and nobody knows how many a row would have.
        if isinstance(evaluator.shape, Additive) and scored.values.ndim == 2:
            column = replace(column, statistics=scored.values, values=_finished(evaluator.shape, scored))
        return self._described(column, evaluator)

    def _described(self, column: Column, evaluator: Evaluator) -> Column:
        finish = evaluator.shape.pooled if isinstance(evaluator.shape, Additive) else None
        return replace(
            column, signature=evaluator.signature, higher_is_better=evaluator.higher_is_better, finish=finish
        )

    def _key(self, evaluator: Evaluator) -> tuple[str, ...] | None:
        """What scores are kept by, None where they may not be kept."""
        code = outside_code(evaluator) if evaluator.about.stored else None
        if code is None:
            return None
        key = (self.units.dataset.fingerprint, evaluator.signature, self.units.kind, code)
        if isinstance(evaluator.shape, Fitted):
            learnt = self.train.fingerprint if self.train is not None else f"{self.n_folds} folds"
            return (*key, learnt, str(self.seed))
        return key

    def _stored(self, name: str, evaluator: Evaluator, key: tuple[str, ...] | None) -> Column | None:
        if self.cache is None or key is None:
            return None
        column = self.cache.get(key, name)
        return None if column is None else self._described(column, evaluator)


def _failed_for_now(name: str, column: Column, kind: str) -> str:
    failed = column.gaps.for_now
    reasons = ", ".join(f"{reason.removeprefix(FOR_NOW)}: {n}" for reason, n in failed.items())
    return (
        f"{name}: failed on {sum(failed.values())} of {len(column)} {kind}s for a reason outside the data ({reasons}). "
        "No score of it is kept; run the same again when the cause is gone."
    )


def _not_a_dataset(given: object) -> str:
    """Say how to make a data set of what was given instead of one."""
    is_loaded = isinstance(given, str | Path) or type(given).__name__ in ("DataFrame", "Table")
    remedy = "assay.load(...)" if is_loaded else "assay.Dataset.from_records(list of dicts)"
    return f"score takes a Dataset, not a {type(given).__name__}. Make one with {remedy}."


def _shared(here: Strings, there: Strings) -> NDArray[np.bool_]:
    """Say which texts of `there` are among those of `here`."""
    both = Strings.concatenate([here, there]).factorize()[0]
    return np.isin(both[len(here) :], both[: len(here)])


def _finished(shape: Additive, statistics: Scored) -> NDArray[np.float64]:
    values = np.full(len(statistics.values), np.nan)
    known = statistics.gaps.codes == 0
    values[known] = shape.finish(statistics.values[known]) if known.any() else np.nan
    return values


def _stacked(parts: list[Scored]) -> Scored:
    """Put parts one after the other; one that failed does not know how many statistics a row has."""
    width = max((part.values.shape[1] for part in parts if part.values.ndim == 2), default=0)
    values = [
        np.full((len(part.values), width), np.nan) if width and part.values.ndim == 1 else part.values for part in parts
    ]
    return Scored(np.concatenate(values) if values else np.zeros(0), Gaps.concatenate([part.gaps for part in parts]))


def _guarded(function: Callable[[Batch], Result], batch: Batch, *, whole: bool) -> Scored:
    """Score a batch; where it fails, halve it until the units that fail stand alone.

    What needs all units at once would say something else of half of them, so it fails as a whole.
    """
    budget = [MOST_FAILURES]

    def attempt(positions: NDArray[np.int64]) -> list[Scored]:
        try:
            return [with_gaps(function(batch.take(positions)))]
        except AssayError:
            raise
        except Exception as error:
            pass_on_interrupt(error)
            if not whole and len(positions) > 1 and budget[0] > 0:
                middle = len(positions) // 2
                return attempt(positions[:middle]) + attempt(positions[middle:])
            budget[0] -= 1
            reasons = Gaps.where(len(positions), {failure(error): np.ones(len(positions), bool)})
            return [Scored(np.full(len(positions), np.nan), reasons)]

    return _stacked(attempt(np.arange(len(batch))))


def _spread(scored: Scored, usable: NDArray[np.bool_], reason: str) -> Scored:
    """Put scores back among the units that could not be scored for `reason`."""
    if usable.all():
        return scored
    values = np.full((len(usable), *scored.values.shape[1:]), np.nan)
    values[usable] = scored.values
    codes = np.full(len(usable), len(scored.gaps.reasons), np.int32)
    codes[usable] = scored.gaps.codes
    return Scored(values, Gaps(codes, (*scored.gaps.reasons, reason)))


def _groups(dataset: Dataset, native: str, kind: str) -> Ragged:
    """The units of the finer kind in each unit of the coarser one."""
    fine, coarse = Units(native, dataset), Units(kind, dataset)
    first_output = fine.members.values[fine.members.offsets[:-1]]
    if kind == "set":
        return Ragged.grouped(dataset.outputs.set[first_output], len(coarse))
    number = np.full(len(dataset.systems) + 1, -1)
    number[coarse.system] = np.arange(len(coarse))
    return Ragged.grouped(number[fine.system], len(coarse))


def _named(names: Strings, codes: NDArray[np.int64]) -> Strings:
    padded = Strings.concatenate([names, Strings.of([""])])
    return padded.take(np.where(codes < 0, len(names), codes))
