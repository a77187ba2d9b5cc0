"""Ridge regression."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def ridge(features: Floats, target: Floats, penalty: float) -> tuple[Floats, float]:
    """Return (weights, intercept) of the linear prediction of `target` from the columns of `features`.

    The penalty is on squared weights of standardized columns; without it, this is minimum-norm least squares. A
    constant column has weight 0.
    """
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    varies = deviation > 1e-12 * np.maximum(np.abs(mean), 1.0)
    scale = np.where(varies, deviation, 1.0)
    standardized = np.where(varies, (features - mean) / scale, 0.0)
    # The penalty as extra rows: the normal equations would square the condition number.
    rows = np.vstack([standardized, np.sqrt(penalty) * np.eye(len(scale))])
    centered = np.concatenate([target - target.mean(), np.zeros(len(scale))])
    weights = np.where(varies, np.linalg.lstsq(rows, centered, rcond=None)[0], 0.0) / scale
    return weights, float(target.mean() - mean @ weights)
