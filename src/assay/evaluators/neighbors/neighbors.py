"""Quality from neighbors under the evaluator contract (Ethayarajh & Sadigh 2020)."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.batch import Batch
from assay.evaluator import Score, Scored, Shape, evaluator, fitted
from assay.evaluators.neighbors.judged import check_one_quality, judged_outputs
from assay.evaluators.neighbors.regressor import NeighborRegressor
from assay.evaluators.neighbors.rule import Rule, Weights, check_share
from assay.evaluators.neighbors.similarity import Similarity
from assay.text.strings import Strings


@evaluator(
    units=("output",),
    scale="0 to 1: the mean judgment over the largest one",
    cite="Ethayarajh & Sadigh 2020",
)
def neighbors(
    *,
    kernel: str = "bleu",
    tau: float | None = None,
    min_neighbors: int = 5,
    max_fraction: float = 0.66,
    tokenizer: str | None = None,
    orders: tuple[int, ...] | None = None,
    model: str | None = None,
    weights: Weights = "uniform",
    criterion: str | None = None,
    column: str | None = None,
    subsample: float = 1.0,
) -> Shape:
    """The mean quality of the judged texts most like it; a gap where there are too few or too many of them."""
    similarity = Similarity(kernel, tokenizer, orders, model)
    rule = Rule(similarity.tau if tau is None else tau, min_neighbors, max_fraction, weights)
    check_share("subsample", subsample)
    check_one_quality(criterion, column)
    settled: dict[str, Any] = {
        "kernel": similarity.signature,
        "tau": rule.tau,
        "tokenizer": similarity.tokenizer,
        "orders": similarity.orders,
        "model": similarity.model,
    }

    def fit(train: Batch, rng: np.random.Generator) -> Score:
        judged = judged_outputs(train.dataset, criterion=criterion, column=column).take(train.rows)
        regressor = NeighborRegressor(
            **settled,
            min_neighbors=min_neighbors,
            max_fraction=max_fraction,
            weights=weights,
            subsample=subsample,
            seed=int(rng.integers(1 << 31)),
        ).fit(judged.texts, judged.quality)

        def score(batch: Batch) -> Scored:
            texts: Strings = batch.texts.take(batch.candidates)
            found = regressor.estimate(texts)
            return Scored(found.values, found.gaps)

        return score

    return fitted(fit, settled=settled)
