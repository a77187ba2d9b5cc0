"""Sample sizes by formula: two proportions, one correlation.

Functions return the exact real number; round it up for whole units. Normal approximations throughout.
"""

from collections.abc import Callable
from math import atanh, nan, sqrt, tanh
from typing import Literal

from scipy.special import ndtr, ndtri

from assay.kernels.statistics.fisher_error import FisherError

Design = Literal["superiority", "noninferiority", "equivalence"]
Variance = Literal["unpooled", "pooled"]


def two_proportions_n(
    p: float,
    p_reference: float,
    *,
    design: Design,
    margin: float,
    alpha: float,
    sides: int,
    power: float,
    ratio: float = 1.0,
    variance: Variance = "unpooled",
) -> float:
    """Units of the new system for the given power; the reference system gets `ratio` times as many.

    With d = p - p_reference, s^2 = p(1 - p) + p_reference(1 - p_reference) / ratio and z the normal
    quantiles:

    - superiority: n = (z_a s0 + z_b s)^2 / d^2 with a = alpha / sides; s0 is s, or the same from the common
      proportion for `variance="pooled"` (Fleiss, Levin & Paik 2003, chapter 4). The far tail of a two-sided
      test is neglected.
    - non-inferiority: n = (z_a + z_b)^2 s^2 / (d + margin)^2 with a = alpha / sides
    - equivalence: two one-sided tests, each at alpha (`sides` is ignored): the n at which
      Phi(sqrt(n)(margin - d) / s - z_a) + Phi(sqrt(n)(margin + d) / s - z_a) - 1 = power
      (Chow, Shao & Wang 2008, section 4.2; Julious 2004)

    NaN when no number of units suffices: the difference is 0, or lies outside the margin.
    """
    if not _decidable(p - p_reference, design, margin):
        return nan
    difference = p - p_reference
    spread = _spread(p, p_reference, ratio)
    if design == "equivalence":

        def power_at(n: float) -> float:
            return _equivalence_power(n, difference, margin, spread, alpha)

        return _solve(power_at, power)
    z_alpha, z_beta = ndtri(1.0 - alpha / sides), ndtri(power)
    if design == "noninferiority":
        return float(((z_alpha + z_beta) * spread / (difference + margin)) ** 2)
    under_null = _null_spread(p, p_reference, ratio) if variance == "pooled" else spread
    return float(((z_alpha * under_null + z_beta * spread) / difference) ** 2)


def two_proportions_power(
    p: float,
    p_reference: float,
    n: float,
    *,
    design: Design,
    margin: float,
    alpha: float,
    sides: int,
    ratio: float = 1.0,
    variance: Variance = "unpooled",
) -> float:
    """Power of the tests of `two_proportions_n` with `n` units of the new system; NaN where undefined."""
    if not _decidable(p - p_reference, design, margin):
        return nan
    difference = p - p_reference
    spread = _spread(p, p_reference, ratio)
    if design == "equivalence":
        return _equivalence_power(n, difference, margin, spread, alpha)
    z_alpha = ndtri(1.0 - alpha / sides)
    if spread == 0.0:
        return 1.0
    if design == "noninferiority":
        return float(ndtr(sqrt(n) * (difference + margin) / spread - z_alpha))
    under_null = _null_spread(p, p_reference, ratio) if variance == "pooled" else spread
    return float(ndtr((sqrt(n) * abs(difference) - z_alpha * under_null) / spread))


def correlation_n_for_power(r: float, *, r_null: float, alpha: float, sides: int, power: float) -> float:
    """Units needed to detect that a correlation r differs from r_null.

    n = ((z_a + z_b) / (atanh r - atanh r_null))^2 + 3, by Fisher's z (Fisher 1921). NaN when r equals r_null.
    """
    if r == r_null:
        return nan
    return float(((ndtri(1.0 - alpha / sides) + ndtri(power)) / (atanh(r) - atanh(r_null))) ** 2 + 3.0)


def correlation_power(r: float, n: float, *, r_null: float, alpha: float, sides: int) -> float:
    """Power of the test of `correlation_n_for_power` with n units; the far tail is neglected."""
    if r == r_null or n <= 3.0:
        return nan
    return float(ndtr(sqrt(n - 3.0) * abs(atanh(r) - atanh(r_null)) - ndtri(1.0 - alpha / sides)))


def correlation_interval(r: float, n: float, *, confidence: float, of: FisherError) -> tuple[float, float]:
    """tanh(atanh r -+ z c / sqrt(n - b)), with c^2 and b of the standard error (Bonett & Wright 2000)."""
    half = ndtri(0.5 + confidence / 2.0) * sqrt(of.squared(r)) / sqrt(n - of.lost)
    return tanh(atanh(r) - half), tanh(atanh(r) + half)


def correlation_n_for_width(r: float, *, width: float, confidence: float, of: FisherError) -> float:
    """Units at which the interval of `correlation_interval` is `width` wide.

    Bonett and Wright give a two-stage approximation; this solves it exactly, so that the ceiling is the smallest
    sufficient number of units.
    """
    z = ndtri(0.5 + confidence / 2.0)
    # tanh(x + h) - tanh(x - h) = width has one root in h; with u = tanh h, width = 2u(1 - r^2) / (1 - r^2 u^2).
    u = _positive_root(width * r * r, 2.0 * (1.0 - r * r), -width)
    return float((z * sqrt(of.squared(r)) / atanh(u)) ** 2 + of.lost)


def _positive_root(a: float, b: float, c: float) -> float:
    """Positive root of a x^2 + b x + c, in the form that avoids cancellation and allows a = 0."""
    return -2.0 * c / (b + sqrt(b * b - 4.0 * a * c))


def _decidable(difference: float, design: Design, margin: float) -> bool:
    if design == "superiority":
        return difference != 0.0
    return difference > -margin and (design == "noninferiority" or difference < margin)


def _spread(p: float, p_reference: float, ratio: float) -> float:
    return sqrt(p * (1.0 - p) + p_reference * (1.0 - p_reference) / ratio)


def _null_spread(p: float, p_reference: float, ratio: float) -> float:
    common = (p + ratio * p_reference) / (1.0 + ratio)
    return sqrt(common * (1.0 - common) * (1.0 + 1.0 / ratio))


def _equivalence_power(n: float, difference: float, margin: float, spread: float, alpha: float) -> float:
    if spread == 0.0:
        return 1.0
    z_alpha = ndtri(1.0 - alpha)
    upper = ndtr(sqrt(n) * (margin - difference) / spread - z_alpha)
    lower = ndtr(sqrt(n) * (margin + difference) / spread - z_alpha)
    return float(max(upper + lower - 1.0, 0.0))


def _solve(power_at: Callable[[float], float], power: float) -> float:
    """The n at which an increasing power function reaches `power`, by bisection."""
    low, high = 0.0, 1.0
    while power_at(high) < power:
        low, high = high, 2.0 * high
    while high - low > 1e-12 * high:
        middle = (low + high) / 2.0
        low, high = (middle, high) if power_at(middle) < power else (low, middle)
    return high
