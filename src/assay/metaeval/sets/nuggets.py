"""Form-neutral subsets: labeled sets on which a metric of form is uninformative (Tevet and Berant 2021).

Sets are sorted by the form metric and cut into groups; each group keeps equally many sets of both classes. Within a
group the form is alike, so what still separates the classes is content.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.statistics.balance import balanced_rows
from assay.kernels.statistics.correlation import spearman


@dataclass(frozen=True)
class Nuggets:
    """The selected rows, ascending, and the form metric's rho with the label before and after."""

    rows: NDArray[np.int64]
    n_before: int
    rho_before: float
    rho_after: float


def nuggets(
    form: NDArray[np.float64],
    label: NDArray[np.float64],
    *,
    group_size: int = 40,
    decimals: int | None = 3,
    seed: int = 0,
) -> Nuggets:
    """Choose a subset in which `form` says nothing about a binary label.

    Sets are sorted stably by the form metric, rounded to `decimals` as the published columns are. Sets to keep from a
    group's larger class are drawn at random. Sets without a score or label are left out.
    """
    kinds = np.unique(label[~np.isnan(label)])
    if len(kinds) != 2:
        raise DataError(f"nuggets need a label of two kinds, and this one has {len(kinds)}.")
    if group_size < 2:
        raise DataError(f"a group holds at least 2 sets, not {group_size}.")
    rng = np.random.default_rng(seed)
    complete = np.flatnonzero(~np.isnan(form) & ~np.isnan(label))
    values = form[complete] if decimals is None else np.round(form[complete], decimals)
    rows = complete[balanced_rows(values, label[complete] == kinds[1], group_size, rng)]
    return Nuggets(rows, len(complete), spearman(form[complete], label[complete]), spearman(form[rows], label[rows]))
