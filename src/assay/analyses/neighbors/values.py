"""Neighbor estimates and their studies as JSON values, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from math import isnan
from typing import Any

import numpy as np

from assay.analyses.neighbors.check import Check
from assay.analyses.neighbors.neighborhood import Agreement
from assay.analyses.neighbors.studies import CoveredAndNot, KernelRow, SizePoint
from assay.analyses.neighbors.tuning import SweepPoint
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity


def check_json(found: Check) -> dict[str, Any]:
    """The whole answer: agreement, baselines, abstentions, and every output with its neighbors."""
    return {
        **agreement_json(found.found),
        "rho_low": found.rho_interval.low,
        "rho_high": found.rho_interval.high,
        **settings_json(found.similarity, found.rule),
        "criterion": found.test.criterion or found.train.criterion,
        "scale": found.train.scale,
        "fold": found.fold,
        "n_train": len(found.train),
        "n_judged": found.n_judged,
        "n_train_dropped": found.n_shared,
        "alpha": found.alpha,
        "interval_coverage": interval_coverage(found),
        "baselines": {name: asdict(row) for name, row in found.baselines.items()},
        "same_texts": {name: asdict(row) for name, row in found.rivals.items()},
        "abstentions": abstentions(found),
        "outputs": output_rows(found),
    }


def agreement_json(found: Agreement) -> dict[str, Any]:
    """Agreement with the reason for what is undefined."""
    reason = ""
    if not found.n:
        reason = "no output has a known quality"
    elif not found.n_covered:
        reason = "no output has an estimate"
    elif isnan(found.rho):
        reason = "ranks need at least two different estimates and qualities"
    return {**asdict(found), "reason": reason}


def settings_json(similarity: Similarity, rule: Rule) -> dict[str, Any]:
    """How neighbors are found."""
    used = {"kernel": similarity.kernel, **asdict(rule)}
    if similarity.tokenizer:
        used["tokenizer"] = similarity.tokenizer
    if similarity.orders:
        used["orders"] = list(similarity.orders)
    if similarity.encoder:
        used["encoder"] = similarity.encoder
    return used


def abstentions(found: Check) -> dict[str, int]:
    """How many outputs have no estimate for each kind of reason, numbers in brackets left away."""
    counts: dict[str, int] = {}
    for reason, n in found.estimates.gaps.counts().items():
        kind = reason.partition(" (")[0]
        counts[kind] = counts.get(kind, 0) + n
    return counts


def interval_coverage(found: Check) -> float:
    """The share of known qualities inside their interval; NaN without any."""
    known = found.estimates.covered & ~np.isnan(found.test.quality)
    inside = (found.low <= found.test.quality) & (found.test.quality <= found.high)
    return float(inside[known].mean()) if known.any() else float("nan")


def output_rows(found: Check) -> list[dict[str, Any]]:
    """One record per output: the estimate with its interval, or the reason why there is none."""
    rows = []
    for row, identity in enumerate(found.test.ids):
        start, stop = found.neighbors.offsets[row : row + 2]
        order = start + np.argsort(-found.neighbors.values[start:stop], kind="stable")
        rows.append(
            {
                "id": identity,
                "estimate": float(found.estimates.values[row]),
                "low": float(found.low[row]),
                "high": float(found.high[row]),
                "quality": float(found.test.quality[row]),
                "n_neighbors": int(found.estimates.n_neighbors[row]),
                "neighbors": [
                    {
                        "id": found.train.ids[int(found.neighbors.columns[at])],
                        "similarity": float(found.neighbors.values[at]),
                        "quality": float(found.train.quality[found.neighbors.columns[at]]),
                    }
                    for at in order.tolist()
                ],
                "reason": found.estimates.gaps[row],
            }
        )
    return rows


def check_table(found: Check) -> list[list[str | float]]:
    """The estimates above their baselines: name, MSE, rho, coverage."""
    own: list[str | float] = ["neighbors", found.found.mse, found.found.rho, found.found.coverage]
    others: list[list[str | float]] = [
        [name.replace("_", " "), row.mse, row.rho, 1.0] for name, row in found.baselines.items()
    ]
    same: list[list[str | float]] = [
        [f"{name}, same texts", row.mse, float("nan"), found.found.coverage] for name, row in found.rivals.items()
    ]
    return [own, *same, *others]


def sweep_json(points: Sequence[SweepPoint]) -> list[dict[str, Any]]:
    """One record per setting."""
    return [{"varied": point.varied, **asdict(point.rule), **asdict(point.found)} for point in points]


def sizes_json(points: Sequence[SizePoint]) -> list[dict[str, Any]]:
    """One record per training size."""
    return [asdict(point) for point in points]


def matrix_json(found: Mapping[tuple[str, str], Agreement]) -> list[dict[str, Any]]:
    """One record per pair of tasks."""
    return [{"train": train, "test": test, **agreement_json(cell)} for (train, test), cell in found.items()]


def kernels_json(rows: Sequence[KernelRow]) -> list[dict[str, Any]]:
    """One record per similarity."""
    return [{**settings_json(row.similarity, row.rule), **agreement_json(row.found)} for row in rows]


def fruit_json(found: CoveredAndNot) -> dict[str, Any]:
    """Annotators on both sides."""
    return {
        "n_covered": found.n_covered,
        "n_uncovered": found.n_uncovered,
        "covered": found.covered._asdict(),
        "uncovered": found.uncovered._asdict(),
    }
