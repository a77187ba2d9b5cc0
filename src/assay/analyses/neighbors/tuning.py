"""Choosing tau, a and b: the highest rho that still covers enough (Ethayarajh & Sadigh 2020)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import isnan

import numpy as np
from numpy.typing import NDArray

from assay.analyses.neighbors.neighborhood import EstimateAgreement, Fold, Neighborhood, agreement
from assay.errors import EvaluatorError
from assay.evaluators.neighbors.rule import Rule

TAUS = tuple(np.round([*np.arange(0.02, 0.41, 0.02), *np.arange(0.45, 1.0, 0.05)], 2).tolist())
MIN_NEIGHBORS = (1, 2, 3, 5, 8, 12, 20, 30, 50, 80)
MAX_FRACTIONS = tuple(np.round(np.arange(0.05, 1.01, 0.05), 2).tolist())


@dataclass(frozen=True)
class SweepPoint:
    """One setting and what it gives; `varied` says which of tau, min_neighbors and max_fraction was changed."""

    varied: str
    rule: Rule
    agreement: EstimateAgreement


def tune(
    near: Neighborhood,
    rule: Rule,
    *,
    taus: Sequence[float] = TAUS,
    min_neighbors: Sequence[int] = MIN_NEIGHBORS,
    max_fractions: Sequence[float] = MAX_FRACTIONS,
    min_coverage: float = 0.4,
    fold: Fold = "output",
    within: NDArray[np.bool_] | None = None,
) -> SweepPoint:
    """The setting with the highest rho among all combinations that cover enough; all else is as in `rule`.

    Equal rho: the larger coverage, then the smaller MSE. `within` marks the texts to choose by; others are
    neither estimated nor neighbors. The rho found is too high for other texts: see `tuned_apart`.
    """
    chosen = np.ones(len(near.test), bool) if within is None else within
    bank = within if near.test is near.train else None
    best: SweepPoint | None = None
    for tau in taus:
        counted = near.counted(replace(rule, tau=tau), fold=fold, bank=bank)
        seen: set[bytes] = set()
        for a, b in product(min_neighbors, max_fractions):
            tried = replace(rule, tau=tau, min_neighbors=a, max_fraction=b)
            allowed = counted.allowed(tried) & chosen
            # Many a and b cover the very same texts; the first of them stands for all.
            if allowed.sum() < min_coverage * chosen.sum() or allowed.tobytes() in seen:
                continue
            seen.add(allowed.tobytes())
            estimates = np.where(allowed, counted.means, np.nan)[chosen]
            point = SweepPoint("all", tried, agreement(estimates, near.test.quality[chosen]))
            if not isnan(point.agreement.rho) and (best is None or _merit(point) > _merit(best)):
                best = point
    if best is None:
        raise EvaluatorError(
            f"no setting of tau, a and b covers {min_coverage:.0%} of the texts. Ask for less coverage, or take "
            "another kernel or tokenizer."
        )
    return best


def tuned_apart(
    near: Neighborhood,
    rule: Rule,
    *,
    min_coverage: float = 0.4,
    fold: Fold = "output",
    n_folds: int = 10,
    seed: int = 0,
) -> NDArray[np.float64]:
    """Estimate each tenth of the texts with the setting chosen on the others: what tuning is worth on new texts."""
    n = len(near.test)
    part = np.random.default_rng(seed).permutation(n) % min(n_folds, n)
    estimates = np.full(n, np.nan)
    for number in range(min(n_folds, n)):
        others = part != number
        best = tune(near, rule, min_coverage=min_coverage, fold=fold, within=others).rule
        bank = others if near.test is near.train else None
        estimates[~others] = near.estimate(best, fold=fold, bank=bank).values[~others]
    return estimates


def _merit(point: SweepPoint) -> tuple[float, float, float]:
    return point.agreement.rho, point.agreement.coverage, -point.agreement.mse
