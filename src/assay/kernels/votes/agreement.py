"""Agreement of many annotators on many units, from vote counts.

Fleiss (1971), Krippendorff (2011, "Computing Krippendorff's alpha-reliability"), percent agreement.
Each function takes the table `counts[unit, category]` and one row of unit weights per resample, and returns one number
per row: a weight of 2 means the unit was drawn twice, a row of ones is the point estimate.

`self_pairs[unit]` is the number of ordered pairs of votes by the same annotator. Without copies it equals the number of
votes. When annotators are resampled, an annotator drawn three times casts three equal votes and nine such pairs, which
are excluded: a copy that agrees with itself says nothing about agreement.

Units with fewer than two annotators are always left out.
"""

from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit
from assay.kernels.statistics.interleave import WIDTH, interleave
from assay.kernels.statistics.weighted import weighted_sums

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Scale = Literal["nominal", "ordinal", "interval", "ratio"]


def vote_counts(
    units: Integers, annotators: Integers, categories: Integers, shape: tuple[int, int], copies: Integers
) -> tuple[Integers, Integers]:
    """Count votes by unit and category, and self-pairs by unit; annotator a was drawn `copies[a]` times."""
    n_units, n_categories = shape
    n_votes = copies[annotators].astype(np.float64)
    cells = np.bincount(units * n_categories + categories, weights=n_votes, minlength=n_units * n_categories)
    self_pairs = np.bincount(units, weights=n_votes * n_votes, minlength=n_units)
    return cells.astype(np.int64).reshape(shape), self_pairs.astype(np.int64)


def percent_agreement(counts: Integers, self_pairs: Integers, weights: NDArray[Any]) -> Floats:
    """Mean over units of the share of agreeing pairs of annotators; NaN when no unit has a pair."""
    agreement, pairs = _agreeing_pairs(counts, self_pairs)
    used = pairs > 0
    unit_weights = _columns(weights, used)
    with np.errstate(invalid="ignore", divide="ignore"):
        return _array(weighted_sums(unit_weights, agreement[used, None])[:, 0] / unit_weights.sum(axis=1))


def fleiss_kappa(counts: Integers, self_pairs: Integers, weights: NDArray[Any]) -> Floats:
    """Fleiss' kappa = (P - Pe) / (1 - Pe); NaN when only one category was used.

    P is the mean over units of the share of agreeing pairs, Pe the sum of squared shares of the categories
    among all votes. With unequal numbers of votes, each unit counts once in P and each vote once in Pe
    (Fleiss, Levin & Paik 2003, section 18.3); with equal numbers this is Fleiss (1971).
    """
    agreement, pairs = _agreeing_pairs(counts, self_pairs)
    used = pairs > 0
    unit_weights = _columns(weights, used)
    votes = weighted_sums(unit_weights, counts[used].astype(np.float64))
    with np.errstate(invalid="ignore", divide="ignore"):
        observed = weighted_sums(unit_weights, agreement[used, None])[:, 0] / unit_weights.sum(axis=1)
        shares = votes / votes.sum(axis=1, keepdims=True)
        expected = (shares * shares).sum(axis=1)
        kappa = (observed - expected) / (1.0 - expected)
    kappa[(votes > 0).sum(axis=1) < 2] = np.nan
    return _array(kappa)


def krippendorff_alpha(
    counts: Integers, self_pairs: Integers, weights: NDArray[Any], values: Floats, scale: Scale
) -> Floats:
    """Krippendorff's alpha = 1 - (N - 1) So / Se with missing votes; NaN when only one category was used.

    Se is the sum over all pairs of votes of the squared difference d2, So the sum over pairs inside a unit,
    each unit divided by its votes - 1. d2 is 1 for different categories (nominal), (a - b)^2 (interval), ((a
    - b) / (a + b))^2 (ratio), and (r_a - r_b)^2 with r the mid-rank of the category among all votes
    (ordinal): Krippendorff's sum over the categories between a and b is exactly that difference.
    `values[category]` is in ascending order.
    """
    n_votes = counts.sum(axis=1)
    pairs = n_votes * n_votes - self_pairs
    used = pairs > 0
    table = counts[used].astype(np.float64)
    unit_weights = _columns(weights, used)
    votes = weighted_sums(unit_weights, table)
    total = votes.sum(axis=1)
    share = n_votes[used] / pairs[used]

    def summed(spread: Floats) -> Floats:
        return weighted_sums(unit_weights, (share * spread)[:, None])[:, 0]

    if scale == "nominal":
        inside = summed(n_votes[used] ** 2 - (table**2).sum(axis=1))
        overall = total**2 - (votes**2).sum(axis=1)
    elif scale == "ratio":
        distance = _ratio_distance(values)
        inside = summed(((table @ distance) * table).sum(axis=1))
        overall = ((votes @ distance) * votes).sum(axis=1)
    else:
        if scale == "interval":
            # Values are centered, so that large values with small differences keep their precision.
            position = values - values.mean()
            inside = 2.0 * summed(table @ position**2 * n_votes[used] - (table @ position) ** 2)
        else:
            position = np.cumsum(votes, axis=1) - votes / 2.0 - total[:, None] / 2.0
            inside = 2.0 * _spread_inside(unit_weights, share, table, position)
        overall = 2.0 * (total * (votes * position**2).sum(axis=1) - (votes * position).sum(axis=1) ** 2)
    with np.errstate(invalid="ignore", divide="ignore"):
        alpha = 1.0 - (total - 1.0) * inside / overall
    alpha[(votes > 0).sum(axis=1) < 2] = np.nan
    return _array(alpha)


@jit
def _spread_inside(weights: NDArray[Any], share: Floats, table: Floats, position: Floats) -> Floats:
    """Sum over units of weight * share * (n sum(t p^2) - (sum(t p))^2), t votes in the category at position[b] p."""
    n_rows, n_units = weights.shape
    n_categories = table.shape[1]
    result = np.empty(n_rows)
    for first in range(0, n_rows, WIDTH):
        turned, places = interleave(weights, first), interleave(position, first)
        inside, sums, squares = np.zeros(WIDTH), np.empty(WIDTH), np.empty(WIDTH)
        for unit in range(n_units):
            n_votes = 0.0
            sums[:] = 0.0
            squares[:] = 0.0
            for category in range(n_categories):
                votes = table[unit, category]
                if votes > 0.0:
                    n_votes += votes
                    for b in range(WIDTH):
                        sums[b] += votes * places[category, b]
                        squares[b] += votes * places[category, b] * places[category, b]
            for b in range(WIDTH):
                inside[b] += turned[unit, b] * share[unit] * (n_votes * squares[b] - sums[b] * sums[b])
        for b in range(min(WIDTH, n_rows - first)):
            result[first + b] = inside[b]
    return result


def _agreeing_pairs(counts: Integers, self_pairs: Integers) -> tuple[Floats, Integers]:
    """Share of agreeing ordered pairs of votes by unit (NaN without pairs), and the number of pairs."""
    n_votes = counts.sum(axis=1)
    pairs = n_votes * n_votes - self_pairs
    agreeing = (counts * counts).sum(axis=1) - self_pairs
    share = np.full(len(counts), np.nan)
    np.divide(agreeing, pairs, out=share, where=pairs > 0)
    return share, pairs


def _ratio_distance(values: Floats) -> Floats:
    """((a - b) / (a + b))^2, 0 for a = b = 0."""
    difference = values[:, None] - values[None, :]
    total = values[:, None] + values[None, :]
    share = np.zeros_like(difference)
    np.divide(difference, total, out=share, where=difference != 0.0)
    return _array(share * share)


def _columns(weights: NDArray[Any], used: NDArray[np.bool_]) -> NDArray[Any]:
    """The weight columns of the used units, without a copy if all are used."""
    return weights if used.all() else weights[:, used]


def _array(values: object) -> Floats:
    return np.asarray(values, dtype=np.float64)
