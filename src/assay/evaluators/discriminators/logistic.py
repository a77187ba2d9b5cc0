"""Logistic regression on sentence embeddings, or on n-grams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from assay.errors import EvaluatorError
from assay.evaluator import Fitted, Shape, State, evaluator
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.embeddings import Embeddings
from assay.evaluators.discriminators.learner import Examples, Features, Floats, Rows, Settings, Trained
from assay.evaluators.discriminators.ngrams import NGrams
from assay.io.model_folders import named_by_content
from assay.kernels.statistics.linear_models import logistic_regression

TOLERANCE = 1e-3
TOKENIZER, ORDER, LEAST = "13a", 3, 1


@dataclass(frozen=True)
class LogisticRegression:
    """Logistic loss with an L2 penalty. `usual_cost` of errors suits the scale of the features."""

    usual_cost: float

    @property
    def usual(self) -> Settings:
        """The usual cost."""
        return {"cost": self.usual_cost}

    def draw(self, rng: np.random.Generator) -> Settings:
        """Draw the cost of errors log-uniformly, from a thirtieth of the usual one to thirty times as much."""
        return {"cost": float(self.usual_cost * 10 ** rng.uniform(-1.5, 1.5))}

    def train(
        self, examples: Examples, settings: Settings, held_back: Examples | None, rng: np.random.Generator
    ) -> Trained:
        """Train by dual coordinate descent."""
        from scipy.sparse import csr_array

        rows, costs = csr_array(examples.rows), settings["cost"] * examples.weights
        weights = logistic_regression(
            rows.indptr, rows.indices, rows.data, examples.signs, costs, rows.shape[1], rng, TOLERANCE
        )
        return Trained({"weights": weights[:-1], "intercept": float(weights[-1])}, settings)

    def margins(self, model: State, rows: Rows) -> Floats:
        """The log-odds before calibration, each from its own row alone."""
        if isinstance(rows, np.ndarray):
            # A product of matrices may add in another order for another number of rows.
            return np.asarray((rows * model["weights"]).sum(axis=1) + model["intercept"])
        return np.asarray(rows @ model["weights"] + model["intercept"])


@evaluator(scale="probability that a human wrote the text")
def logistic(
    *,
    features: Literal["embeddings", "ngrams"] = "embeddings",
    encoder: str | None = None,
    tokenizer: str | None = None,
    max_order: int | None = None,
    min_texts: int | None = None,
    search: int = 8,
) -> Shape:
    """Logistic regression on sentence embeddings: the probability that a human wrote the text.

    With features='embeddings' the encoder is minilm unless given. With features='ngrams' the tokenizer is 13a, the
    maximum order 3 and `min_texts` 1 unless given.
    """
    by_ngrams = {"tokenizer": tokenizer, "max_order": max_order, "min_texts": min_texts}
    for name, value in (by_ngrams if features == "embeddings" else {"encoder": encoder}).items():
        if value is not None:
            raise EvaluatorError(f"logistic(features={features!r}) has no {name}. Leave it out.")
    if features == "embeddings":
        named = named_by_content(encoder or "minilm")
        return _shape(Embeddings(named), 10.0, search, {"encoder": named})
    ngrams = NGrams(
        tokenizer or TOKENIZER,
        ORDER if max_order is None else max_order,
        LEAST if min_texts is None else min_texts,
    )
    settled = {name: getattr(ngrams, name) for name in by_ngrams}
    return _shape(ngrams, 0.1, search, settled)


def _shape(features: Features, usual_cost: float, search: int, settled: Settings) -> Fitted:
    return discriminator(features, LogisticRegression(usual_cost), search, settled)
