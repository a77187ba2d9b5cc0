from math import atanh, ceil, isnan, tanh

import numpy as np
import pytest
from statsmodels.stats.proportion import power_proportions_2indep, samplesize_proportions_2indep_onetail

from assay.kernels.statistics.fisher_error import KENDALL, PEARSON, SPEARMAN
from assay.kernels.statistics.power import (
    correlation_interval,
    correlation_n_for_power,
    correlation_n_for_width,
    correlation_power,
    two_proportions_n,
    two_proportions_power,
)


def test_at_least_111_texts():
    """Garbacea et al. (2019) ask for "at least 111" texts: this setting gives 111.29."""
    n = two_proportions_n(0.9, 0.9, design="noninferiority", margin=0.1, alpha=0.05, sides=1, power=0.8)
    assert n == pytest.approx(111.2861, abs=1e-3)
    assert ceil(n) == 112


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("ratio", [0.5, 1.0, 2.0])
@pytest.mark.parametrize(("p", "q"), [(0.6, 0.5), (0.3, 0.55), (0.97, 0.9)])
def test_superiority_equals_statsmodels(p, q, ratio, sides):
    alternative = "two-sided" if sides == 2 else ("larger" if p > q else "smaller")
    design = {"design": "superiority", "margin": 0.0, "alpha": 0.05, "sides": sides, "ratio": ratio}
    ours = two_proportions_n(p, q, power=0.85, variance="pooled", **design)
    theirs = samplesize_proportions_2indep_onetail(p - q, q, 0.85, ratio, 0.05, alternative=alternative)
    assert ours == pytest.approx(theirs, rel=1e-9)
    ours = two_proportions_power(p, q, 120, variance="pooled", **design)
    # The near tail of statsmodels' two-sided test, without the far one.
    tail = "larger" if p > q else "smaller"
    theirs = power_proportions_2indep(p - q, q, 120, ratio, 0.05 / sides, alternative=tail)
    assert ours == pytest.approx(theirs.power, abs=1e-9)


@pytest.mark.parametrize("design", ["superiority", "noninferiority", "equivalence"])
@pytest.mark.parametrize("variance", ["unpooled", "pooled"])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_n_and_power_are_inverse(design, variance, power):
    setting = {
        "design": design,
        "margin": 0.12,
        "alpha": 0.05,
        "sides": 1,
        "variance": variance,
        "ratio": 1.5,
    }
    n = two_proportions_n(0.62, 0.58, power=power, **setting)
    assert two_proportions_power(0.62, 0.58, n, **setting) == pytest.approx(power, abs=1e-9)


def test_equivalence_without_a_difference_has_a_closed_form():
    """n = (z_a + z_(b/2))^2 2p(1 - p) / margin^2: z = 1.6449 and 1.2816 for power .8."""
    n = two_proportions_n(0.7, 0.7, design="equivalence", margin=0.1, alpha=0.05, sides=1, power=0.8)
    assert n == pytest.approx((1.6448536 + 1.2815516) ** 2 * 2 * 0.21 / 0.01, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("design", ["noninferiority", "equivalence", "superiority"])
def test_power_formulas_hold_in_a_simulation(design):
    p, q, margin = (0.7, 0.5, 0.0) if design == "superiority" else (0.72, 0.7, 0.12)
    n = ceil(two_proportions_n(p, q, design=design, margin=margin, alpha=0.05, sides=1, power=0.8))
    rng = np.random.default_rng(0)
    new, old = rng.binomial(n, p, 40_000) / n, rng.binomial(n, q, 40_000) / n
    error = np.sqrt((new * (1 - new) + old * (1 - old)) / n)
    above = (new - old + margin) / error > 1.6448536
    below = (new - old - margin) / error < -1.6448536
    result = above & below if design == "equivalence" else above
    assert result.mean() == pytest.approx(0.8, abs=0.02)


def test_impossible_designs_are_undefined():
    setting = {"alpha": 0.05, "sides": 1, "power": 0.8}
    assert isnan(two_proportions_n(0.5, 0.5, design="superiority", margin=0.0, **setting))
    assert isnan(two_proportions_n(0.5, 0.7, design="noninferiority", margin=0.1, **setting))
    assert isnan(two_proportions_n(0.7, 0.5, design="equivalence", margin=0.1, **setting))
    assert isnan(correlation_n_for_power(0.3, r_null=0.3, **setting))


def test_correlation_for_a_power():
    """Cohen (1988), table 3.4.1: r = .30, two-sided .05, power .80 needs 84 to 85 units."""
    n = correlation_n_for_power(0.3, r_null=0.0, alpha=0.05, sides=2, power=0.8)
    assert n == pytest.approx(84.93, abs=0.01)
    assert correlation_power(0.3, n, r_null=0.0, alpha=0.05, sides=2) == pytest.approx(0.8, abs=1e-12)


ERRORS = {"pearson": PEARSON, "spearman": SPEARMAN, "kendall": KENDALL}


@pytest.mark.parametrize("statistic", ERRORS)
@pytest.mark.parametrize("r", [-0.8, 0.0, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("width", [0.05, 0.2, 0.4])
def test_correlation_for_a_width(statistic, r, width):
    n = correlation_n_for_width(r, width=width, confidence=0.95, of=ERRORS[statistic])
    low, high = correlation_interval(r, n, confidence=0.95, of=ERRORS[statistic])
    assert high - low == pytest.approx(width, rel=1e-9)
    assert n == pytest.approx(two_stage_of_bonett_and_wright(r, width, statistic), rel=0.05, abs=3)


def two_stage_of_bonett_and_wright(r, width, statistic):
    """Bonett & Wright (2000), formulas 2 to 4: a first guess, then one correction by the width it gives."""
    c2, b = {"pearson": (1, 3), "spearman": (1 + r * r / 2, 3), "kendall": (0.437, 4)}[statistic]
    z = 1.959964
    first = ceil(4 * c2 * (1 - r * r) ** 2 * (z / width) ** 2 + b)
    half = z * (c2 / (max(first, b + 1) - b)) ** 0.5
    reached = tanh(atanh(r) + half) - tanh(atanh(r) - half)
    return ceil((first - b) * (reached / width) ** 2 + b)
