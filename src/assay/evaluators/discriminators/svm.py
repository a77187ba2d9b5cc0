"""A linear support vector machine on n-grams."""

from __future__ import annotations

import numpy as np

from assay.evaluator import Shape, State, evaluator
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.learner import Examples, Floats, Rows, Settings, Trained
from assay.evaluators.discriminators.ngrams import NGrams
from assay.kernels.statistics.linear_models import linear_svm

TOLERANCE = 0.01


class LinearSVM:
    """Squared hinge loss with an L2 penalty on the counts of n-grams."""

    @property
    def usual(self) -> Settings:
        """A cost of 0.01."""
        return {"cost": 0.01}

    def draw(self, rng: np.random.Generator) -> Settings:
        """Draw the cost of errors log-uniformly from 0.001 to 1."""
        return {"cost": float(10 ** rng.uniform(-3, 0))}

    def train(
        self, examples: Examples, settings: Settings, held_back: Examples | None, rng: np.random.Generator
    ) -> Trained:
        """Train by dual coordinate descent."""
        rows, costs = examples.rows, settings["cost"] * examples.weights
        weights = linear_svm(rows.indptr, rows.indices, rows.data, examples.signs, costs, rows.shape[1], rng, TOLERANCE)
        return Trained({"weights": weights[:-1], "intercept": float(weights[-1])}, settings)

    def margins(self, model: State, rows: Rows) -> Floats:
        """The signed distance from the boundary, times the norm of the weights."""
        return np.asarray(rows @ model["weights"] + model["intercept"])


@evaluator(scale="probability that a human wrote the text", cite="Garbacea et al. 2019")
def svm(*, tokenizer: str = "13a", max_order: int = 3, min_texts: int = 1, search: int = 8) -> Shape:
    """A linear support vector machine on n-grams: the probability that a human wrote the text."""
    return discriminator(NGrams(tokenizer, max_order, min_texts), LinearSVM(), search)
