"""Simulated systems with a known truth: items, systems within items, outputs and annotators each have an effect."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.kernels.overlap.bleu import sacrebleu_scores
from assay.scores import Column, Gaps, ScoreTable
from assay.text.strings import Strings

Floats = NDArray[np.float64]
Scale = Callable[[Floats, np.random.Generator], Floats]
ITEM, WITHIN, OUTPUT, VOTE = 1.0, 0.5, 0.7, 0.7
"""Standard deviations of what an item, a system on an item, an output and a single vote add."""
SEVERITY = (-0.5, 0.0, 0.5)
"""What each of three annotators adds to every vote."""
MANY_ITEMS = 100_000


def normal(quality: Floats, rng: np.random.Generator) -> Floats:
    """Scores without ends."""
    return quality


def rated(quality: Floats, rng: np.random.Generator) -> Floats:
    """The mean of three annotators' ratings from 1 to 5, one of them strict and one of them mild."""
    votes = quality[..., None] + np.array(SEVERITY) + VOTE * rng.normal(size=(*quality.shape, 3))
    return np.asarray(np.clip(np.round(3.5 + votes), 1, 5).sum(axis=-1) / 3)


def right_or_wrong(quality: Floats, rng: np.random.Generator) -> Floats:
    """0 or 1."""
    return (quality > 0).astype(np.float64)


def skewed(quality: Floats, rng: np.random.Generator) -> Floats:
    """Scores from 0 to 100 of which many are 0 and few are high, as BLEU of sentences."""
    return np.asarray(100 * np.clip(np.exp(0.6 * quality - 2) - 0.08, 0, 1))


@dataclass(frozen=True)
class World:
    """Systems of so much quality each, on so many items with so many outputs each."""

    quality: Sequence[float]
    items: int
    outputs: int = 1
    scale: Scale = normal
    spread: Sequence[float] = ()
    """How strongly the outputs of each system differ; by default alike."""

    def scores(self, rng: np.random.Generator, items: int = 0) -> Floats:
        """Scores (items, systems, outputs)."""
        shape = (items or self.items, len(self.quality), self.outputs)
        outputs = np.array(self.spread or [OUTPUT] * len(self.quality))[:, None] * rng.normal(size=shape)
        within = WITHIN * rng.normal(size=(*shape[:2], 1))
        quality = np.array(self.quality)[:, None] + ITEM * rng.normal(size=(shape[0], 1, 1)) + within + outputs
        return self.scale(quality, rng)

    def table(self, rng: np.random.Generator, *, shared: bool = True) -> ScoreTable:
        """A table of scores, of the same items for all systems or of items of their own."""
        scores = self.scores(rng)
        if not shared:
            scores = np.stack([self.scores(rng)[:, number] for number in range(len(self.quality))], axis=1)
        return table_of(scores.reshape(-1), *_where(scores.shape, shared))


@cache
def truth(world: World) -> tuple[float, ...]:
    """The scores of the systems on very many items; systems that are alike have the same."""
    means = world.scores(np.random.default_rng(1), MANY_ITEMS).mean(axis=(0, 2)).tolist()
    kinds = list(zip(world.quality, world.spread or [OUTPUT] * len(means), strict=True))
    return tuple(means[kinds.index(kind)] for kind in kinds)


def corpus_table(rng: np.random.Generator, items: int, shift: float, outputs: int = 1) -> ScoreTable:
    """Two systems with the statistics of BLEU, the left one better by `shift`."""
    counts = _counts(rng, items, shift, outputs)
    flat = counts.reshape(-1, counts.shape[-1])
    table = table_of(_bleu(flat), *_where(counts.shape[:3], True))
    column = replace(table["score"], statistics=flat, finish=_bleu)
    return replace(table, columns={"score": column})


@cache
def corpus_truth(shift: float) -> float:
    """The difference of BLEU on a very large corpus."""
    if shift == 0:
        return 0.0
    left, right = _bleu(_counts(np.random.default_rng(1), MANY_ITEMS, shift, 1).sum(axis=(0, 2)))
    return float(left - right)


def _bleu(counts: Floats) -> Floats:
    return sacrebleu_scores(counts, "exp", 0.0, effective=False)


def _counts(rng: np.random.Generator, items: int, shift: float, outputs: int) -> Floats:
    shape = (items, 2, outputs)
    logit = -0.2 + 0.6 * rng.normal(size=(items, 1, 1)) + 0.3 * rng.normal(size=(items, 2, 1))
    logit = logit + 0.4 * rng.normal(size=shape) + shift * np.array([1, 0])[:, None]
    share = 1 / (1 + np.exp(-logit))
    reference = np.broadcast_to(rng.integers(6, 25, size=(items, 1, 1)), shape)
    candidate = np.maximum(4, reference + rng.integers(-2, 3, size=shape))
    matches = [rng.binomial(candidate, share)]
    for order in (1, 2, 3):
        matches.append(np.minimum(rng.binomial(matches[-1], 0.35 + 0.4 * share), candidate - order))
    totals = [candidate - order for order in range(4)]
    return np.stack([*matches, *totals, candidate, reference], axis=-1).astype(np.float64)


def table_of(scores: Floats, items: Sequence[str], systems: Sequence[str]) -> ScoreTable:
    """A table of outputs with one column `score`."""
    n = len(scores)
    units = Strings.of([str(number) for number in range(n)])
    column = Column("score", scores, Gaps.none(n))
    return ScoreTable("output", units, Strings.of(items), Strings.of(systems), {"score": column})


def _where(shape: Sequence[int], shared: bool) -> tuple[list[str], list[str]]:
    item, system, _ = (code.ravel().tolist() for code in np.indices(tuple(shape)))
    names = [f"s{number}" for number in system]
    return [f"i{one}" if shared else f"i{one}{name}" for one, name in zip(item, names, strict=True)], names
