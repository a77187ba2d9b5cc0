"""The range of HUSE that the rules for ties leave open."""

from __future__ import annotations

import numpy as np

from assay.evaluators.huse.measure import MEASURES, Measured, Rules
from assay.kernels.points.huse import errors, random_neighbor_errors, twice_mean


def tie_ranges(measured: Measured, rules: Rules) -> dict[str, tuple[float, float]]:
    """Return the lowest and highest value of each measure over the rules for ties.

    The rules: all tied neighbors vote and a tied vote goes to people, to the system or counts half; or k
    neighbors vote, drawn at random among the tied ones (the mean over all draws), with the same three.
    """
    if measured.by_quality is None or measured.with_logprob is None:
        return {name: (np.nan, np.nan) for name in MEASURES}
    found: dict[str, list[float]] = {name: [] for name in MEASURES}
    for drawn in (False, True):
        for vote_tie in ("human", "model", "half"):
            huse, huse_q = (
                twice_mean(
                    random_neighbor_errors(counted, measured.labels, rules.k, vote_tie)
                    if drawn
                    else errors(counted, measured.labels, vote_tie),
                    measured.labels,
                )
                for counted in (measured.with_logprob, measured.by_quality)
            )
            for name, value in zip(MEASURES, (huse, huse_q, 1 + huse - huse_q), strict=True):
                found[name].append(value)
    return {name: (min(values), max(values)) for name, values in found.items()}
