"""True categories and annotators' error rates from votes alone (Dawid & Skene 1979), by EM."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

# Floor on probabilities, so that a single vote never rules out a category.
FLOOR = 1e-10


@dataclass(frozen=True)
class DawidSkene:
    """A fitted model.

    `posterior[unit, true]` is the probability of each true category, `prior[true]` its share, and
    `confusion[annotator, true, answer]` the probability of an annotator's answer given the true category.
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
    """Fit by EM, initialized with the vote shares; `shape` is (units, annotators, categories).

    Stops when no posterior changes by more than `tolerance`. Each unit needs a vote. In a resample, `weights[unit]` and
    `copies[annotator]` are how often each was drawn; `start` is an initial posterior.
    """
    n_units, n_annotators, n_categories = shape
    unit_weights = np.ones(n_units) if weights is None else weights
    times = np.ones(n_annotators) if copies is None else copies
    if start is None:
        posterior = np.zeros((n_units, n_categories))
        np.add.at(posterior, (units, categories), 1.0)
        posterior /= posterior.sum(axis=1, keepdims=True)
    else:
        posterior = start.copy()
    order = np.argsort(units, kind="stable")
    offsets = np.searchsorted(units[order], np.arange(n_units + 1))
    answers = annotators[order] * n_categories + categories[order]
    prior, answer_given_true, n_iterations, change = _expect_and_maximize(
        offsets, answers, times[annotators[order]], unit_weights, posterior, n_annotators, tolerance, max_iterations
    )
    confusion = answer_given_true.reshape(n_annotators, n_categories, n_categories).transpose(0, 2, 1)
    return DawidSkene(posterior, prior, confusion.copy(), n_iterations, change <= tolerance)


@jit
def _expect_and_maximize(
    offsets: Integers,
    answers: Integers,
    copies: Floats,
    weights: Floats,
    posterior: Floats,
    n_annotators: int,
    tolerance: float,
    max_iterations: int,
) -> tuple[Floats, Floats, int, float]:
    """Alternate E and M steps from an initial posterior, updated in place; ends with an M step.

    Votes `offsets[unit]` to `offsets[unit + 1]` are about a unit; vote k counts `copies[k]` times and is encoded as
    `annotator * n_categories + category`, a row of counts and probabilities over the true categories, so that inner
    loops are contiguous in memory. One pass over the units computes each posterior and accumulates its counts.
    """
    n_units, n_categories = posterior.shape
    shares, counts = np.zeros(n_categories), np.zeros((n_annotators * n_categories, n_categories))
    unit_posterior = np.empty(n_categories)
    for unit in range(n_units):
        for true in range(n_categories):
            unit_posterior[true] = weights[unit] * posterior[unit, true]
        _count(answers[offsets[unit] : offsets[unit + 1]], unit_posterior, shares, counts)
    change = np.inf
    n_iterations = 0
    while n_iterations < max_iterations and change > tolerance:
        prior, confusion = _maximized(shares, counts)
        log_prior, log_confusion = np.log(np.maximum(prior, FLOOR)), np.log(confusion)
        shares[:] = 0.0
        counts[:] = 0.0
        change = 0.0
        for unit in range(n_units):
            first, last = offsets[unit], offsets[unit + 1]
            total = _expect(answers[first:last], copies[first:last], log_prior, log_confusion, unit_posterior)
            for true in range(n_categories):
                probability = unit_posterior[true] / total
                change = max(change, abs(probability - posterior[unit, true]))
                posterior[unit, true] = probability
                unit_posterior[true] = weights[unit] * probability
            _count(answers[first:last], unit_posterior, shares, counts)
        n_iterations += 1
    prior, confusion = _maximized(shares, counts)
    return prior, confusion, n_iterations, change


@jit
def _expect(answers: Integers, copies: Floats, log_prior: Floats, log_confusion: Floats, posterior: Floats) -> float:
    """Fill `posterior` with the unnormalized posterior of a unit by Bayes' rule; return its sum."""
    for true in range(len(posterior)):
        posterior[true] = log_prior[true]
    for k in range(len(answers)):
        for true in range(len(posterior)):
            posterior[true] += copies[k] * log_confusion[answers[k], true]
    largest = -np.inf
    for true in range(len(posterior)):
        largest = max(largest, posterior[true])
    total = 0.0
    for true in range(len(posterior)):
        posterior[true] = np.exp(posterior[true] - largest)
        total += posterior[true]
    return total


@jit
def _count(answers: Integers, weights: Floats, shares: Floats, counts: Floats) -> None:
    """Add a unit to the expected counts of prior and confusion, with weight `weights[true]` per true category."""
    for true in range(len(weights)):
        shares[true] += weights[true]
    for k in range(len(answers)):
        for true in range(len(weights)):
            counts[answers[k], true] += weights[true]


@jit
def _maximized(shares: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Maximum-likelihood prior and confusion given the expected counts."""
    n_categories = len(shares)
    confusion = np.maximum(counts, FLOOR)
    for first in range(0, len(confusion), n_categories):
        for true in range(n_categories):
            total = 0.0
            for answer in range(first, first + n_categories):
                total += confusion[answer, true]
            for answer in range(first, first + n_categories):
                confusion[answer, true] /= total
    return shares / shares.sum(), confusion
