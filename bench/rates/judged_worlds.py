"""Simulated ratings with a known truth: items, outputs of an item and annotators each have an effect of their own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.agreement import AgreementOptions, agreement_statistics
from assay.metaeval.votes.votes import Votes

ITEM, OUTPUT, ANNOTATOR, NOISE = 1.0, 0.5, 0.4, 1.0
"""Standard deviations of what an item, an output, an annotator and a single vote add to a rating."""


@dataclass(frozen=True)
class Panel:
    """So many annotators rate every output of so many items, in categories cut from a normal scale.

    `rare` moves the cuts, in standard deviations: at 1 the upper one of two categories is given one time in six.
    """

    items: int
    outputs: int
    annotators: int
    categories: int
    rare: float = 0.0
    noise: float = NOISE

    def effects(self) -> NDArray[np.float64]:
        """Annotators' effects: the quantiles of a normal distribution, so that the truth is one number."""
        return ANNOTATOR * np.asarray(ndtri((np.arange(self.annotators) + 0.5) / self.annotators))

    def ratings(self, rng: np.random.Generator, effects: NDArray[np.float64], items: int = 0) -> NDArray[np.int64]:
        """Categories (items * outputs, annotators), the outputs of an item next to each other."""
        n_items = items or self.items
        quality = np.repeat(ITEM * rng.normal(size=n_items), self.outputs)
        quality += OUTPUT * rng.normal(size=len(quality))
        felt = quality[:, None] + effects + self.noise * rng.normal(size=(len(quality), len(effects)))
        spread = np.sqrt(ITEM**2 + OUTPUT**2 + self.noise**2)
        cuts = spread * (ndtri(np.arange(1, self.categories) / self.categories) + self.rare)
        return np.searchsorted(cuts, felt)


def votes_from(ratings: NDArray[np.int64], outputs: int, mask: NDArray[np.bool_] | None = None) -> Votes:
    """Ratings (units, annotators) as votes; `mask` says who rated what."""
    unit, annotator = np.nonzero(np.ones(ratings.shape, np.bool_) if mask is None else mask)
    names, category = np.unique(ratings[unit, annotator], return_inverse=True)
    n_units, n_annotators = ratings.shape
    return Votes(
        criterion="quality",
        unit=unit,
        annotator=annotator,
        category=category.astype(np.int64),
        seconds=np.full(len(unit), np.nan),
        unit_names=[f"u{k}" for k in range(n_units)],
        annotator_names=[f"a{k}" for k in range(n_annotators)],
        category_names=[str(name) for name in names],
        values=names.astype(np.float64),
        numeric=True,
        item=np.arange(n_units) // outputs,
    )


@cache
def true_agreement(world: Panel, options: AgreementOptions, items: int = 20_000) -> dict[str, float]:
    """Each statistic of this panel on very many items."""
    ratings = world.ratings(np.random.default_rng(99), world.effects(), items)
    estimates = agreement_statistics(votes_from(ratings, world.outputs), options, Resampling(0, ("items",), "t"))
    return {name: estimate.value for name, estimate in estimates.items()}
