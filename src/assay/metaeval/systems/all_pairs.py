"""All pairs of systems as one family: tested at once where they are many, p adjusted for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from assay.kernels.statistics.student import NOISE
from assay.metaeval.systems.pairs import Sides

Floats = NDArray[np.float64]
Correction = Callable[[Floats], Floats]


class Family(NamedTuple):
    """The tested pairs. Systems are positions in a ranking, best first; -1 for one that is not ranked.

    The difference is left minus right, oriented so that high is good. `n_pairs` counts all pairs; untested ones count
    in the correction too, because the scores decide which are tested.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    difference: Floats
    p_values: Floats
    n_pairs: int

    def adjusted(self, correct: Correction) -> Floats:
        """P-values adjusted for all pairs."""
        untested = np.ones(self.n_pairs - len(self.p_values))
        return correct(np.concatenate([self.p_values, untested]))[: len(self.p_values)]

    def better(self, p_values: Floats, alpha: float, n_ranked: int) -> NDArray[np.bool_]:
        """Whether the system of a row is better than that of a column.

        The ranking uses all items, a test only those compared: where the two contradict, the test is ignored.
        """
        winner = np.where(self.difference > 0, self.left, self.right)
        loser = np.where(self.difference > 0, self.right, self.left)
        counts = (p_values < alpha) & (winner >= 0) & (winner < loser)
        is_better = np.zeros((n_ranked, n_ranked), bool)
        is_better[winner[counts], loser[counts]] = True
        return is_better

    def with_others(self, sides: Sides, ranked: Sequence[str], fewest: int) -> Family:
        """Add a t test of every other pair, where systems share all their items or none.

        Systems of fewer than `fewest` items are not tested.
        """
        tested = _t_of_all(sides, [sides[name].items for name in ranked], ranked, fewest)
        if tested is None:
            return self
        difference, p_values = tested
        other = np.triu(np.ones(difference.shape, bool), 1)
        other[np.minimum(self.left, self.right), np.maximum(self.left, self.right)] = False
        left, right = np.nonzero(other)
        return Family(
            np.concatenate([self.left, left]),
            np.concatenate([self.right, right]),
            np.concatenate([self.difference, difference[other]]),
            np.concatenate([self.p_values, p_values[other]]),
            self.n_pairs,
        )


def _t_of_all(
    sides: Sides, items: Sequence[NDArray[np.int64]], names: Sequence[str], fewest: int
) -> tuple[Floats, Floats] | None:
    """Differences, row minus column, and their p as `spread` and `student_p` give them, from one matrix product."""
    n = np.array(list(map(len, items)))
    if n.min(initial=fewest) < fewest:
        return None
    sign = -1.0 if sides.column.higher_is_better is False else 1.0
    scores = np.array([sign * float(sides.score(sides[name].total)[0]) for name in names])
    left_out = [sides.score(sides[name].total - sides[name].sums) for name in names]
    centered = [values - values.mean() for values in left_out]
    if all(np.array_equal(other, items[0]) for other in items[1:]):
        matrix = np.stack(centered)
        shared = (n[0] - 1) / n[0] * (matrix @ matrix.T)
        alone = np.diag(shared)
        variance = alone[:, None] + alone[None, :] - 2 * shared
        free = np.full(variance.shape, float(n[0] - 1))
    elif len(np.unique(np.concatenate(items))) == n.sum():
        alone = np.array([(len(values) - 1) / len(values) * float((values**2).sum()) for values in centered])
        variance = alone[:, None] + alone[None, :]
        per_free = alone**2 / (n - 1)
        with np.errstate(invalid="ignore"):
            free = variance**2 / (per_free[:, None] + per_free[None, :])
    else:
        return None
    difference = scores[:, None] - scores[None, :]
    scale = np.maximum(np.abs(scores)[:, None], np.abs(scores)[None, :])
    # Besides the rounding of scores there is that of a variance computed as a difference of much larger ones.
    varies = variance > np.maximum((NOISE * scale) ** 2, 1e-13 * (alone[:, None] + alone[None, :]))
    p_values = np.full(variance.shape, np.nan)
    p_values[varies] = 2 * stdtr(free[varies], -np.abs(difference[varies]) / np.sqrt(variance[varies]))
    return difference, p_values
