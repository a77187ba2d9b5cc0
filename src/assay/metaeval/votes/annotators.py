"""The judgments behind a target column, so that annotators, too, can be resampled.

A score table holds the mean over annotators; drawing annotators anew needs who said what about which unit. That
comes with a data set and never with a bare table of scores.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError
from assay.grammar import parse_call
from assay.records import JUDGED, Dataset
from assay.scores import ScoreTable
from assay.text.strings import Strings


@dataclass(frozen=True, eq=False)
class Ratings:
    """One row per judgment: the unit's row in the score table, the annotator's number, the answer as a number."""

    unit: NDArray[np.int64]
    annotator: NDArray[np.int64]
    value: NDArray[np.float64]
    n_annotators: int

    def means(self, counts: NDArray[Any], n_units: int) -> NDArray[np.float64]:
        """The mean per unit when annotator a counts counts[b, a] times: (B, n_units), NaN where nobody is left."""
        means = np.full((len(counts), n_units), np.nan)
        for b, count in enumerate(counts):
            weight = count[self.annotator].astype(np.float64)
            total = np.bincount(self.unit, weights=weight, minlength=n_units)
            sums = np.bincount(self.unit, weights=weight * self.value, minlength=n_units)
            np.divide(sums, total, out=means[b], where=total > 0)
        return means


def ratings_of(dataset: Dataset, table: ScoreTable, target: str) -> Ratings:
    """Find the judgments that the human column `target` is the mean of."""
    call = parse_call(table[target].signature or target)
    if call.name != "human" or call.kwargs.get("aggregate", "mean") not in ("mean", "share"):
        raise AssayError(
            f"annotators can be resampled when the target is human(criterion=...) with aggregate 'mean' or 'share', "
            f"not {target!r}."
        )
    if table.kind not in JUDGED:
        raise AssayError(f"annotators can be resampled for {', '.join(JUDGED)} scores, not for {table.kind} scores.")
    criterion = str(call.kwargs.get("criterion", call.args[0] if call.args else ""))
    judgments = dataset.judgments.about(table.kind).of(criterion)
    ids = {"output": dataset.outputs.id, "set": dataset.sets.id, "system": dataset.systems.id}[table.kind]
    unit = _positions(ids.take(judgments.unit), table.unit)
    value = judgments.value
    if call.kwargs.get("aggregate") == "share":
        of = call.kwargs.get("of", 1.0)
        assert isinstance(of, int | float | str)
        value = judgments.gives(dataset.criterion(criterion).answer(of)).astype(np.float64)
    kept = (unit >= 0) & ~np.isnan(value)
    if not kept.any():
        raise AssayError(
            f"annotators cannot be resampled here: nobody judged {criterion!r} of a {table.kind}. "
            "Ask at the level of the units that were judged."
        )
    _, annotator = np.unique(judgments.annotator[kept], return_inverse=True)
    n_annotators = int(annotator.max(initial=-1)) + 1
    return Ratings(unit[kept], annotator.astype(np.int64), value[kept], n_annotators)


def _positions(wanted: Strings, known: Strings) -> NDArray[np.int64]:
    """Where each wanted id stands among the known ones, -1 where it does not."""
    codes = Strings.concatenate([known, wanted]).factorize()[0].astype(np.int64)
    position = np.full(len(codes), -1, np.int64)
    position[codes[: len(known)]] = np.arange(len(known))
    return position[codes[len(known) :]]
