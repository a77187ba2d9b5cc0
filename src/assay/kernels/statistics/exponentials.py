"""Weighted sums of exponential numbers, which random weights of observations (Dirichlet's, all equal) come down to."""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

Floats = NDArray[np.float64]

STEPS = np.arange(0.0, 18.0, 0.05)
NEGLIGIBLE = 40.0
"""Where the logarithm of what is integrated has fallen by so much, the rest does not matter."""
BLOCK = 32
"""The factors of so many weights are multiplied before the logarithm is taken, which is slow; no product overflows."""


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
    # Only what they are to each other matters, and the search for the saddle point has a tolerance.
    weights = weights / highest

    def slope(s: float) -> float:
        return float(times @ (weights / (1 - weights * s))) - 1 / s

    saddle = float(brentq(slope, 1e-12, 1 - 1e-12))
    relative = weights / (1 - weights * saddle)
    width = 1 / np.sqrt(float(times @ relative**2) + saddle**-2)
    relative *= width
    height = np.sinh(STEPS[: _n_steps(relative, times)])
    along = np.sqrt(1 + height**2) * (width * STEPS[1])
    along[0] /= 2
    log_moments = np.full(len(height), -float(times @ np.log1p(-weights * saddle)), np.complex128)
    often = times > 1
    for weight, count in zip(relative[often].tolist(), times[often].tolist(), strict=True):
        log_moments -= count * np.log(1 - 1j * weight * height)
    once = relative[~often]
    for start in range(0, len(once), BLOCK):
        log_moments -= np.log(np.prod(1 - 1j * once[start : start + BLOCK, None] * height, axis=0))
    line = saddle + 1j * width * height
    return float(np.clip((np.exp(log_moments) / line).real @ along / np.pi, 0.0, 1.0))


def _n_steps(relative: Floats, times: Floats) -> int:
    """How many steps there are until the moments, which only fall, are negligible: few, where weights are many."""
    first, last = 1, len(STEPS)
    while first < last:
        middle = (first + last) // 2
        fall = float(times @ np.log1p((relative * np.sinh(STEPS[middle])) ** 2)) / 2
        first, last = (first, middle) if fall > NEGLIGIBLE else (middle + 1, last)
    return last
