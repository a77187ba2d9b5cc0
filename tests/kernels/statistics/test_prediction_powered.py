"""Prediction-powered means: equal to ppi-python, and the rates they hold."""

from dataclasses import replace

import numpy as np
import pytest

from assay.kernels.statistics.prediction_powered import LabeledSample, corrected


def sample(label, prediction, labeled, **other):
    n = len(label)
    zeros = np.zeros(n, np.int64)
    seen = np.where(labeled, label, np.nan)
    parts = {"group": zeros, "cluster": np.arange(n), "stratum": zeros, "label": seen, "prediction": prediction}
    return LabeledSample(**(parts | {"probability": np.full(n, np.nan), "typical": float(np.nanstd(seen))} | other))


def world(rng, n=400, slope=0.5, noise=1.0):
    label = rng.normal(3, 1, n)
    return label, slope * label + rng.normal(0, noise, n)


def drawn(rng, n, k):
    labeled = np.zeros(n, np.bool_)
    labeled[rng.choice(n, k, replace=False)] = True
    return labeled


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("slope", [-0.5, 0.1, 0.7, 2.0])
def test_equal_to_ppi_python(seed, slope):
    """Mean and tuned lambda (clipped at 0 and at 1) to 1e-9; the variance but for small-sample corrections."""
    ppi = pytest.importorskip("ppi_py", reason="needs ppi-python")
    rng = np.random.default_rng(seed)
    label, prediction = world(rng, slope=slope)
    labeled = drawn(rng, 400, 60)
    found = corrected(sample(label, prediction, labeled), 1, population="new")
    parts = label[labeled], prediction[labeled], prediction[~labeled]
    assert found.mean[0] == pytest.approx(float(np.squeeze(ppi.ppi_mean_pointestimate(*parts))), abs=1e-9)
    fixed = ppi.ppi_mean_pointestimate(*parts, lam=found.weight)
    assert found.mean[0] == pytest.approx(float(np.squeeze(fixed)), abs=1e-9)
    low, high = (float(np.squeeze(end)) for end in ppi.ppi_mean_ci(*parts, alpha=0.05))
    assert 1.959964 * np.sqrt(found.variance[0]) == pytest.approx((high - low) / 2, rel=0.06)


def test_a_useless_judge_changes_nothing_and_a_perfect_one_leaves_the_floor():
    rng = np.random.default_rng(0)
    label, _ = world(rng)
    labeled = drawn(rng, 400, 50)
    constant = corrected(sample(label, np.ones(400), labeled), 1)
    plain = corrected(sample(label, np.ones(400), labeled), 1, weight=0.0)
    assert constant.weight == 0 and constant.mean[0] == plain.mean[0] == pytest.approx(label[labeled].mean())
    perfect = corrected(sample(label, label, labeled), 1, weight=350 / 400)
    assert perfect.mean[0] == pytest.approx(label.mean(), abs=1e-9)
    assert perfect.floor[0] > 0 and (perfect.influence**2).sum() < 1e-20
    assert 0 < perfect.variance[0] < 0.1 * plain.variance[0]


def test_all_labeled_is_the_mean_without_an_interval():
    label, prediction = world(np.random.default_rng(1), n=50)
    found = corrected(sample(label, prediction, np.ones(50, np.bool_)), 1)
    assert found.mean[0] == pytest.approx(label.mean()) and found.variance[0] == 0
    assert np.isnan(found.intervals(0.95)[0][0])


def test_too_few_labels_are_a_gap():
    label, prediction = world(np.random.default_rng(2), n=50)
    group = np.arange(50) % 2
    labeled = (group == 0) | (np.arange(50) == 1)
    found = corrected(sample(label, prediction, labeled, group=group), 2)
    assert not np.isnan(found.mean[0]) and np.isnan(found.mean[1]) and found.freedom[1] == 0


def rate(draw, truth, draws=400):
    """How often the interval of group 0 holds the truth, and the mean error."""
    held, errors = [], []
    for _ in range(draws):
        one = draw()
        found = corrected(one, int(one.group.max()) + 1)
        low, high = found.intervals(0.95)
        held.append(low[0] <= truth <= high[0])
        errors.append(found.mean[0] - truth)
    return np.mean(held), np.mean(errors)


def test_recorded_probabilities_undo_a_biased_sample():
    rng = np.random.default_rng(3)
    label, prediction = world(rng, n=600)
    probability = np.clip(0.05 + 0.1 * label, 0.05, 0.9)  # better texts are labeled more often

    def draw(recorded):
        labeled = rng.random(600) < probability
        known = probability if recorded else np.full(600, np.nan)
        return sample(label, prediction, labeled, probability=known)

    coverage, bias = rate(lambda: draw(True), label.mean())
    assert coverage > 0.9 and abs(bias) < 0.01
    coverage, bias = rate(lambda: draw(False), label.mean(), draws=100)
    assert coverage < 0.7 and bias > 0.1


def test_strata_undo_an_uneven_sample():
    rng = np.random.default_rng(4)
    label, prediction = world(rng, n=600)
    stratum = (label > 3).astype(np.int64)

    def draw(known):
        labeled = np.zeros(600, np.bool_)
        for value, k in ((0, 20), (1, 60)):
            labeled[rng.choice(np.flatnonzero(stratum == value), k, replace=False)] = True
        return sample(label, prediction, labeled, stratum=stratum if known else np.zeros(600, np.int64))

    coverage, bias = rate(lambda: draw(True), label.mean())
    assert coverage > 0.92 and abs(bias) < 0.02
    assert rate(lambda: draw(False), label.mean(), draws=50)[1] > 0.2


def test_labels_of_whole_items_are_one_observation_each():
    rng = np.random.default_rng(5)
    item = np.repeat(np.arange(120), 5)
    label = rng.normal(0, 1, 120)[item] + rng.normal(0, 0.3, 600)
    prediction = 0.5 * label + rng.normal(0, 0.5, 600)

    def draw(clustered):
        labeled = np.isin(item, rng.choice(120, 25, replace=False))
        return sample(label, prediction, labeled, cluster=item if clustered else np.arange(600))

    assert rate(lambda: draw(True), label.mean())[0] > 0.91
    assert rate(lambda: draw(False), label.mean(), draws=200)[0] < 0.8


def test_differences_of_paired_systems_are_narrower_than_their_means():
    rng = np.random.default_rng(6)
    item = np.tile(np.arange(200), 2)
    group = np.repeat([0, 1], 200)
    label = rng.normal(0, 1, 200)[item] + 0.2 * group + rng.normal(0, 0.2, 400)
    labeled = np.tile(drawn(rng, 200, 40), 2)
    found = corrected(sample(label, np.zeros(400), labeled, group=group, cluster=item), 2)
    value, error, freedom = found.difference(1, 0)
    assert error < 0.5 * np.sqrt(found.variance.sum()) and freedom == 39
    assert abs(value - (label[200:] - label[:200]).mean()) < 4 * error


def test_only_the_labeled_part_is_tried():
    label, prediction = world(np.random.default_rng(7), n=40)
    labeled = np.arange(40) < 20
    trial = sample(label, prediction, labeled).relabeled(np.arange(40) < 10)
    assert len(trial.label) == 20 and trial.labeled.sum() == 10
    assert replace(trial, label=label[:20]).labeled.all()
