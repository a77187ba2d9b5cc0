"""The range of HUSE over tie-breaking rules."""

from __future__ import annotations

import numpy as np

from assay.evaluators.huse.measure import MEASURES, Measured
from assay.kernels.points.huse import errors, random_neighbor_errors, twice_mean


def tie_ranges(measured: Measured) -> dict[str, tuple[float, float]]:
    """The lowest and highest value of each measure over the tie-breaking rules.

    Either all tied neighbors vote, or k of them at random (the mean over all draws); a tied vote goes to people, to
    the system, or counts half.
    """
    both, quality = measured.both.neighbors, measured.quality.neighbors
    if both is None or quality is None:
        return {name: (np.nan, np.nan) for name in MEASURES}
    human, k = measured.problem.human, measured.rules.k
    values: dict[str, list[float]] = {name: [] for name in MEASURES}
    for drawn in (False, True):
        for vote_tie in ("human", "model", "half"):
            huse, huse_q = (
                twice_mean(
                    random_neighbor_errors(counted, human, k, vote_tie) if drawn else errors(counted, human, vote_tie),
                    human,
                )
                for counted in (both, quality)
            )
            for name, value in zip(MEASURES, (huse, huse_q, 1 + huse - huse_q), strict=True):
                values[name].append(value)
    return {name: (min(each), max(each)) for name, each in values.items()}
