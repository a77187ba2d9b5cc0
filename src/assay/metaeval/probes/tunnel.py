"""The wind tunnel: texts damaged on purpose, and how often an evaluator prefers the damaged one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import nan
from random import Random
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.metaeval.probes.bounded import BoundedMean, bounded_mean
from assay.records import Dataset
from assay.records.unflat import flat_records
from assay.text.perturbations import PERTURBATIONS, Perturbation, Source, entities_in

Verdict = Literal["notices", "fooled", "blind", "unclear", "steady", "reacts"]
BLIND = 0.95
"""The share of ties from which an evaluator does not see a change at all."""
LEAST_TEXTS = 10
MARK = "#probe:"


@dataclass(frozen=True, eq=False)
class Tunnel:
    """A dataset with damaged copies: `pairs[name]` holds the rows of the texts and of their damaged copies."""

    dataset: Dataset
    pairs: dict[str, NDArray[np.int64]]


@dataclass(frozen=True)
class Gust:
    """One evaluator under one perturbation. Shares of texts whose damaged copy scores better, the same, worse.

    `margin` is the share of better minus that of worse, and `p_adjusted` its p-value against 0, for all probes at once.
    """

    evaluator: str
    perturbation: Perturbation
    better: float
    same: float
    worse: float
    margin: BoundedMean
    n_missing: int
    p_adjusted: float = nan

    def verdict(self, alpha: float) -> Verdict:
        """What the margin says, once all tests are accounted for."""
        significant = self.p_adjusted <= alpha
        if self.perturbation.expected == "same":
            return "reacts" if significant else "steady"
        if significant and self.margin.value > 0:
            return "fooled"
        if significant and self.margin.value < 0:
            return "notices"
        if self.perturbation.expected == "no better":
            return "steady"
        return "blind" if self.same >= BLIND else "unclear"


def tunnel_of(dataset: Dataset, names: Sequence[str], n_texts: int, seed: int) -> Tunnel:
    """Damage a sample of texts in every way that applies. Copies have no judgments, and belong to the same item."""
    rng = np.random.default_rng(seed)
    filled = np.flatnonzero(dataset.outputs.text.lengths > 0)
    if not len(filled):
        raise DataError("there is no text to damage.")
    chosen = np.sort(rng.choice(filled, min(n_texts, len(filled)), replace=False))
    entities = sorted({name for row in chosen for name in entities_in(dataset.outputs.text[int(row)])})
    records = list(flat_records(dataset))
    copies: list[dict[str, Any]] = []
    places: dict[str, list[tuple[int, int]]] = {}
    for one in PERTURBATIONS:
        if one.name not in names:
            continue
        for row in chosen.tolist():
            output = dataset.output(row)
            source = Source(output.item.context, entities)
            damaged = one.damage(output.text, source, Random(f"{seed}/{one.name}/{output.id}"))
            if damaged is not None and damaged != output.text:
                places.setdefault(one.name, []).append((row, len(records) + len(copies)))
                kept = {key: value for key, value in records[row].items() if key not in OWN}
                copies.append(kept | {"id": f"{output.id}{MARK}{one.name}", "text": damaged})
    pairs = {name: np.array(rows, np.int64) for name, rows in places.items()}
    return Tunnel(Dataset.from_records([*records, *copies]), pairs)


OWN = ("judgments", "logprob", "logprobs", "n_tokens", "set_columns", "criteria")
"""What is true of a text alone, and not of its damaged copy, or stands on one line of many."""


def gusts(tunnel: Tunnel, columns: Mapping[str, NDArray[np.float64]]) -> list[Gust]:
    """Compare the scores of texts and damaged copies, higher being better, for every column and perturbation."""
    item = tunnel.dataset.outputs.item
    results = []
    for name, scores in columns.items():
        for one in PERTURBATIONS:
            rows = tunnel.pairs.get(one.name)
            if rows is None:
                continue
            change = scores[rows[:, 1]] - scores[rows[:, 0]]
            known = ~np.isnan(change)
            change, cluster = change[known], item[rows[known, 0]]
            if len(change) < LEAST_TEXTS:
                continue
            better, same, worse = (float((np.sign(change) == sign).mean()) for sign in (1, 0, -1))
            margin = bounded_mean(np.sign(change), cluster, -1.0, 1.0)
            results.append(Gust(name, one, better, same, worse, margin, int(np.count_nonzero(~known))))
    return results
