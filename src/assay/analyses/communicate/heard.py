"""What one listener understood of every output of a game, and shares of hits with their intervals."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.beliefs import hits
from assay.kernels.statistics.intervals import NO_INTERVAL
from assay.kernels.statistics.shares import share_interval
from assay.kernels.statistics.student import spread, student_interval
from assay.listening import beliefs_of, has_beliefs
from assay.metaeval.estimate import Estimate
from assay.records import Dataset
from assay.scores import Column

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FEWEST_ITEMS = 10
ALIKE = "the same for every item"
FEW = f"fewer than {FEWEST_ITEMS} items"


@dataclass(frozen=True, eq=False)
class Heard:
    """The outputs of a game that a listener understood something of.

    Attributes:
        name: of the listener.
        column: its scores of all outputs.
        game: the data, with choices.
        rows: the outputs with beliefs and a target.
        meant: the target of each, as a distribution.
        beliefs: what the listener gives each choice.
        hit: whether the likeliest choice is the target; k equally likely ones count 1/k.
        n_choices: the choices of each.
    """

    name: str
    column: Column
    game: Dataset
    rows: Ints
    meant: Ragged
    beliefs: Ragged
    hit: Floats
    n_choices: Ints

    @classmethod
    def of(cls, name: str, column: Column, game: Dataset) -> Heard:
        """Read the beliefs beside the scores of a listener."""
        if column.n and not has_beliefs(column):
            raise EvaluatorError(
                f"{name} is not a listener: it leaves no beliefs about choices beside its scores. Name one such as "
                "text_listener."
            )
        if not column.n:
            why = ", ".join(f"{reason}: {n}" for reason, n in column.gaps.counts().items())
            raise EvaluatorError(f"{name} understands none of the {len(column)} outputs ({why}).")
        read = beliefs_of(column)
        rows = np.flatnonzero((read.meant.lengths > 0) & (read.heard.lengths > 0))
        meant, beliefs = read.meant.take(rows), read.heard.take(rows)
        return cls(name, column, game, rows, meant, beliefs, hits(meant, beliefs), beliefs.lengths)

    @property
    def item(self) -> Ints:
        """The item of each output."""
        return self.game.outputs.item[self.rows]

    @property
    def chance(self) -> Floats:
        """The share of hits of a listener who guesses."""
        return 1.0 / self.n_choices

    def accuracy(self, keep: NDArray[np.bool_], confidence: float) -> Estimate:
        """The share of hits among some outputs, with an interval over items."""
        return share(self.hit[keep], self.item[keep], confidence)


def share(hit: Floats, item: Ints, confidence: float) -> Estimate:
    """A mean of numbers from 0 to 1 with a Wilson interval over the items that they belong to."""
    if not len(hit):
        return Estimate.undefined(0, "no outputs")
    items, cluster = np.unique(item, return_inverse=True)
    reason = FEW if len(items) < FEWEST_ITEMS else ""
    low, high = (NO_INTERVAL if reason else share_interval(hit, cluster, len(items), confidence))[:2]
    return Estimate(float(hit.mean()), low, high, len(hit), reason, {"n_items": len(items)})


def mean_over_items(values: Floats, item: Ints, scale: float, confidence: float) -> Estimate:
    """A mean with Student's t over the items that the values belong to; `scale` is their magnitude."""
    if not len(values):
        return Estimate.undefined(0, "no outputs")
    value, cluster = float(values.mean()), np.unique(item, return_inverse=True)[1]
    n = int(cluster.max()) + 1
    if n < FEWEST_ITEMS:
        return Estimate(value, nan, nan, len(values), FEW)
    sums, sizes = np.bincount(cluster, values, n), np.bincount(cluster, minlength=n)
    left_out = (sums.sum() - sums) / (len(values) - sizes)
    low, high = student_interval(value, spread([left_out], scale), confidence)[:2]
    return Estimate(value, low, high, len(values), "" if low == low else ALIKE)


def mean_number(values: Floats) -> float:
    """The mean, NaN of nothing."""
    return float(values.mean()) if len(values) else nan
