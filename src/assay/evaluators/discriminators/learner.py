"""What a discriminator is made of: features of texts, and a learner that separates two classes of rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import State

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Settings = Mapping[str, Any]
Rows = Any
"""Features of texts, a row each: whatever indexes by an array of row numbers (a sparse matrix, an array)."""


@dataclass(frozen=True, eq=False)
class Examples:
    """Training texts: features, classes, weights of mean 1 that balance the classes, and what the features learnt."""

    rows: Rows
    human: Mask
    weights: Floats
    known: State = field(default_factory=dict)

    def take(self, chosen: NDArray[np.int64]) -> Examples:
        """Return some of the texts."""
        return Examples(self.rows[chosen], self.human[chosen], self.weights[chosen], self.known)

    @property
    def signs(self) -> Floats:
        """1 for human, -1 for generated."""
        return np.where(self.human, 1.0, -1.0)


class Features(Protocol):
    """How texts become rows. What is learnt on training texts alone is in the state."""

    def learn(self, train: Batch) -> tuple[State, Rows]:
        """What later texts are looked up in, and the rows of the training texts."""

    def rows(self, known: State, batch: Batch) -> tuple[Rows, Mask]:
        """The rows of other texts, and which of them share nothing with what is known."""


class Trained(NamedTuple):
    """A model as arrays and plain values, and its settings: early stopping may have chosen some of them."""

    model: State
    settings: Settings


class Learner(Protocol):
    """A classifier. Margins are higher for texts that look human; their scale is calibrated afterwards."""

    @property
    def usual(self) -> Settings:
        """The settings that are tried first."""

    def draw(self, rng: np.random.Generator) -> Settings:
        """Random settings."""

    def train(
        self, examples: Examples, settings: Settings, held_back: Examples | None, rng: np.random.Generator
    ) -> Trained:
        """Train a model; `held_back` is there to decide when to stop, where that is not settled."""

    def margins(self, model: State, rows: Rows) -> Floats:
        """The margin of each row."""
