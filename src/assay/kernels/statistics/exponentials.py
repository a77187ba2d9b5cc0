"""Weighted sums of exponential numbers, which random weights of observations (Dirichlet's, all equal) come down to."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Floats = NDArray[np.float64]

STEPS = np.arange(0.0, 18.0, 0.05)


def chance_of_positive(weights: Floats, times: Floats) -> float:
    """The probability that a sum of independent standard exponential numbers, `times` of them with each weight, is > 0.

    The moment generating function is inverted along the line through its saddle point, where nothing oscillates;
    right to 1e-7.
    """
    if float(weights @ times) > 0:
        return 1 - chance_of_positive(-weights, times)
    highest = float(weights.max())
    if highest <= 0:
        return 0.0

    def slope(s: float) -> float:
        return float(times @ (weights / (1 - weights * s))) - 1 / s

    saddle = float(brentq(slope, 1e-12 / highest, (1 - 1e-12) / highest))
    width = 1 / np.sqrt(float(times @ (weights / (1 - weights * saddle)) ** 2) + saddle**-2)
    along = width * np.cosh(STEPS) * STEPS[1]
    along[0] /= 2
    line = saddle + 1j * width * np.sinh(STEPS)
    log_moments = np.zeros(len(line), np.complex128)
    for weight, count in zip(weights.tolist(), times.tolist(), strict=True):
        log_moments -= count * np.log(1 - weight * line)
    return float(np.clip((np.exp(log_moments) / line).real @ along / np.pi, 0.0, 1.0))
