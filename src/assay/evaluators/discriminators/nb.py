"""Naive Bayes on n-grams."""

from __future__ import annotations

import numpy as np

from assay.evaluator import Shape, State, evaluator
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.learner import Examples, Floats, Rows, Settings, Trained
from assay.evaluators.discriminators.ngrams import NGrams


class NaiveBayes:
    """Multinomial naive Bayes with an amount `alpha` added to every count."""

    @property
    def usual(self) -> Settings:
        """Add 0.3."""
        return {"alpha": 0.3}

    def draw(self, rng: np.random.Generator) -> Settings:
        """Draw alpha log-uniformly from 0.01 to 3."""
        return {"alpha": float(10 ** rng.uniform(-2, np.log10(3)))}

    def train(
        self, examples: Examples, settings: Settings, held_back: Examples | None, rng: np.random.Generator
    ) -> Trained:
        """Weigh each n-gram by the log ratio of its shares in the two classes."""
        log_shares = []
        for one in (True, False):
            counts = examples.rows.T @ np.where(examples.human == one, examples.weights, 0.0) + settings["alpha"]
            log_shares.append(np.log(counts / counts.sum()))
        return Trained({"weights": log_shares[0] - log_shares[1]}, settings)

    def margins(self, model: State, rows: Rows) -> Floats:
        """The log-odds, with equal priors."""
        return np.asarray(rows @ model["weights"])


@evaluator(scale="probability that a human wrote the text", cite="Garbacea et al. 2019")
def nb(*, tokenizer: str = "13a", max_order: int = 3, min_texts: int = 1, search: int = 8) -> Shape:
    """Naive Bayes on n-grams: the probability that a human wrote the text."""
    return discriminator(NGrams(tokenizer, max_order, min_texts), NaiveBayes(), search)
