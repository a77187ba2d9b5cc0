"""Content diversity learnt from labeled sets: a tuned encoder and a pair model, each with its log-odds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.backends.tuning import Recipe, Tuned, learnt_weights, tune, with_weights
from assay.batch import Batch
from assay.errors import EvaluatorError, MissingExtra
from assay.evaluator import Result, Scored, Shape, State, Use, evaluator, fitted
from assay.evaluators.diversity.content_diversity import LEAST, content_spread
from assay.evaluators.diversity.pair_features import pair_features
from assay.evaluators.diversity.vectors import context_vectors, member_vectors
from assay.evaluators.response_sets import speaking
from assay.io.model_folders import ModelName
from assay.kernels.ragged import running_offsets
from assay.kernels.statistics.balance import balanced_rows
from assay.kernels.statistics.trees import LEAF, sum_of_trees
from assay.records.columns import numbers_of
from assay.registry import factory
from assay.scores import Gaps

GROUP_SIZE = 40
Floats = NDArray[np.float64]


class Learnt(NamedTuple):
    """A tuned encoder, and boosted trees on pairs where they are asked for."""

    tuned: Tuned
    trees: Mapping[str, Any] | None


@evaluator(units=("set",), needs=("context",), scale="log-odds of high diversity")
def trained_content_diversity(
    *,
    label: str = "label_value",
    encoder: ModelName = "minilm",
    epochs: float = 1.0,
    learning_rate: float = 1e-4,
    pairs: bool = True,
) -> Shape:
    """Content diversity learnt from sets with a label of two kinds, the larger being high.

    The encoder is tuned so that `content_diversity` tells the label. With `pairs`, boosted trees learn the same
    from pairs of responses (embeddings and words), on training sets in which distinct-n says nothing about the
    label; the two log-odds are added. No context is on both sides of training and scoring.
    """

    def fit(train: Batch, rng: np.random.Generator) -> Learnt:
        known, is_high = _labeled(train, label)
        learnt = train.take(known)
        sets = [learnt.texts.take(learnt.members[s]).to_list() for s in range(len(learnt))]
        contexts = learnt.dataset.items.context.take(learnt.units.item[learnt.rows]).to_list()
        tuned = tune(encoder, sets, contexts, is_high, Recipe(epochs, learning_rate), rng, LEAST)
        return Learnt(tuned, _grow(encoder, learnt, is_high, rng) if pairs else None)

    def score(learnt: Learnt, batch: Batch) -> Result:
        return speaking(lambda sets: _log_odds(learnt, encoder, sets))(batch)

    def save(learnt: Learnt) -> State:
        weights = {f"weights {name}": part for name, part in learnt_weights(learnt.tuned).items()}
        trees = {f"trees {name}": part for name, part in (learnt.trees or {}).items()}
        return {"scale": learnt.tuned.scale, "offset": learnt.tuned.offset, **weights, **trees}

    def load(state: State) -> Learnt:
        tuned = with_weights(encoder, _named(state, "weights "), state["scale"], state["offset"])
        return Learnt(tuned, _named(state, "trees ") if pairs else None)

    return fitted(
        fit,
        score,
        learns_from=("context", f"set_column:{label}"),
        apart="context",
        save=save,
        load=load,
        uses=[Use(factory("distinct")())] if pairs else (),
    )


def _named(state: State, prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): part for name, part in state.items() if name.startswith(prefix)}


def _log_odds(learnt: Learnt, encoder: str, batch: Batch) -> Scored:
    values = np.full(len(batch), np.nan)
    usable = np.flatnonzero((batch.members.lengths > 1) & (_context_lengths(batch) > 0))
    some = batch.take(usable)
    values[usable] = learnt.tuned.scale * (_spread(learnt.tuned.encoder, some) - learnt.tuned.offset)
    if learnt.trees is not None and len(usable):
        values[usable] += _pair_log_odds(learnt.trees, encoder, some)
    reasons = {"one response has no pairs": batch.members.lengths < 2, "no context": np.isnan(values)}
    return Scored(values, Gaps.where(len(batch), reasons))


def _labeled(train: Batch, label: str) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The training sets with a label, a context and at least two responses, and which of them are high."""
    numbers = numbers_of(train.dataset.sets.columns[label])
    assert numbers is not None
    values = numbers[train.rows]
    known = np.flatnonzero(~np.isnan(values) & (train.members.lengths > 1) & (_context_lengths(train) > 0))
    kinds = np.unique(values[known])
    if len(kinds) != 2:
        raise EvaluatorError(f"{label!r} has {len(kinds)} kinds among the training sets, and two are needed.")
    return known, values[known] == kinds[1]


def _context_lengths(batch: Batch) -> NDArray[np.int64]:
    return batch.dataset.items.context.lengths[batch.units.item[batch.rows]]


def _spread(encoder: Any, batch: Batch) -> Floats:
    vectors = encoder.embed(batch.texts.take(batch.members.values).to_list()).astype(np.float64)
    contexts = encoder.embed(batch.dataset.items.context.take(batch.units.item[batch.rows]).to_list())
    return content_spread(batch, vectors, contexts.astype(np.float64), LEAST)


def _grow(encoder: str, learnt: Batch, is_high: NDArray[np.bool_], rng: np.random.Generator) -> dict[str, Any]:
    """Boosted trees on pairs of responses of form-neutral sets."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as error:
        raise MissingExtra("trained_content_diversity(pairs=True)", "scikit-learn", "neural") from error
    form = learnt.used[0].values
    neutral = balanced_rows(np.round(form, 3), is_high, GROUP_SIZE, rng)
    if not len(neutral):
        raise EvaluatorError("the training sets of both labels differ too much in form to learn content from.")
    features, which = pair_features(learnt.take(neutral), *_vectors(encoder, learnt.take(neutral)))
    trees: Any = HistGradientBoostingClassifier(
        max_iter=100, learning_rate=0.05, max_leaf_nodes=8, early_stopping=False
    )
    return plain_trees(trees.fit(features, is_high[neutral][which]))


def plain_trees(trees: Any) -> dict[str, Any]:
    """The trees of scikit-learn as arrays, the nodes of all one after the other."""
    nodes = [predictor.nodes for (predictor,) in trees._predictors]
    roots = running_offsets(np.array([len(tree) for tree in nodes]))[:-1]
    every, root = np.concatenate(nodes), np.repeat(roots, [len(tree) for tree in nodes])
    is_leaf = every["is_leaf"].astype(bool)
    return {
        "roots": roots,
        "feature": np.where(is_leaf, LEAF, every["feature_idx"]).astype(np.int64),
        "threshold": every["num_threshold"].astype(np.float64),
        "left": root + every["left"],
        "right": root + every["right"],
        "value": every["value"].astype(np.float64),
        "baseline": float(trees._baseline_prediction.item()),
    }


def _pair_log_odds(trees: Mapping[str, Any], encoder: str, batch: Batch) -> Floats:
    features, which = pair_features(batch, *_vectors(encoder, batch))
    odds = sum_of_trees(features, **trees)
    n = np.bincount(which, minlength=len(batch))
    return np.asarray(np.bincount(which, weights=odds, minlength=len(batch)) / n)


def _vectors(encoder: str, batch: Batch) -> tuple[Floats, Floats]:
    return member_vectors(encoder, batch).astype(np.float64), context_vectors(encoder, batch).astype(np.float64)
