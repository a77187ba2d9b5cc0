"""One pass over the units of one kind: cached columns are read, the others are scored chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch, TextBank, make_batch, text_numbers
from assay.evaluator import Additive, Batched, Evaluator, Fitted, PerUnit, Scored, score_one_by_one
from assay.io.cache import ScoreCache
from assay.kernels.ragged import Ragged
from assay.outside_code import outside_code
from assay.records import Dataset
from assay.run.executor import map_in_order
from assay.run.fitting import fit_and_score
from assay.run.guard import guarded, spread, stacked
from assay.scores import Column
from assay.units import Units

# Outputs per chunk: large enough that the work hides the overhead, small enough to bound memory.
CHUNK = 20_000

Progress = Callable[[int, int], None]


class Pass:
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
        """Score the units with each evaluator, or read the scores from the cache."""
        found: dict[str, Column] = {}
        # Keys are made before anything is scored: a function of one's own may change what it reaches.
        keys = {name: self._key(evaluator) for name, evaluator in evaluators.items()} if self.cache else {}
        for name, evaluator in evaluators.items():
            stored = self._stored(name, evaluator, keys.get(name))
            if stored is not None:
                found[name] = stored
        fresh = {name: evaluator for name, evaluator in evaluators.items() if name not in found}
        in_chunks = {name: e for name, e in fresh.items() if not e.shape.whole}
        found.update(self._score(in_chunks, self._chunks()))
        everything = [np.arange(len(self.units))]
        found.update(self._score({name: e for name, e in fresh.items() if e.shape.whole}, everything))
        for name in fresh:
            key = keys.get(name)
            if self.cache is not None and key is not None and not found[name].gaps.for_now:
                self.cache.put(key, found[name])
        return found

    def _chunks(self) -> list[NDArray[np.int64]]:
        """Units in runs of about CHUNK outputs each."""
        numbers = np.arange(len(self.units))
        cuts = np.searchsorted(
            self.units.members.offsets[1:], np.arange(CHUNK, int(self.units.members.offsets[-1]), CHUNK)
        )
        return [part for part in np.split(numbers, cuts) if len(part)]

    def _score(self, evaluators: dict[str, Evaluator], chunks: list[NDArray[np.int64]]) -> dict[str, Column]:
        if not evaluators:
            return {}
        parts: dict[str, list[Scored]] = {name: [] for name in evaluators}
        for done, scored in enumerate(
            map_in_order(lambda rows: self._score_chunk(evaluators, rows), chunks, self.workers), 1
        ):
            for name, part in scored.items():
                parts[name].append(part)
            if self.progress:
                self.progress(done, len(chunks))
        return {name: self._column(name, evaluator, parts[name]) for name, evaluator in evaluators.items()}

    def _score_chunk(self, evaluators: dict[str, Evaluator], rows: NDArray[np.int64]) -> dict[str, Scored]:
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
        return spread(scored, usable, "no references")

    def _of_batch(self, evaluator: Evaluator, batch: Batch) -> Scored:
        shape = evaluator.shape
        if isinstance(shape, PerUnit):
            return score_one_by_one(shape.score, batch)
        if isinstance(shape, Fitted):
            return guarded(
                lambda units: fit_and_score(shape, units, self.train, self.n_folds, self.seed), batch, whole=True
            )
        assert isinstance(shape, Additive | Batched)
        function = shape.statistics if isinstance(shape, Additive) else shape.score
        return guarded(function, batch, whole=shape.whole)

    def _fitted(self, shape: Fitted) -> Callable[[Batch], Scored]:
        return lambda batch: fit_and_score(shape, batch, self.train, self.n_folds, self.seed)

    def _column(self, name: str, evaluator: Evaluator, parts: Iterable[Scored]) -> Column:
        scored = stacked(list(parts))
        column = Column(name, scored.values, scored.gaps, texts=scored.texts)
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


def _finished(shape: Additive, statistics: Scored) -> NDArray[np.float64]:
    values = np.full(len(statistics.values), np.nan)
    known = statistics.gaps.codes == 0
    values[known] = shape.finish(statistics.values[known]) if known.any() else np.nan
    return values
