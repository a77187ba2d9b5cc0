"""The learner behind the neural discriminators."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.backends.training import Labeled, Recipe, network_margins, train_network
from assay.errors import EvaluatorError
from assay.evaluator import State
from assay.evaluators.discriminators.learner import Examples, Floats, Rows, Settings, Trained


@dataclass(frozen=True)
class Network:
    """A network by its name in `backends.text_networks`, trained for at most `epochs`.

    `shape` gives its parameters from the settings and from what the features learnt.
    """

    kind: str
    usual: Settings
    drawn: Callable[[np.random.Generator], Settings]
    shape: Callable[[Settings, State], Mapping[str, Any]]
    epochs: int
    batch: int = 32

    def __post_init__(self) -> None:
        if self.epochs < 1:
            raise EvaluatorError(f"epochs must be 1 or more, not {self.epochs}.")

    def draw(self, rng: np.random.Generator) -> Settings:
        """Random settings."""
        return self.drawn(rng)

    def train(
        self, examples: Examples, settings: Settings, held_back: Examples | None, rng: np.random.Generator
    ) -> Trained:
        """Train until the held-back loss stops falling; without held-back texts, for the settled number of epochs."""
        shape = dict(self.shape(settings, examples.known))
        recipe = Recipe(settings.get("epochs", self.epochs), settings["rate"], self.batch)
        seed = int(rng.integers(1 << 31))
        stop = None if held_back is None else _labeled(held_back)
        weights, epochs = train_network(self.kind, shape, _labeled(examples), recipe, seed, stop)
        model = {"shape": shape, **{f"weights {name}": part for name, part in weights.items()}}
        return Trained(model, {**settings, "epochs": epochs})

    def margins(self, model: State, rows: Rows) -> Floats:
        """The log-odds before calibration."""
        weights = {name.removeprefix("weights "): part for name, part in model.items() if name.startswith("weights ")}
        return network_margins(self.kind, dict(model["shape"]), weights, rows)


def _labeled(examples: Examples) -> Labeled:
    return Labeled(examples.rows, examples.human.astype(np.float32), examples.weights.astype(np.float32))


def on_words(kind: str, epochs: int) -> Network:
    """A network that learns its own vectors of words."""

    def drawn(rng: np.random.Generator) -> Settings:
        return {
            "size": int(2 ** rng.integers(5, 8)),
            "dropout": float(rng.uniform(0.2, 0.6)),
            "rate": float(10 ** rng.uniform(-3.3, -2.3)),
        }

    def shape(settings: Settings, known: State) -> Mapping[str, Any]:
        return {"n_words": known["n_words"], "size": settings["size"], "dropout": settings["dropout"]}

    return Network(kind, {"size": 64, "dropout": 0.5, "rate": 2e-3}, drawn, shape, epochs)
