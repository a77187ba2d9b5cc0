"""Content diversity learned from labeled sets: the log-odds of a tuned encoder and of a pair model."""

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


class Model(NamedTuple):
    """A tuned encoder, and boosted trees on pairs unless pairs=False."""

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
    """Content diversity learned from sets with a binary label, the larger value being high.

    The encoder is tuned so that `content_diversity` predicts the label. With `pairs`, boosted trees learn it from
    pairs of responses (embeddings and words), on training sets balanced so that distinct-n does not predict the
    label; the two log-odds are added. Training and scored sets share no context.
    """

    def fit(train: Batch, rng: np.random.Generator) -> Model:
        rows, is_high = _labeled(train, label)
        labeled = train.take(rows)
        sets = [labeled.texts.take(labeled.members[s]).to_list() for s in range(len(labeled))]
        contexts = labeled.dataset.items.context.take(labeled.units.item[labeled.rows]).to_list()
        tuned = tune(encoder, sets, contexts, is_high, Recipe(epochs, learning_rate), rng, LEAST)
        return Model(tuned, _grow(encoder, labeled, is_high, rng) if pairs else None)

    def score(model: Model, batch: Batch) -> Result:
        return speaking(lambda sets: _log_odds(model, encoder, sets))(batch)

    def save(model: Model) -> State:
        weights = {f"weights {name}": part for name, part in learnt_weights(model.tuned).items()}
        trees = {f"trees {name}": part for name, part in (model.trees or {}).items()}
        return {"scale": model.tuned.scale, "offset": model.tuned.offset, **weights, **trees}

    def load(state: State) -> Model:
        tuned = with_weights(encoder, _named(state, "weights "), state["scale"], state["offset"])
        return Model(tuned, _named(state, "trees ") if pairs else None)

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


def _log_odds(model: Model, encoder: str, batch: Batch) -> Scored:
    values = np.full(len(batch), np.nan)
    rows = np.flatnonzero((batch.members.lengths > 1) & (_context_lengths(batch) > 0))
    usable = batch.take(rows)
    values[rows] = model.tuned.scale * (_spread(model.tuned.encoder, usable) - model.tuned.offset)
    if model.trees is not None and len(rows):
        values[rows] += _pair_log_odds(model.trees, encoder, usable)
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
        raise EvaluatorError(f"{label!r} has {len(kinds)} values among the training sets, and two are needed.")
    return known, values[known] == kinds[1]


def _context_lengths(batch: Batch) -> NDArray[np.int64]:
    return batch.dataset.items.context.lengths[batch.units.item[batch.rows]]


def _spread(encoder: Any, batch: Batch) -> Floats:
    vectors = encoder.embed(batch.texts.take(batch.members.values).to_list()).astype(np.float64)
    contexts = encoder.embed(batch.dataset.items.context.take(batch.units.item[batch.rows]).to_list())
    return content_spread(batch, vectors, contexts.astype(np.float64), LEAST)


def _grow(encoder: str, labeled: Batch, is_high: NDArray[np.bool_], rng: np.random.Generator) -> dict[str, Any]:
    """Train boosted trees on the pairs of form-neutral sets."""
    try:
        from sklearn.ensemble import HistGradientBoostingClassifier
    except ImportError as error:
        raise MissingExtra("trained_content_diversity(pairs=True)", "scikit-learn", "neural") from error
    form = labeled.used[0].values
    neutral = balanced_rows(np.round(form, 3), is_high, GROUP_SIZE, rng)
    if not len(neutral):
        raise EvaluatorError("the training sets of both labels differ too much in form to learn content from.")
    sets = labeled.take(neutral)
    features, which = pair_features(sets, *_vectors(encoder, sets))
    trees: Any = HistGradientBoostingClassifier(
        max_iter=100, learning_rate=0.05, max_leaf_nodes=8, early_stopping=False
    )
    return plain_trees(trees.fit(features, is_high[neutral][which]))


def plain_trees(trees: Any) -> dict[str, Any]:
    """The trees of scikit-learn as arrays of concatenated nodes."""
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
