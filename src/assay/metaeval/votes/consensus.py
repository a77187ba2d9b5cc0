"""Consensus labels: the majority, and Dawid and Skene's model of annotator errors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, stdtrit

from assay.kernels.bytes.intern import intern
from assay.kernels.ragged import running_offsets
from assay.kernels.votes.dawid_skene import dawid_skene
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling
from assay.metaeval.votes.vote_draws import Draws, Resampled, few_clusters, fewest_drawn, resample
from assay.metaeval.votes.votes import Votes

MOST_CATEGORIES = 20
MOST_RESAMPLES = 100
"""Each resample refits the model, starting from the full fit."""

MANY_ANNOTATORS = 1000
"""From so many annotators on, votes must outnumber the parameters of the model, or it could explain any vote."""

MOST_STEPS = 10**9
"""Budget of all refits: votes times categories times steps; none where fewer than `FEWEST_REFITS` fit in."""

FEWEST_REFITS, MOST_ITERATIONS = 30, 50

RESAMPLED_TOLERANCE = 1e-3
"""Posteriors of a resample need no more digits than the interval has."""


@dataclass(frozen=True, eq=False)
class Consensus:
    """The likeliest answer for each unit; empty with a reason where the model does not apply."""

    units: tuple[str, ...]
    labels: tuple[str, ...]
    probability: NDArray[np.float64]
    majority: tuple[str, ...]
    prevalence: dict[str, Estimate]
    accuracy: NDArray[np.float64]
    n_iterations: int
    converged: bool
    reason: str = ""

    def rows(self) -> list[dict[str, Any]]:
        """One row per unit: the model's label with its probability, and the majority (empty when tied)."""
        return [
            {"unit": unit, "label": label, "probability": float(probability), "majority": majority}
            for unit, label, probability, majority in zip(
                self.units, self.labels, self.probability, self.majority, strict=True
            )
        ]


def consensus(votes: Votes, resampling: Resampling) -> Consensus:
    """Fit the model, with intervals of category shares from at most 100 resamples.

    Units with the same votes from the same annotators are merged into one weighted unit.
    """
    reason = _why_not(votes)
    if reason:
        return _nothing(votes, reason)
    alike, rows = _alike(votes)
    cast = alike[votes.unit[rows]], votes.annotator[rows], votes.category[rows]
    shape = (int(alike.max()) + 1, votes.n_annotators, votes.n_categories)
    fitted = dawid_skene(*cast, shape, weights=np.bincount(alike).astype(np.float64))
    posterior = fitted.posterior[alike]

    def prevalence(draws: Draws) -> NDArray[np.float64]:
        shares = []
        for weights, copies in zip(draws.units, draws.annotators, strict=True):
            # A vote counts as often as its annotator was drawn; a unit that lost all votes keeps its prior.
            refitted = dawid_skene(
                *cast,
                shape,
                weights=np.bincount(alike, weights, shape[0]).astype(np.float64),
                copies=copies.astype(np.float64),
                start=fitted.posterior,
                tolerance=RESAMPLED_TOLERANCE,
                max_iterations=MOST_ITERATIONS,
            )
            shares.append(refitted.prior)
        return np.array(shares)

    steps = len(rows) * votes.n_categories * min(fitted.n_iterations, MOST_ITERATIONS)
    n_refits = min(resampling.resamples, MOST_RESAMPLES, MOST_STEPS // max(steps, 1))
    why = few_clusters(votes, resampling)
    if n_refits < min(resampling.resamples, FEWEST_REFITS):
        n_refits, why = 0, "so many votes: the model is fitted once, without an interval"
    few = replace(resampling, resamples=n_refits, interval="percentile")
    shares = replace(resample(votes, few, prevalence), value=fitted.prior)
    best = posterior.argmax(axis=1)
    counts = votes.counts()[0]
    top = counts.max(axis=1)
    tied = (counts == top[:, None]).sum(axis=1) > 1
    majority = [
        "" if is_tie else votes.category_names[winner]
        for is_tie, winner in zip(tied, counts.argmax(axis=1), strict=True)
    ]
    diagonal = np.diagonal(fitted.confusion, axis1=1, axis2=2)
    return Consensus(
        units=tuple(votes.unit_names),
        labels=tuple(votes.category_names[category] for category in best),
        probability=posterior.max(axis=1),
        majority=tuple(majority),
        prevalence={name: _share(k, shares, votes, resampling, why) for k, name in enumerate(votes.category_names)},
        accuracy=(diagonal * fitted.prior).sum(axis=1),
        n_iterations=fitted.n_iterations,
        converged=fitted.converged,
    )


def _share(k: int, shares: Resampled, votes: Votes, resampling: Resampling, why: str) -> Estimate:
    """The share of a category; by default Student's t on the log-odds, with the standard error of the resamples.

    There are too few refits for percentiles, and those of few items are too narrow.
    """
    about: dict[str, Any] = {"n_resamples": len(shares.draws)}
    value, draws = float(shares.value[k]), shares.draws[:, k]
    if why or resampling.interval != "t" or len(draws) < 2:
        return shares.estimate((k,), votes.n_units, "", no_interval=why, **about)
    if not (0.0 < value < 1.0 and draws.min() > 0.0 and draws.max() < 1.0):
        return Estimate(value, np.nan, np.nan, votes.n_units, "resamples lose this answer: no interval", about)
    n = fewest_drawn(votes, resampling)
    half = stdtrit(n - 1, 0.5 + resampling.confidence / 2.0) * logit(draws).std(ddof=1) * np.sqrt(n / (n - 1))
    low, high = expit(logit(value) - half), expit(logit(value) + half)
    return Estimate(value, float(low), float(high), votes.n_units, "", about)


def _alike(votes: Votes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number units by their votes, equal votes alike; and the rows of the first unit of each number."""
    order = np.lexsort((votes.annotator, votes.unit))
    keys = votes.annotator[order] * votes.n_categories + votes.category[order]
    codes, first = intern(keys.view(np.uint8), running_offsets(votes.per_unit) * keys.itemsize)
    return codes.astype(np.int64), order[np.isin(votes.unit[order], first)]


def _why_not(votes: Votes) -> str:
    if votes.nothing_to_compare:
        return votes.nothing_to_compare
    if votes.n_categories > MOST_CATEGORIES:
        return f"{votes.n_categories} different answers: the model is for at most {MOST_CATEGORIES} categories"
    n_parameters = votes.n_annotators * votes.n_categories * (votes.n_categories - 1)
    if votes.n_annotators > MANY_ANNOTATORS and n_parameters > len(votes):
        return (
            f"{votes.n_annotators:,} annotators gave {len(votes):,} votes, for which the model has "
            f"{n_parameters:,} parameters"
        )
    return ""


def _nothing(votes: Votes, reason: str) -> Consensus:
    unknown = np.full(votes.n_annotators, np.nan)
    return Consensus((), (), np.zeros(0), (), {}, unknown, 0, False, reason)
