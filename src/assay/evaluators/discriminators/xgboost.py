"""Gradient boosting on n-grams."""

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

PATIENCE = 20
"""Rounds without a better loss on the held-back texts before training stops."""
SPAN = 50
"""Rounds between two writes of what an interrupted training goes on from."""


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
        """Boost for the given number of rounds, or until the loss on held-back texts has stopped falling.

        Boosting goes in spans, each with a seed of its own and from the bytes of the trees before it, so that an
        interrupted training goes on after the last whole span.
        """
        seed = int(rng.integers(1 << 31))
        store = kept_training("xgboost", settings, seed, examples, held_back)
        progress, arrays = store.read() or ({"done": 0, "losses": []}, {})
        labeled, stopping = _labeled(examples), None if held_back is None else _labeled(held_back)
        while progress["done"] < settings["rounds"] and not _stopped(progress["losses"]):
            done = min(progress["done"] + SPAN, settings["rounds"])
            booster, losses = _boosted(labeled, stopping, settings, seed, progress["done"], done, arrays)
            arrays = {"booster": _content(booster)}
            progress = {"done": done, "losses": progress["losses"] + losses}
            store.write(progress, arrays)
            report(f"xgboost: {done} of at most {settings['rounds']} rounds")
        rounds = settings["rounds"] if held_back is None else _best(progress["losses"]) + 1
        return Trained({"booster": _content(_loaded(arrays)[:rounds])}, {**settings, "rounds": int(rounds)})

    def margins(self, model: State, rows: Rows) -> Floats:
        """The log-odds before calibration."""
        booster = _loaded(model)
        margins = booster.predict(_matrix(rows), output_margin=True)
        return np.asarray(margins, np.float64)


def _boosted(
    examples: Any, held_back: Any, settings: Settings, seed: int, start: int, end: int, before: State
) -> tuple[Any, list[float]]:
    """Boost from one round to another; return the trees so far, and the loss on held-back texts after each round."""
    options = {
        "objective": "binary:logistic",
        "eval_metric": "logloss",
        "max_depth": settings["depth"],
        "eta": settings["rate"],
        "colsample_bytree": settings["columns"],
        "min_child_weight": settings["least_weight"],
        "seed": (seed + start) % (1 << 31),
        "nthread": 1,
        "tree_method": "hist",
        "verbosity": 0,
    }
    watched = [] if held_back is None else [(held_back, "held_back")]
    losses: dict[str, dict[str, list[float]]] = {}
    booster = _library().train(
        options,
        examples,
        end - start,
        evals=watched,
        evals_result=losses,
        verbose_eval=False,
        xgb_model=_loaded(before) if before else None,
    )
    return booster, losses["held_back"]["logloss"] if watched else []


def _stopped(losses: list[float]) -> bool:
    """Whether the loss has not fallen for PATIENCE rounds."""
    return len(losses) > _best(losses) + PATIENCE


def _best(losses: list[float]) -> int:
    """The round with the smallest loss before it stops falling for PATIENCE rounds."""
    best = 0
    for number, loss in enumerate(losses):
        if number > best + PATIENCE:
            break
        if loss < losses[best]:
            best = number
    return best


def _content(booster: Any) -> NDArray[np.uint8]:
    return np.frombuffer(bytes(booster.save_raw("ubj")), np.uint8)


def _loaded(model: State) -> Any:
    booster = _library().Booster({"nthread": 1})
    booster.load_model(bytearray(model["booster"].tobytes()))
    return booster


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
