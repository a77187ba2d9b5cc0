"""Linear classifiers against scikit-learn's."""

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from assay.kernels.statistics.linear_models import linear_svm, logistic_regression

RNG = np.random.default_rng(3)
ROWS = csr_array(RNG.poisson(0.3, (120, 40)).astype(float))
HUMAN = np.asarray(ROWS @ RNG.normal(size=40)) + RNG.normal(size=120) > 0
WEIGHTS = RNG.uniform(0.5, 2, 120)
SPARSE = (ROWS.indptr, ROWS.indices, ROWS.data, np.where(HUMAN, 1.0, -1.0))


@pytest.mark.parametrize("cost", [0.01, 0.3, 3.0])
def test_the_support_vector_machine_is_that_of_liblinear(cost: float) -> None:
    ours = linear_svm(
        ROWS.indptr,
        ROWS.indices,
        ROWS.data,
        np.where(HUMAN, 1.0, -1.0),
        cost * WEIGHTS,
        40,
        np.random.default_rng(0),
        1e-6,
    )
    peer = LinearSVC(C=cost, tol=1e-9, max_iter=1_000_000).fit(ROWS, HUMAN, sample_weight=WEIGHTS)
    np.testing.assert_allclose(ours, [*peer.coef_[0], *peer.intercept_], atol=2e-4)


@pytest.mark.parametrize("cost", [0.01, 0.3, 3.0])
def test_logistic_regression_is_that_of_scikit_learn(cost: float) -> None:
    ours = logistic_regression(
        ROWS.indptr,
        ROWS.indices,
        ROWS.data,
        np.where(HUMAN, 1.0, -1.0),
        cost * WEIGHTS,
        40,
        np.random.default_rng(0),
        1e-8,
    )
    with_constant = np.hstack([ROWS.toarray(), np.ones((120, 1))])  # the intercept is penalized too
    peer = LogisticRegression(C=cost, tol=1e-10, max_iter=10_000, fit_intercept=False)
    peer.fit(with_constant, HUMAN, sample_weight=WEIGHTS)
    np.testing.assert_allclose(ours, peer.coef_[0], atol=2e-4)


def test_the_same_generator_gives_the_same_bits() -> None:
    one, two = (
        linear_svm(
            ROWS.indptr,
            ROWS.indices,
            ROWS.data,
            np.where(HUMAN, 1.0, -1.0),
            WEIGHTS,
            40,
            np.random.default_rng(7),
            0.01,
        )
        for _ in range(2)
    )
    assert one.tobytes() == two.tobytes()
