"""Fitting evaluators, so that nothing is scored by a model that saw it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Fitted, Scored, with_gaps
from assay.records import Dataset
from assay.run.folds import folds
from assay.run.guard import stacked
from assay.text.strings import Strings
from assay.units import Units


def fit_and_score(shape: Fitted, batch: Batch, training: Batch | None, n_folds: int, seed: int) -> Scored:
    """Score a batch by models fitted on a training batch, or on the other folds."""
    sequence = np.random.SeedSequence(seed)
    first = np.random.default_rng(sequence.spawn(1)[0])
    if training is not None:
        return with_gaps(shape.fit(training, first)(batch))
    fold = folds(batch.dataset, n_folds, first)
    fold = fold[batch.outputs.values[batch.outputs.offsets[:-1]]]
    held_out, parts = [], []
    for number, fold_seed in enumerate(sequence.spawn(n_folds)):
        test = np.flatnonzero(fold == number)
        scorer = shape.fit(batch.take(np.flatnonzero(fold != number)), np.random.default_rng(fold_seed))
        held_out.append(test)
        parts.append(with_gaps(scorer(batch.take(test))))
    return stacked(parts).take(np.argsort(np.concatenate(held_out), kind="stable"))


def unseen(scored: Units, train: Dataset, apart: str) -> Dataset:
    """The training data without any text, or context, that is also to be scored."""
    here = scored.dataset
    shared = _shared(here.outputs.text, train.outputs.text)
    if apart == "context":
        named = train.items.context.lengths > 0
        of_item = np.where(
            named, _shared(here.items.context, train.items.context), _shared(here.items.id, train.items.id)
        )
        shared |= of_item[train.outputs.item]
    if shared.all():
        raise EvaluatorError(f"every training {apart} is also to be scored, so nothing is left to learn from.")
    return train.select(~shared)


def _shared(here: Strings, there: Strings) -> NDArray[np.bool_]:
    """Say which texts of `there` are among those of `here`."""
    both = Strings.concatenate([here, there]).factorize()[0]
    return np.isin(both[len(here) :], both[: len(here)])
