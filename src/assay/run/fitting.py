"""Cross-fitting: no unit is scored by a model that was trained on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Fitted, Scored, with_gaps
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import Dataset
from assay.records.choices import game_keys
from assay.run.folds import Codes, Folds, judged_outputs_and_annotators
from assay.run.guard import stacked
from assay.run.learning import Learning
from assay.scores import PAIRED
from assay.shapes import Apart
from assay.text.strings import Strings
from assay.units import Units

Mask = NDArray[np.bool_]
Prepare = Callable[[Units], Batch]


def fit_and_score(evaluator: Evaluator, batch: Batch, learning: Learning, prepare: Prepare) -> Scored:
    """Score a batch with models fitted on a training set, or on the other folds.

    `prepare` makes the batch of training units, in a bank of its own.
    """
    shape = evaluator.shape
    assert isinstance(shape, Fitted)
    batch = with_training(batch, learning)
    models = Models.of(batch, learning)
    units, parts = [np.zeros(0, np.int64)], []
    for _, scored_units, state in fitted_models(evaluator, batch, models, learning, prepare):
        units.append(scored_units)
        parts.append(with_gaps(shape.score(state, batch.take(scored_units))))
    return stacked(parts).take(np.argsort(np.concatenate(units), kind="stable"))


def with_training(batch: Batch, learning: Learning) -> Batch:
    """The batch in a bank that has the texts of the training set too."""
    return batch if learning.train is None else replace(batch, bank=batch.bank.beside(learning.train))


@dataclass(frozen=True)
class Models:
    """Which model scores which unit: that of its fold. Units that span the same folds share another model.

    `fold` is of each output of the data; with one training set for all there is one fold.
    """

    fold: Codes
    spans: Mapping[tuple[int, ...], int]

    @classmethod
    def of(cls, batch: Batch, learning: Learning) -> Models:
        """The models that score a batch."""
        if learning.train is not None and learning.folds == Folds():
            return cls(np.zeros(len(batch.dataset), np.int64), {})
        seed = np.random.SeedSequence(learning.seed).spawn(1)[0]
        fold = learning.folds.drawn(batch.dataset, np.random.default_rng(seed))
        spans = {tuple(np.unique(fold[batch.outputs[unit]])) for unit in _spanning(batch, fold).tolist()}
        return cls(fold, {span: number for number, span in enumerate(sorted(spans), int(fold.max(initial=-1)) + 1)})

    def of_units(self, batch: Batch) -> Codes:
        """The number of the model of each unit."""
        models = self.fold[batch.outputs.values[batch.outputs.offsets[:-1]]]
        for unit in _spanning(batch, self.fold).tolist():
            models[unit] = self.spans[tuple(np.unique(self.fold[batch.outputs[unit]]))]
        return models


def fitted_models(
    evaluator: Evaluator, batch: Batch, models: Models, learning: Learning, prepare: Prepare
) -> Iterator[tuple[int, Codes, Any]]:
    """The number of each model that scores any unit, these units, and the model, one after the other."""
    shape = evaluator.shape
    assert isinstance(shape, Fitted)
    sequence = np.random.SeedSequence(learning.seed)
    fold_seed = sequence.spawn(1)[0]
    model_of_unit = models.of_units(batch)
    one_for_all = learning.train is not None and learning.folds == Folds()
    seeds = [fold_seed] if one_for_all else sequence.spawn(int(model_of_unit.max(initial=-1)) + 1)
    for model, seed in enumerate(seeds):
        scored_units = np.flatnonzero(model_of_unit == model)
        if not len(scored_units):
            continue
        scored = batch.take(scored_units)
        if learning.train is None:
            training = _other_units(batch, scored, shape, learning.folds)
            if any(use.evaluator.learns(batch.dataset) for use in evaluator.uses(batch.dataset)):
                # These were trained on the scored units too: refit them without.
                training = replace(training, used=prepare(training.units).used)
        else:
            training = _training_units(scored, shape, learning, prepare)
        yield model, scored_units, shape.fit(training, np.random.default_rng(seed))


def _spanning(batch: Batch, fold: Codes) -> Codes:
    """The units whose outputs are in several folds."""
    folds, starts = fold[batch.outputs.values], batch.outputs.offsets[:-1]
    if not len(folds):
        return np.zeros(0, np.int64)
    return np.flatnonzero(np.maximum.reduceat(folds, starts) != np.minimum.reduceat(folds, starts))


def _other_units(batch: Batch, scored: Batch, shape: Fitted, folds: Folds) -> Batch:
    """The units that share nothing with the scored ones, in a data set of their own."""
    dataset = batch.dataset
    held_out = np.zeros(len(dataset.outputs), bool)
    held_out[scored.outputs.values] = True
    clash = np.zeros(len(dataset.outputs), bool)
    for code in (*folds.keys(dataset), *_contexts(dataset, shape)):
        clash |= np.isin(code, code[held_out])
    n_clashing = np.bincount(batch.outputs.row_of, weights=clash[batch.outputs.values], minlength=len(batch))
    chosen = np.flatnonzero(n_clashing == 0)
    if folds.leave_out == "annotator":
        dataset = _without_annotators(dataset, held_out)
    if folds.leave_out == "system":
        dataset = _without_logprobs_under(dataset, dataset.outputs.system[held_out & ~dataset.human])
    keep = np.zeros(len(dataset.outputs), bool)
    # An output is in one set or system, but in many pairs: some of them may stay without the others.
    keep[batch.take(chosen).outputs.values] = True
    if not keep.any():
        raise EvaluatorError(
            f"every other {batch.kind} shares a text or {folds.leave_out.partition(':')[0]} with the scored ones, "
            "so nothing is left to learn from. Leave out something else, or give training data with --train."
        )
    return _restricted(batch, chosen, dataset.select(keep), keep)


def _restricted(batch: Batch, chosen: Codes, dataset: Dataset, keep: Mask) -> Batch:
    """Some units of a batch, in a data set of their outputs alone; texts and tokens are shared with the batch."""
    new_number = np.cumsum(keep) - 1
    units = Units(batch.kind, dataset)
    if batch.kind in PAIRED:
        units = replace(units, pairs=batch.take(chosen).outputs.mapped(new_number))
    else:
        unit_of = np.full(len(keep), -1)
        unit_of[batch.outputs.values] = batch.outputs.row_of
        chosen = unit_of[np.flatnonzero(keep)[units.members.values[units.members.offsets[:-1]]]]
    taken = batch.take(chosen)
    outputs, references = taken.outputs.mapped(new_number), _known_references(taken, keep)
    return replace(taken, units=units, rows=np.arange(len(units)), outputs=outputs, references=references)


def _known_references(batch: Batch, keep: Mask) -> Ragged:
    """The references of the units, without held-out texts."""
    references = batch.references
    if batch.kind in PAIRED or not len(references.values):
        return references
    number = batch.bank.numbers(references.values)
    known = (number >= len(keep)) | keep[np.minimum(number, len(keep) - 1)]
    n_known = np.bincount(references.row_of, weights=known, minlength=len(batch)).astype(np.int64)
    return Ragged(references.values[known], running_offsets(n_known))


def _training_units(scored: Batch, shape: Fitted, learning: Learning, prepare: Prepare) -> Batch:
    """The training units that share no text, context or left-out system with the scored ones."""
    train, here = learning.train, scored.dataset
    assert train is not None
    shared = shared_outputs(here, train, shape.apart)
    if learning.folds.leave_out == "system":
        system = here.outputs.system[scored.outputs.values]
        judged = here.systems.id.take(np.unique(system[~here.systems.human[system]]))
        left_out = _shared(judged, train.systems.id) & ~train.systems.human
        shared |= left_out[train.outputs.system]
        train = _without_logprobs_under(train, np.flatnonzero(left_out))
    if shared.all():
        raise nothing_left(shape.apart)
    return _appended(scored, train, ~shared, prepare)


def shared_outputs(here: Dataset, train: Dataset, apart: Apart) -> Mask:
    """The training outputs that the scored data shares: by text, by text or context, or by game."""
    if apart == "game":
        return _shared(game_keys(here), game_keys(train))
    shared = _shared(here.outputs.text, train.outputs.text)
    if apart == "context":
        same_context = _shared(here.items.context, train.items.context)
        same_item = _shared(here.items.id, train.items.id)
        shared |= np.where(train.items.context.lengths > 0, same_context, same_item)[train.outputs.item]
    return shared


def nothing_left(apart: Apart) -> EvaluatorError:
    """The error where the scored data shares all of the training data."""
    return EvaluatorError(
        f"every training {apart} is also scored, so nothing is left to learn from. Give other training data, or none, "
        "to cross-fit on the data itself."
    )


def _appended(scored: Batch, train: Dataset, keep: Mask, prepare: Prepare) -> Batch:
    """All units of the kept training outputs; their texts follow the scored ones in the same bank."""
    unseen, kept = train.select(keep), np.flatnonzero(keep)
    item = train.outputs.item[kept[unseen.outputs_by_item.values[unseen.outputs_by_item.offsets[:-1]]]]
    references = len(train.outputs) + train.items.references.numbers.take(item).values
    row_of_number = scored.bank.n_own + np.concatenate([kept, references])
    training = prepare(Units(scored.kind, unseen))
    row = row_of_number[training.bank.numbers(np.arange(training.bank.n_own))]
    members, sources = training.members.mapped(row), training.references.mapped(row)
    return replace(training, bank=scored.bank, members=members, references=sources)


def _contexts(dataset: Dataset, shape: Fitted) -> Iterator[Codes]:
    """Codes of the contexts, where the evaluator keeps outputs with one context apart."""
    if shape.apart == "context":
        context = dataset.items.context
        codes = context.codes().astype(np.int64)
        yield np.where(context.lengths > 0, codes, len(codes) + np.arange(len(codes)))[dataset.outputs.item]


def _without_annotators(dataset: Dataset, held_out: Mask) -> Dataset:
    """The data without the judgments of annotators who judged a held-out output."""
    judged, annotator = judged_outputs_and_annotators(dataset)
    out = np.isin(dataset.judgments.annotator, annotator[held_out[judged]])
    if len(out) and out.all():
        raise EvaluatorError(
            "every annotator judged something in one fold, so no judgment is left to learn from. Folds by annotator "
            "need annotators who judge different outputs; leave out items instead."
        )
    return replace(dataset, judgments=dataset.judgments.take(np.flatnonzero(~out)))


def _without_logprobs_under(dataset: Dataset, systems: Codes) -> Dataset:
    return replace(dataset, logprobs=dataset.logprobs.take(np.flatnonzero(~np.isin(dataset.logprobs.system, systems))))


def _shared(here: Strings, there: Strings) -> Mask:
    """Whether each text of `there` occurs in `here`."""
    both = Strings.concatenate([here, there]).codes()
    return np.isin(both[len(here) :], both[: len(here)])
