"""The judgments behind a target column, so that annotators can be resampled too.

A score table holds means over annotators; resampling annotators needs the single judgments, which only a data set has.
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
    """One row per judgment: the row of the unit in the score table, the annotator and the answer, as numbers."""

    unit: NDArray[np.int64]
    annotator: NDArray[np.int64]
    value: NDArray[np.float64]
    n_annotators: int

    def means(self, counts: NDArray[Any], n_units: int) -> NDArray[np.float64]:
        """Mean per unit when annotator a counts counts[b, a] times: (B, n_units), NaN where no annotator is left."""
        means = np.full((len(counts), n_units), np.nan)
        for b, count in enumerate(counts):
            weight = count[self.annotator].astype(np.float64)
            total = np.bincount(self.unit, weights=weight, minlength=n_units)
            sums = np.bincount(self.unit, weights=weight * self.value, minlength=n_units)
            np.divide(sums, total, out=means[b], where=total > 0)
        return means


def ratings_of(dataset: Dataset, table: ScoreTable, target: str) -> Ratings:
    """The judgments that the human column `target` averages."""
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
    ids = dataset.ids(table.kind)
    unit = _positions(ids.take(judgments.unit), table.unit)
    value = judgments.value
    if call.kwargs.get("aggregate") == "share":
        of = call.kwargs.get("of", 1.0)
        assert isinstance(of, int | float | str)
        value = judgments.gives(dataset.criterion(criterion).answer(of)).astype(np.float64)
    usable = (unit >= 0) & ~np.isnan(value)
    if not usable.any():
        raise AssayError(
            f"annotators cannot be resampled here: nobody judged {criterion!r} of a {table.kind}. "
            "Ask at the level of the units that were judged."
        )
    names, annotator = np.unique(judgments.annotator[usable], return_inverse=True)
    return Ratings(unit[usable], annotator.astype(np.int64), value[usable], len(names))


def _positions(ids: Strings, among: Strings) -> NDArray[np.int64]:
    """The position of each id in `among`, -1 where it is absent."""
    codes = Strings.concatenate([among, ids]).factorize()[0].astype(np.int64)
    position = np.full(len(codes), -1, np.int64)
    position[codes[: len(among)]] = np.arange(len(among))
    return position[codes[len(among) :]]
