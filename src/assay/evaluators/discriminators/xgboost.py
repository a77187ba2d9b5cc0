"""Gradient boosting on n-grams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.errors import EvaluatorError, MissingExtra
from assay.evaluator import Shape, State, evaluator
from assay.evaluators.discriminators.discriminator import discriminator
from assay.evaluators.discriminators.learner import Examples, Floats, Rows, Settings, Trained
from assay.evaluators.discriminators.ngrams import NGrams

PATIENCE = 20
"""Rounds without a better loss on the held-back texts before training stops."""


@dataclass(frozen=True)
class Boosting:
    """Boosted trees of XGBoost (Chen and Guestrin 2016), kept in its own binary format."""

    most_rounds: int

    @property
    def usual(self) -> Settings:
        """Trees of depth 6."""
        return {"depth": 6, "rate": 0.1, "columns": 0.5, "least_weight": 1.0, "rounds": self.most_rounds}

    def draw(self, rng: np.random.Generator) -> Settings:
        """Draw depth, learning rate, share of columns and the least weight of a leaf."""
        return {
            "depth": int(rng.integers(3, 9)),
            "rate": float(10 ** rng.uniform(-1.3, -0.5)),
            "columns": float(rng.uniform(0.2, 1.0)),
            "least_weight": float(rng.uniform(0.5, 4.0)),
            "rounds": self.most_rounds,
        }

    def train(
        self, examples: Examples, settings: Settings, held_back: Examples | None, rng: np.random.Generator
    ) -> Trained:
        """Boost for the given number of rounds, or until the loss on held-back texts has stopped falling."""
        xgboost = _library()
        options = {
            "objective": "binary:logistic",
            "eval_metric": "logloss",
            "max_depth": settings["depth"],
            "eta": settings["rate"],
            "colsample_bytree": settings["columns"],
            "min_child_weight": settings["least_weight"],
            "seed": int(rng.integers(1 << 31)),
            "nthread": 1,
            "tree_method": "hist",
            "verbosity": 0,
        }
        stopping = (
            {"evals": [(_labeled(held_back), "held_back")], "early_stopping_rounds": PATIENCE} if held_back else {}
        )
        booster = xgboost.train(options, _labeled(examples), settings["rounds"], verbose_eval=False, **stopping)
        rounds = settings["rounds"] if held_back is None else booster.best_iteration + 1
        content = np.frombuffer(bytes(booster[:rounds].save_raw("ubj")), np.uint8)
        return Trained({"booster": content}, {**settings, "rounds": int(rounds)})

    def margins(self, model: State, rows: Rows) -> Floats:
        """The log-odds before calibration."""
        xgboost = _library()
        booster = xgboost.Booster({"nthread": 1})
        booster.load_model(bytearray(model["booster"].tobytes()))
        margins = booster.predict(_matrix(rows), output_margin=True)
        return np.asarray(margins, np.float64)


def _labeled(examples: Examples) -> Any:
    return _matrix(examples.rows, label=examples.human, weight=examples.weights)


def _matrix(rows: Rows, **about: Any) -> Any:
    return _library().DMatrix(rows, nthread=1, **about)


def _library() -> Any:
    try:
        import xgboost
    except ImportError as error:
        raise MissingExtra("xgboost", "xgboost", "discriminators") from error
    return xgboost


@evaluator(scale="probability that a human wrote the text", cite="Garbacea et al. 2019")
def xgboost(
    *,
    tokenizer: str = "13a",
    max_order: int = 3,
    min_texts: int = 3,
    max_features: int | None = None,
    rounds: int = 300,
    search: int = 4,
) -> Shape:
    """Gradient boosting on n-grams: the probability that a human wrote the text."""
    if rounds < 1:
        raise EvaluatorError(f"rounds must be 1 or more, not {rounds}.")
    return discriminator(NGrams(tokenizer, max_order, min_texts, max_features), Boosting(rounds), search)
