"""Outputs that distinguish a system from people, and by which feature (Hashimoto et al. 2019, Table 2, Figure 4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.huse.measure import Measured
from assay.evaluators.huse.problem import Floats


@dataclass(frozen=True, eq=False)
class Failures:
    """Positions of outputs in the problem, clearest first, and the shares they were selected by.

    Attributes:
        quality: outputs of the system identified by their judgment: most neighbors by it are the system's too.
        diversity: outputs of either side identified only by their log-probability: a text too likely under the
            system, or a human text too unlikely.
        indistinguishable: outputs of either side that are not identified: the vote is wrong or tied.
        human_share: how likely each output is human by log-probability and judgment.
        human_share_by_quality: the same by judgment alone.
    """

    quality: NDArray[np.int64]
    diversity: NDArray[np.int64]
    indistinguishable: NDArray[np.int64]
    human_share: Floats
    human_share_by_quality: Floats


def failures(measured: Measured) -> Failures:
    """Sort the outputs of a measured problem into the three lists; an output may be in none."""
    human = measured.problem.human
    share, by_quality = measured.human_shares()
    # The share of neighbors that vote for the true class; one half is a tie.
    right, right_by_quality = np.where(human, share, 1 - share), np.where(human, by_quality, 1 - by_quality)
    gained = right - right_by_quality
    return Failures(
        quality=_ordered(~human & (right_by_quality > 0.5), -right_by_quality),
        diversity=_ordered((right_by_quality <= 0.5) & (right > 0.5), -gained),
        indistinguishable=_ordered(right <= 0.5, np.abs(share - 0.5)),
        human_share=share,
        human_share_by_quality=by_quality,
    )


def _ordered(chosen: NDArray[np.bool_], key: Floats) -> NDArray[np.int64]:
    rows = np.flatnonzero(chosen)
    return rows[np.argsort(key[rows], kind="stable")]
