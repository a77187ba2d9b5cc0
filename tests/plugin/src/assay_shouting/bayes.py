"""Naive Bayes: does a text look as if a human wrote it?"""

import numpy as np

from assay.batch import Batch
from assay.evaluator import Shape, State, evaluator, fitted


@evaluator(scale="log-odds that a human wrote the text")
def bayes(*, tokenizer: str = "lower+13a", order: int = 1) -> Shape:
    """Log-odds that a human wrote a text, from its n-grams, one added to every count."""

    def fit(train: Batch, rng: np.random.Generator) -> State:
        grams = train.ngrams_of_units(tokenizer, order)
        names = train.spelled_ngrams(tokenizer, order)
        human = train.dataset.human[train.rows]
        of_human = np.bincount(grams.values[human[grams.row_of]], minlength=len(names))
        of_others = np.bincount(grams.values[~human[grams.row_of]], minlength=len(names))
        met = np.flatnonzero(of_human + of_others)
        shares = [np.log((counts[met] + 1) / (counts.sum() + len(met))) for counts in (of_human, of_others)]
        prior = np.log((human.sum() + 1) / ((~human).sum() + 1))
        return {"ngrams": names.take(met), "weights": shares[0] - shares[1], "prior": float(prior)}

    def score(state: State, batch: Batch) -> np.ndarray:
        grams = batch.ngrams_of_units(tokenizer, order)
        places = batch.ngram_places(state["ngrams"], tokenizer, order)
        weights = np.append(state["weights"], 0.0)[places[grams.values]]  # an n-gram never met, at -1, weighs nothing
        return state["prior"] + np.bincount(grams.row_of, weights=weights, minlength=len(batch))

    return fitted(fit, score, learns_from=("human", "generated"))
