"""Simulated preferences with a known truth: annotators have a taste for systems, items are easy for some of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from assay.kernels.votes.bradley_terry import bradley_terry
from assay.metaeval.votes.pair_judgments import Comparisons

TIE = 0.5


@dataclass(frozen=True)
class Judges:
    """Each annotator compares two systems, drawn at random, on half of the items.

    `apart` is how far the first system is ahead of all others, on the scale of one annotator and one item.
    """

    annotators: int
    items: int
    systems: int
    taste: float
    difficulty: float
    apart: float = 0.0

    @property
    def name(self) -> str:
        """The world in words."""
        tastes = "annotators with tastes" if self.taste else "annotators alike"
        return f"{'one better system' if self.apart else 'equal systems'}, {tastes}, items differ"

    @property
    def sizes(self) -> str:
        """What is in it."""
        return f"{self.annotators} annotators, {self.items} items, {self.systems} systems"

    def compared(self, rng: np.random.Generator) -> Comparisons:
        """One study."""
        strength = np.zeros(self.systems)
        strength[0] = self.apart
        liked = self.taste * rng.normal(size=(self.annotators, self.systems))
        easy = self.difficulty * rng.normal(size=(self.items, self.systems))
        annotator, item = np.nonzero(rng.random((self.annotators, self.items)) < 0.5)
        left = rng.integers(0, self.systems, len(item))
        right = (left + rng.integers(1, self.systems, len(item))) % self.systems

        def merit(system: np.ndarray) -> np.ndarray:
            return np.asarray(strength[system] + liked[annotator, system] + easy[item, system])

        gap = (merit(left) - merit(right)) / 2.0
        total = np.exp(gap) + np.exp(-gap) + TIE
        drawn = rng.random(len(item)) * total
        outcome = np.where(drawn < np.exp(gap), 1, np.where(drawn < np.exp(gap) + TIE, 0, -1))
        names = [f"s{k}" for k in range(self.systems)]
        who, about = (np.unique(codes, return_inverse=True)[1] for codes in (annotator, item))
        return Comparisons("better", names, left, right, outcome, about, who, np.full(len(outcome), np.nan), 0)


@cache
def true_difference(world: Judges) -> float:
    """How far the first system is ahead of the second for very many annotators and items."""
    many = replace(world, annotators=700, items=700).compared(np.random.default_rng(99))
    fitted = bradley_terry(*many.counts(np.ones(len(many.outcome))))
    return float(fitted.strengths[0] - fitted.strengths[1:].mean())
