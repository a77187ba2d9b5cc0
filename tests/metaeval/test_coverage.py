"""Do 95% intervals hold the truth 95% of the time? Simulations in which the truth is known."""

from math import asin, pi, sqrt

import numpy as np
import pytest

from assay.metaeval.questions.correlation import correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.question import Question, Resampling
from tests.metaeval.score_tables import table_of


def rho_of_normal(r):
    """Spearman's rho of a bivariate normal population with Pearson correlation r."""
    return 6 / pi * asin(r / 2)


def holds(table, truth, resampling):
    question = Question("human", ("m",), ("spearman",), ("output",), resampling=resampling)
    answer = correlate(Inquiry(table, question))[0]
    return answer.low <= truth <= answer.high


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 500])
def test_independent_units(n):
    rng = np.random.default_rng(n)
    r, n_studies = 0.5, 800
    items = [f"i{i}" for i in range(n)]
    hits = 0
    for study in range(n_studies):
        x = rng.normal(size=n)
        y = r * x + sqrt(1 - r**2) * rng.normal(size=n)
        table = table_of({"human": y, "m": x}, items, ["s"] * n)
        hits += holds(table, rho_of_normal(r), Resampling(1000, seed=study))
    print(f"coverage at n = {n}: {hits / n_studies:.3f}")
    assert 0.92 <= hits / n_studies <= 0.97


@pytest.mark.slow
def test_systems_and_items_together():
    """Both columns are sums of a system's part, an item's part and a rest; both factors are drawn anew."""
    rng = np.random.default_rng(1)
    n_systems, n_items, n_studies = 40, 60, 400
    shares, correlations = np.array([0.4, 0.4, 0.2]), np.array([0.8, 0.6, 0.3])
    truth = rho_of_normal(float(shares @ correlations))
    system, item = (code.ravel() for code in np.indices((n_systems, n_items)))
    names = [f"i{i}" for i in item], [f"s{s}" for s in system]
    hits = 0
    for study in range(n_studies):
        columns = np.zeros((2, len(item)))
        for share, r, codes in zip(shares, correlations, (system, item, np.arange(len(item))), strict=True):
            x, noise = rng.normal(size=(2, codes.max() + 1))
            columns += sqrt(share) * np.stack([x, r * x + sqrt(1 - r**2) * noise])[:, codes]
        table = table_of({"human": columns[0], "m": columns[1]}, *names)
        hits += holds(table, truth, Resampling(500, ("items", "systems"), seed=study))
    print(f"coverage of systems and items: {hits / n_studies:.3f}")
    assert 0.92 <= hits / n_studies <= 0.97
