import warnings

import numpy as np
import pandas as pd
import pytest
from crowdkit.aggregation import DawidSkene as CrowdKit

from assay.kernels.votes.dawid_skene import dawid_skene
from tests.oracles.dawid_skene import dawid_skene as plain


def simulate(rng, n_units, n_annotators, n_categories, share=0.7):
    truth = rng.integers(0, n_categories, n_units)
    skill = rng.uniform(0.4, 0.95, n_annotators)
    units, annotators = np.nonzero(rng.random((n_units, n_annotators)) < share)
    missing = np.setdiff1d(np.arange(n_units), units)
    units = np.concatenate([units, missing])
    annotators = np.concatenate([annotators, np.zeros(len(missing), int)])
    right = rng.random(len(units)) < skill[annotators]
    answers = np.where(right, truth[units], rng.integers(0, n_categories, len(units)))
    return truth, units, annotators, answers


@pytest.mark.parametrize("seed", range(4))
def test_equal_to_crowd_kit(seed):
    rng = np.random.default_rng(seed)
    n_categories = int(rng.integers(2, 5))
    _, units, annotators, answers = simulate(rng, 40, 8, n_categories)
    n_categories = answers.max() + 1
    n_iterations = 40
    ours = dawid_skene(
        units,
        annotators,
        answers,
        (40, 8, n_categories),
        tolerance=0.0,
        max_iterations=n_iterations,
    )
    frame = pd.DataFrame({"task": units, "worker": annotators, "label": answers})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = CrowdKit(n_iter=n_iterations, tol=-np.inf).fit(frame)
    probas = theirs.probas_.sort_index()[range(n_categories)].to_numpy()
    np.testing.assert_allclose(ours.posterior, probas, atol=1e-6)
    np.testing.assert_allclose(ours.prior, theirs.priors_.loc[range(n_categories)], atol=1e-6)
    for (worker, label), row in theirs.errors_.iterrows():
        np.testing.assert_allclose(ours.confusion[worker, :, label], row[range(n_categories)], atol=1e-6)


@pytest.mark.parametrize("seed", range(20))
def test_equal_to_the_plain_version(seed):
    rng = np.random.default_rng(seed)
    n_categories = int(rng.integers(2, 4))
    _, units, annotators, answers = simulate(rng, 10, 4, n_categories)
    ours = dawid_skene(units, annotators, answers, (10, 4, n_categories), tolerance=0.0, max_iterations=15)
    posterior, prior = plain(list(zip(units, annotators, answers, strict=True)), n_categories, 15)
    np.testing.assert_allclose(ours.posterior, [posterior[u] for u in range(10)], atol=1e-9)
    np.testing.assert_allclose(ours.prior, prior, atol=1e-9)


def test_better_than_majority_vote_when_annotators_differ():
    """20 annotators, 3 of them good: the model learns whom to trust."""
    rng = np.random.default_rng(5)
    n_units, n_annotators = 400, 20
    truth = rng.integers(0, 2, n_units)
    skill = np.where(np.arange(n_annotators) < 3, 0.97, 0.52)
    units, annotators = (index.ravel() for index in np.indices((n_units, n_annotators)))
    answers = np.where(rng.random(len(units)) < skill[annotators], truth[units], 1 - truth[units])
    fitted = dawid_skene(units, annotators, answers, (n_units, n_annotators, 2))
    majority = np.bincount(units, weights=answers) > n_annotators / 2
    assert fitted.converged
    assert (fitted.posterior.argmax(axis=1) == truth).mean() > (majority == truth).mean() + 0.05


def test_a_weight_is_a_repeated_unit():
    rng = np.random.default_rng(3)
    _, units, annotators, answers = simulate(rng, 20, 5, 3)
    times = rng.integers(1, 3, 20)
    weighted = dawid_skene(units, annotators, answers, (20, 5, 3), weights=times.astype(float))
    relabeled = np.cumsum(times) - times
    rows = [
        (relabeled[u] + copy, a, c)
        for u, a, c in zip(units, annotators, answers, strict=True)
        for copy in range(times[u])
    ]
    u, a, c = np.array(rows).T
    repeated = dawid_skene(u, a, c, (int(times.sum()), 5, 3))
    np.testing.assert_allclose(weighted.prior, repeated.prior, atol=1e-7)
    np.testing.assert_allclose(weighted.posterior, repeated.posterior[relabeled], atol=1e-6)
