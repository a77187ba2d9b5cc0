"""True categories and annotators' error rates from votes alone (Dawid & Skene 1979), by EM."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Probabilities below this are lifted to it: one vote must not make a category impossible.
FLOOR = 1e-10


@dataclass(frozen=True)
class DawidSkene:
    """A fitted model.

    `posterior[unit, true]` is the probability of each true category, `prior[true]` its share,
    `confusion[annotator, true, said]` the probability that the annotator says one category when another is
    true.
    """

    posterior: Floats
    prior: Floats
    confusion: Floats
    n_iterations: int
    converged: bool


def dawid_skene(
    units: Integers,
    annotators: Integers,
    categories: Integers,
    shape: tuple[int, int, int],
    *,
    weights: Floats | None = None,
    copies: Floats | None = None,
    start: Floats | None = None,
    tolerance: float = 1e-9,
    max_iterations: int = 10_000,
) -> DawidSkene:
    """Fit by EM from the shares of votes; `shape` is (units, annotators, categories).

    Stops when no posterior moves by more than `tolerance`. Each unit needs a vote. In a resample
    `weights[unit]` and `copies[annotator]` say how often each was drawn; `start` is a posterior to begin
    with.
    """
    n_units, n_annotators, n_categories = shape
    drawn = np.ones(n_units) if weights is None else weights
    times = np.ones(n_annotators) if copies is None else copies
    if start is None:
        posterior = np.zeros((n_units, n_categories))
        np.add.at(posterior, (units, categories), 1.0)
        posterior /= posterior.sum(axis=1, keepdims=True)
    else:
        posterior = start.copy()
    confusion = np.empty((n_annotators, n_categories, n_categories))
    prior = np.empty(n_categories)
    n_iterations, change = _expect_and_maximise(
        units, annotators, categories, drawn, times, posterior, prior, confusion, tolerance, max_iterations
    )
    return DawidSkene(posterior, prior, confusion, n_iterations, change <= tolerance)


@jit
def _expect_and_maximise(
    units: Integers,
    annotators: Integers,
    categories: Integers,
    weights: Floats,
    copies: Floats,
    posterior: Floats,
    prior: Floats,
    confusion: Floats,
    tolerance: float,
    max_iterations: int,
) -> tuple[int, float]:
    """Alternate the two steps in place, from a given posterior; ends with a maximisation."""
    _maximise(units, annotators, categories, weights, posterior, prior, confusion)
    change = np.inf
    n_iterations = 0
    while n_iterations < max_iterations and change > tolerance:
        change = _expect(units, annotators, categories, copies, prior, confusion, posterior)
        _maximise(units, annotators, categories, weights, posterior, prior, confusion)
        n_iterations += 1
    return n_iterations, change


@jit
def _maximise(
    units: Integers,
    annotators: Integers,
    categories: Integers,
    weights: Floats,
    posterior: Floats,
    prior: Floats,
    confusion: Floats,
) -> None:
    """Prior and confusion that make the votes likeliest under the posterior."""
    n_categories = len(prior)
    prior[:] = 0.0
    for unit in range(len(posterior)):
        for true in range(n_categories):
            prior[true] += weights[unit] * posterior[unit, true]
    prior /= prior.sum()
    confusion[:] = 0.0
    for k in range(len(units)):
        for true in range(n_categories):
            confusion[annotators[k], true, categories[k]] += weights[units[k]] * posterior[units[k], true]
    for annotator in range(len(confusion)):
        for true in range(n_categories):
            total = 0.0
            for said in range(n_categories):
                confusion[annotator, true, said] = max(confusion[annotator, true, said], FLOOR)
                total += confusion[annotator, true, said]
            for said in range(n_categories):
                confusion[annotator, true, said] /= total


@jit
def _expect(
    units: Integers,
    annotators: Integers,
    categories: Integers,
    copies: Floats,
    prior: Floats,
    confusion: Floats,
    posterior: Floats,
) -> float:
    """Posterior of each unit by Bayes' rule, in logarithms; returns the largest change."""
    n_units, n_categories = posterior.shape
    log_posterior = np.empty((n_units, n_categories))
    for true in range(n_categories):
        log_posterior[:, true] = np.log(max(prior[true], FLOOR))
    log_confusion = np.log(confusion)
    for k in range(len(units)):
        for true in range(n_categories):
            log_posterior[units[k], true] += copies[annotators[k]] * log_confusion[annotators[k], true, categories[k]]
    change = 0.0
    for unit in range(n_units):
        largest = -np.inf
        for true in range(n_categories):
            largest = max(largest, log_posterior[unit, true])
        total = 0.0
        for true in range(n_categories):
            log_posterior[unit, true] = np.exp(log_posterior[unit, true] - largest)
            total += log_posterior[unit, true]
        for true in range(n_categories):
            probability = log_posterior[unit, true] / total
            change = max(change, abs(probability - posterior[unit, true]))
            posterior[unit, true] = probability
    return change
