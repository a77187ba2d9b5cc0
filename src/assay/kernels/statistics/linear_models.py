"""Linear classifiers on sparse rows, trained by dual coordinate descent.

A support vector machine with squared hinge loss (Hsieh et al. 2008) and logistic regression (Yu, Huang and Lin 2011),
both with an L2 penalty. Row i is `values[offsets[i]:offsets[i + 1]]` at `columns[offsets[i]:offsets[i + 1]]`; a
constant feature of 1 gives the intercept. The passes visit rows in shuffled order.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

MOST_PASSES = 1000
NEWTON_STEPS = 50


@jit
def linear_svm(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    signs: NDArray[np.float64],
    costs: NDArray[np.float64],
    n_features: int,
    rng: np.random.Generator,
    tolerance: float,
) -> NDArray[np.float64]:
    """Minimize |w|^2 / 2 + sum of cost * max(0, 1 - sign * (w.x))^2; the last weight is the intercept."""
    weights = np.zeros(n_features + 1)
    duals = np.zeros(len(signs))
    squares = _squares(offsets, values)
    for _ in range(MOST_PASSES):
        worst = 0.0
        for row in rng.permutation(len(signs)):
            diagonal = 0.5 / costs[row]
            slope = signs[row] * _product(offsets, columns, values, weights, row) - 1.0 + diagonal * duals[row]
            projected = min(slope, 0.0) if duals[row] == 0.0 else slope
            worst = max(worst, abs(projected))
            if projected == 0.0:
                continue
            updated = max(duals[row] - slope / (squares[row] + diagonal), 0.0)
            _add(offsets, columns, values, weights, row, (updated - duals[row]) * signs[row])
            duals[row] = updated
        if worst < tolerance:
            break
    return weights


@jit
def logistic_regression(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    signs: NDArray[np.float64],
    costs: NDArray[np.float64],
    n_features: int,
    rng: np.random.Generator,
    tolerance: float,
) -> NDArray[np.float64]:
    """Minimize |w|^2 / 2 + sum of cost * log(1 + exp(-sign * (w.x))); the last weight is the intercept."""
    weights = np.zeros(n_features + 1)
    duals = np.zeros(len(signs))
    squares = _squares(offsets, values)
    for row in range(len(signs)):
        duals[row] = 0.001 * costs[row]
        _add(offsets, columns, values, weights, row, duals[row] * signs[row])
    for _ in range(MOST_PASSES):
        worst = 0.0
        for row in rng.permutation(len(signs)):
            margin = signs[row] * _product(offsets, columns, values, weights, row)
            # The dual d = cost * sigmoid(u) solves square * (d - old) + margin + u = 0, which rises in u.
            cost, square, old = costs[row], squares[row], duals[row]
            low, high = -margin - square * (cost - old), -margin + square * old
            u = np.log(old / (cost - old))
            worst = max(worst, abs(margin + u) * old / cost * (1.0 - old / cost))
            for _ in range(NEWTON_STEPS):
                share = 1.0 / (1.0 + np.exp(-u))
                height = square * (cost * share - old) + margin + u
                if height > 0.0:
                    high = min(high, u)
                else:
                    low = max(low, u)
                if abs(height) < 1e-10:
                    break
                u -= height / (square * cost * share * (1.0 - share) + 1.0)
                if not low < u < high:
                    u = 0.5 * (low + high)
            updated = cost / (1.0 + np.exp(-u))
            updated = min(max(updated, 1e-12 * cost), (1.0 - 1e-12) * cost)
            _add(offsets, columns, values, weights, row, (updated - old) * signs[row])
            duals[row] = updated
        if worst < tolerance:
            break
    return weights


@jit
def _squares(offsets: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    squares = np.ones(len(offsets) - 1)
    for row in range(len(squares)):
        for at in range(offsets[row], offsets[row + 1]):
            squares[row] += values[at] * values[at]
    return squares


@jit
def _product(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    row: int,
) -> float:
    total = weights[-1]
    for at in range(offsets[row], offsets[row + 1]):
        total += weights[columns[at]] * values[at]
    return total


@jit
def _add(
    offsets: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    weights: NDArray[np.float64],
    row: int,
    step: float,
) -> None:
    weights[-1] += step
    for at in range(offsets[row], offsets[row + 1]):
        weights[columns[at]] += step * values[at]
