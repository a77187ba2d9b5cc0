"""Scoring one chunk of units, in this process or in a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch, TextBank, Used, make_batch, text_numbers
from assay.evaluator import Evaluator
from assay.kernels.overlap.key_counts import KeyCounts
from assay.kernels.ragged import Ragged
from assay.run.guard import guarded, spread
from assay.scored import Scored, score_one_by_one
from assay.scores import FOR_NOW, NOT_ASKED, Gaps
from assay.shapes import Additive, Batched, Counted, Fitted, PerRequest, PerUnit
from assay.units import Units

FitAndScore = Callable[[Evaluator, Batch], Scored]
Ask = Callable[[PerRequest, Batch], Scored]


@dataclass(frozen=True, eq=False)
class Work:
    """Units and the evaluators that score them, each with its references and the scores it uses."""

    units: Units
    evaluators: tuple[Evaluator, ...]
    sources: tuple[Ragged | None, ...]
    used: tuple[tuple[Used, ...], ...]
    fit_and_score: FitAndScore | None = None
    ask: Ask | None = None

    def score(self, rows: NDArray[np.int64]) -> list[Scored]:
        """Score some units with every evaluator, sharing one bank of tokenized texts."""
        sources = [source for source in self.sources if source is not None]
        bank = TextBank(self.units.dataset, text_numbers(self.units, rows, sources))
        return [self._score(number, self.batch(number, rows, bank)) for number in range(len(self.evaluators))]

    def batch(self, number: int, rows: NDArray[np.int64], bank: TextBank) -> Batch:
        """The batch of some units for one evaluator."""
        used = tuple(used.take(rows) for used in self.used[number])
        return make_batch(self.units, rows, self.sources[number], bank, used)

    def count(self, rows: NDArray[np.int64]) -> list[KeyCounts]:
        """What evaluators count in some units, in those that they can score."""
        sources = [source for source in self.sources if source is not None]
        bank = TextBank(self.units.dataset, text_numbers(self.units, rows, sources))
        found = []
        for number, evaluator in enumerate(self.evaluators):
            assert isinstance(evaluator.shape, Counted)
            found.append(evaluator.shape.count(self.usable(number, self.batch(number, rows, bank))))
        return found

    def usable(self, number: int, batch: Batch) -> Batch:
        """The units of a batch that an evaluator can score."""
        return batch.take(np.flatnonzero(self._unusable(number, batch).codes == 0))

    def _score(self, number: int, batch: Batch) -> Scored:
        evaluator = self.evaluators[number]
        unusable = self._unusable(number, batch)
        if not unusable.codes.any():
            return self._of_batch(evaluator, batch)
        return spread(self._of_batch(evaluator, batch.take(np.flatnonzero(unusable.codes == 0))), unusable)

    def _unusable(self, number: int, batch: Batch) -> Gaps:
        """The units without references, or without a score that is used, and why."""
        reasons = {"no references": batch.references.lengths == 0} if self.sources[number] is not None else {}
        reasons |= _failed_for_now(batch, self.evaluators[number].shape.whole)
        return Gaps.where(len(batch), reasons)

    def _of_batch(self, evaluator: Evaluator, batch: Batch) -> Scored:
        shape = evaluator.shape
        if isinstance(shape, PerUnit):
            return score_one_by_one(shape.score, batch)
        if isinstance(shape, PerRequest):
            assert self.ask is not None
            return self.ask(shape, batch)
        if isinstance(shape, Fitted):
            fit_and_score = self.fit_and_score
            assert fit_and_score is not None
            return guarded(lambda units: fit_and_score(evaluator, units), batch, whole=True)
        assert isinstance(shape, Additive | Batched)
        function = shape.statistics if isinstance(shape, Additive) else shape.score
        return guarded(function, batch, whole=shape.whole)


def _failed_for_now(batch: Batch, whole: bool) -> dict[str, NDArray[np.bool_]]:
    """The units on which a used evaluator failed for now; all units, if they are scored as a whole."""
    failed: dict[str, NDArray[np.bool_]] = {}
    for used in batch.used:
        for code, reason in enumerate(used.column.gaps.reasons):
            if reason.startswith((FOR_NOW, NOT_ASKED)):
                hit = np.zeros(len(batch), np.bool_)
                hit[used.unit_of[used.gaps.codes == code]] = True
                failed[reason] = np.full(len(batch), hit.any()) if whole else hit
    return failed
