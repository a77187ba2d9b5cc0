"""Calibration against scikit-learn, and by hand."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score

from assay.kernels.statistics import calibration

RNG = np.random.default_rng(5)
POSITIVE = RNG.random(400) < 0.3
MARGINS = RNG.normal(size=400) * 20 + 15 * POSITIVE + 100
WEIGHTS = calibration.balanced_weights(POSITIVE)


def test_weights_balance_the_classes() -> None:
    assert WEIGHTS.mean() == pytest.approx(1)
    assert WEIGHTS[POSITIVE].sum() == pytest.approx(WEIGHTS[~POSITIVE].sum())


def test_platt_scaling_is_logistic_regression_on_smoothed_targets() -> None:
    n, m = POSITIVE.sum(), (~POSITIVE).sum()
    target = np.where(POSITIVE, (n + 1) / (n + 2), 1 / (m + 2))
    # A fractional target is the same text in both classes, with shares of its weight.
    rows, labels = np.tile(MARGINS, 2)[:, None], np.repeat([1, 0], 400)
    peer = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000)
    peer.fit((rows - 100) / 20, labels, sample_weight=np.concatenate([WEIGHTS * target, WEIGHTS * (1 - target)]))
    scaling = calibration.platt_scaling(MARGINS, POSITIVE, WEIGHTS)
    expected = peer.predict_proba((MARGINS[:, None] - 100) / 20)[:, 1]
    np.testing.assert_allclose(scaling.probability(MARGINS), expected, atol=1e-5)


def test_a_classifier_that_is_wrong_is_not_reversed() -> None:
    scaling = calibration.platt_scaling(-MARGINS, POSITIVE, WEIGHTS)
    p = scaling.probability(-MARGINS)
    assert 0 < scaling.slope and 0.45 < p.min() < p.max() < 0.55
    assert np.isfinite(calibration.platt_scaling(np.zeros(400), POSITIVE, WEIGHTS).probability(np.zeros(400))).all()


def test_separable_classes_give_finite_probabilities() -> None:
    p = calibration.platt_scaling(np.where(POSITIVE, 1e6, -1e6), POSITIVE, WEIGHTS).probability(np.array([1e6, -1e6]))
    assert 0.9 < p[0] < 1 and 0 < p[1] < 0.1


def test_measures_are_those_of_scikit_learn() -> None:
    p = np.round(calibration.platt_scaling(MARGINS, POSITIVE, WEIGHTS).probability(MARGINS), 2)  # with ties
    assert calibration.area_under_curve(p, POSITIVE) == pytest.approx(roc_auc_score(POSITIVE, p))
    assert calibration.brier_score(p, POSITIVE, WEIGHTS) == pytest.approx(
        brier_score_loss(POSITIVE, p, sample_weight=WEIGHTS)
    )
    assert calibration.log_loss(p, POSITIVE, WEIGHTS) == pytest.approx(log_loss(POSITIVE, p, sample_weight=WEIGHTS))
    assert np.isnan(calibration.area_under_curve(p, np.ones(400, bool)))


def test_the_reliability_curve_by_hand() -> None:
    p = np.array([0.1, 0.1, 0.3, 0.9])
    curve = calibration.reliability(p, np.array([False, True, False, True]), np.ones(4), n_bins=2)
    assert curve.n.tolist() == [2, 2]
    assert curve.probability.tolist() == [0.1, 0.6] and curve.share.tolist() == [0.5, 0.5]
    assert curve.error == pytest.approx((0.4 + 0.1) / 2)
    one_level = calibration.reliability(np.full(4, 0.5), np.array([False, True, False, True]), np.ones(4))
    assert one_level.n.tolist() == [4] and one_level.error == 0
