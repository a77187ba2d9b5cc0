"""A random forest on n-grams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.watching import report
from assay.errors import EvaluatorError, MissingExtra
from assay.evaluator import Shape, State, evaluator
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.learner import Examples, Floats, Rows, Settings, Trained
from assay.evaluators.discriminators.ngrams import NGrams
from assay.evaluators.discriminators.under_way import kept_training
from assay.kernels.ragged import running_offsets
from assay.kernels.statistics.trees import LEAF, sum_of_trees

ROWS = 256
"""Rows made dense at a time."""
TREES = 10
"""Trees grown between two writes of what an interrupted training goes on from."""

Nodes = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class RandomForest:
    """Trees grown by scikit-learn and kept as arrays."""

    trees: int

    @property
    def usual(self) -> Settings:
        """Leaves of at least 3 texts, and splits among 2% of the features."""
        return {"leaf": 3, "share": 0.02}

    def draw(self, rng: np.random.Generator) -> Settings:
        """Draw the smallest leaf and the share of features that a split may choose from."""
        return {"leaf": int(rng.integers(1, 6)), "share": float(10 ** rng.uniform(-2, -1.3))}

    def train(
        self, examples: Examples, settings: Settings, held_back: Examples | None, rng: np.random.Generator
    ) -> Trained:
        """Grow the trees, a few at a time; an interrupted training goes on after the last ones."""
        seed = int(rng.integers(1 << 31))
        store = kept_training("rf", {**settings, "trees": self.trees}, seed, examples, None)
        kept = store.read()
        grown = {} if kept is None else kept[1]
        columns = examples.rows.astype(np.float32).tocsc()
        while (done := len(grown.get("roots", ()))) < self.trees:
            forest = _classifier()(
                min(TREES, self.trees - done),
                min_samples_leaf=settings["leaf"],
                max_features=settings["share"],
                random_state=_after(seed, done),
                n_jobs=1,
            )
            forest.fit(columns, examples.human, sample_weight=examples.weights)
            grown = _joined(grown, _plain(forest))
            store.write({}, grown)
            report(f"rf: {len(grown['roots'])} of {self.trees} trees")
        return Trained(grown, settings)

    def margins(self, model: State, rows: Rows) -> Floats:
        """The mean over trees of the share of human texts in the leaf, less one half."""
        parts = [
            sum_of_trees(rows[start : start + ROWS].toarray(), baseline=0.0, **model)
            for start in range(0, rows.shape[0], ROWS)
        ]
        return np.concatenate([np.zeros(0), *parts]) / len(model["roots"]) - 0.5


def _classifier() -> Any:
    try:
        from sklearn.ensemble import RandomForestClassifier
    except ImportError as error:
        raise MissingExtra("rf", "scikit-learn", "discriminators") from error
    return RandomForestClassifier


def _after(seed: int, trees: int) -> np.random.RandomState:
    """The random numbers of a forest after its first trees: scikit-learn draws one seed for each tree."""
    numbers = np.random.RandomState(seed)
    numbers.randint(np.iinfo(np.int32).max, size=trees)
    return numbers


def _joined(first: Nodes, second: Nodes) -> Nodes:
    """The nodes of two forests."""
    if not first:
        return second
    n = len(first["feature"])
    moved = {**second, **{name: second[name] + n for name in ("roots", "left", "right")}}
    return {name: np.concatenate([first[name], moved[name]]) for name in first}


def _plain(forest: Any) -> Nodes:
    """The nodes of all trees, concatenated."""
    trees = [tree.tree_ for tree in forest.estimators_]
    sizes = np.array([tree.node_count for tree in trees])
    roots = running_offsets(sizes)[:-1]
    root = np.repeat(roots, sizes)
    left = np.concatenate([tree.children_left for tree in trees]).astype(np.int64)
    right = np.concatenate([tree.children_right for tree in trees]).astype(np.int64)
    counts = np.concatenate([tree.value[:, 0] for tree in trees])
    human = int(np.flatnonzero(forest.classes_)[0])
    return {
        "roots": roots,
        "feature": np.where(left < 0, LEAF, np.concatenate([tree.feature for tree in trees])).astype(np.int64),
        "threshold": np.concatenate([tree.threshold for tree in trees]),
        "left": root + left,
        "right": root + right,
        "value": counts[:, human] / counts.sum(axis=1),
    }


@evaluator(scale="probability that a human wrote the text", cite="Garbacea et al. 2019")
def rf(
    *,
    tokenizer: str = "13a",
    max_order: int = 3,
    min_texts: int = 2,
    max_features: int | None = 2000,
    trees: int = 100,
    search: int = 3,
) -> Shape:
    """A random forest on n-grams: the probability that a human wrote the text."""
    if trees < 1:
        raise EvaluatorError(f"trees must be 1 or more, not {trees}.")
    return discriminator(NGrams(tokenizer, max_order, min_texts, max_features), RandomForest(trees), search)
