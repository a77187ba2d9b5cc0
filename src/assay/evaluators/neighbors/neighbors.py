"""Quality from neighbors as an evaluator (Ethayarajh & Sadigh 2020)."""

from __future__ import annotations

from typing import Any

import numpy as np

from assay.batch import Batch
from assay.evaluator import Scored, Shape, State, evaluator, fitted
from assay.evaluators.neighbors.judged import check_one_quality, judged_outputs
from assay.evaluators.neighbors.regressor import NeighborRegressor
from assay.evaluators.neighbors.rule import Rule, Weights, check_share
from assay.evaluators.neighbors.similarity import Similarity
from assay.shapes import Field


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
    encoder: str | None = None,
    weights: Weights = "uniform",
    criterion: str | None = None,
    column: str | None = None,
    subsample: float = 1.0,
) -> Shape:
    """The mean quality of the most similar judged texts; a gap if they are too few or too many."""
    similarity = Similarity(kernel, tokenizer, orders, encoder)
    rule = Rule(similarity.tau if tau is None else tau, min_neighbors, max_fraction, weights)
    check_share("subsample", subsample)
    check_one_quality(criterion, column)
    settled: dict[str, Any] = {
        "kernel": similarity.signature,
        "tau": rule.tau,
        "tokenizer": similarity.tokenizer,
        "orders": similarity.orders,
        "encoder": similarity.encoder,
    }

    def regressor(**sampling: Any) -> NeighborRegressor:
        return NeighborRegressor(
            **settled, min_neighbors=min_neighbors, max_fraction=max_fraction, weights=weights, **sampling
        )

    def fit(train: Batch, rng: np.random.Generator) -> State:
        judged = judged_outputs(train.dataset, criterion=criterion, column=column).take(train.rows)
        model = regressor(subsample=subsample, seed=int(rng.integers(1 << 31))).fit(judged.texts, judged.quality)
        return {"texts": model.texts_, "quality": model.quality_}

    def score(state: State, batch: Batch) -> Scored:
        estimates = regressor().fit(state["texts"], state["quality"]).estimate(batch.texts.take(batch.candidates))
        return Scored(estimates.values, estimates.gaps)

    learns_from = f"column:{column}" if column else f"judgments:{criterion}" if criterion else "judgments"
    read: Field = "columns" if column else "judgments"
    return fitted(fit, score, learns_from=(learns_from,), settled=settled, reads=("text", read))
