"""Folds for fitted evaluators: nothing is scored by a model that saw its item or its very text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError
from assay.records import Dataset


def folds(dataset: Dataset, n_folds: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Assign a fold to every output; outputs that share an item or have the same text share a fold.

    Sharing is transitive. Groups go to the smallest fold so far, in random order, the largest first.
    """
    if n_folds < 2:
        raise EvaluatorError(f"cross-fitting needs at least 2 folds, not {n_folds}.")
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(dataset.outputs)
    text = dataset.outputs.text.factorize()[0].astype(np.int64)
    items, texts = n, n + len(dataset.items)
    rows = np.concatenate([np.arange(n), np.arange(n)])
    columns = np.concatenate([items + dataset.outputs.item, texts + text])
    size = texts + int(text.max(initial=-1)) + 1
    graph = coo_array((np.ones(2 * n, np.int8), (rows, columns)), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    groups, group = np.unique(component[:n], return_inverse=True)
    if len(groups) < n_folds:
        raise EvaluatorError(
            f"a fitted evaluator needs data in at least {n_folds} independent parts, and this data has "
            f"{len(groups)} (outputs that share an item or a text belong together). Give a training set with --train."
        )
    sizes = np.bincount(group)
    order = rng.permutation(len(groups))
    order = order[np.argsort(-sizes[order], kind="stable")]
    load = np.zeros(n_folds, np.int64)
    fold_of_group = np.zeros(len(groups), np.int64)
    for chosen in order.tolist():
        fold = int(load.argmin())
        fold_of_group[chosen] = fold
        load[fold] += sizes[chosen]
    return fold_of_group[group]
