"""Which things a bootstrap of votes draws: units, whole items, annotators, or several of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, did_you_mean
from assay.kernels.resample import Block, bootstrap_counts, map_blocks
from assay.meta.votes import Votes

FACTORS = ("units", "items", "annotators")


@dataclass(frozen=True)
class Resampling:
    """How intervals are made. All outputs of an item move together when `items` are drawn."""

    over: tuple[str, ...] = ("units",)
    n_resamples: int = 1000
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        for factor in self.over:
            if factor not in FACTORS:
                raise AssayError(f"cannot resample {factor!r}.{did_you_mean(factor, FACTORS)}")
        if {"units", "items"} <= set(self.over):
            raise AssayError("resample units or items, not both: an item holds its units.")
        if not self.over or self.n_resamples < 1 or not 0 < self.confidence < 1:
            raise AssayError("resampling needs something to draw, one resample or more, and a confidence below 1.")

    @property
    def draws_annotators(self) -> bool:
        """Whether annotators are drawn."""
        return "annotators" in self.over

    def as_json(self) -> dict[str, object]:
        """What a reader must know to repeat it."""
        return {
            "over": list(self.over),
            "n_resamples": self.n_resamples,
            "confidence": self.confidence,
            "method": "percentile",
            "seed": self.seed,
        }


@dataclass(frozen=True, eq=False)
class Draws:
    """One block of resamples: how often each unit and each annotator counts."""

    units: NDArray[np.int32]
    annotators: NDArray[np.int32]


def resampled(
    votes: Votes,
    resampling: Resampling,
    statistic: Callable[[Draws], NDArray[np.float64]],
    *,
    n_resamples: int | None = None,
) -> NDArray[np.float64]:
    """The statistic under all draws: (resamples, ...). Every statistic of the votes meets the same draws."""
    n_items = int(votes.item.max(initial=-1)) + 1

    def task(block: Block) -> NDArray[np.float64]:
        draws = undrawn(votes, block.size)
        units, annotators = draws.units, draws.annotators
        if "units" in resampling.over:
            units = bootstrap_counts(block.rng(0), block.size, votes.n_units)
        if "items" in resampling.over:
            units = bootstrap_counts(block.rng(1), block.size, n_items)[:, votes.item]
        if resampling.draws_annotators:
            annotators = bootstrap_counts(block.rng(2), block.size, votes.n_annotators)
        return statistic(Draws(units, annotators))

    return np.concatenate(map_blocks(task, n_resamples or resampling.n_resamples, resampling.seed))


def undrawn(votes: Votes, size: int = 1) -> Draws:
    """Everything once: the estimate itself."""
    return Draws(np.ones((size, votes.n_units), np.int32), np.ones((size, votes.n_annotators), np.int32))
