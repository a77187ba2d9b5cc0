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
    order = np.argsort(units, kind="stable")
    offsets = np.searchsorted(units[order], np.arange(n_units + 1))
    said = annotators[order] * n_categories + categories[order]
    prior, said_given_true, n_iterations, change = _expect_and_maximize(
        offsets, said, times[annotators[order]], drawn, posterior, n_annotators, tolerance, max_iterations
    )
    confusion = said_given_true.reshape(n_annotators, n_categories, n_categories).transpose(0, 2, 1)
    return DawidSkene(posterior, prior, confusion.copy(), n_iterations, change <= tolerance)


@jit
def _expect_and_maximize(
    offsets: Integers,
    said: Integers,
    copies: Floats,
    weights: Floats,
    posterior: Floats,
    n_annotators: int,
    tolerance: float,
    max_iterations: int,
) -> tuple[Floats, Floats, int, float]:
    """Alternate the two steps from a given posterior, which is changed in place; ends with a maximization.

    Vote k is one of `offsets[unit]` to `offsets[unit + 1]`, counts `copies[k]` times and says
    `annotator * n_categories + category`, which is a row of counts and probabilities over the true categories: inner
    loops run along memory. One walk over the units gives each its posterior and counts it at once.
    """
    n_units, n_categories = posterior.shape
    shares, counts = np.zeros(n_categories), np.zeros((n_annotators * n_categories, n_categories))
    found = np.empty(n_categories)
    for unit in range(n_units):
        for true in range(n_categories):
            found[true] = weights[unit] * posterior[unit, true]
        _count(said[offsets[unit] : offsets[unit + 1]], found, shares, counts)
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
            total = _expect(said[first:last], copies[first:last], log_prior, log_confusion, found)
            for true in range(n_categories):
                probability = found[true] / total
                change = max(change, abs(probability - posterior[unit, true]))
                posterior[unit, true] = probability
                found[true] = weights[unit] * probability
            _count(said[first:last], found, shares, counts)
        n_iterations += 1
    prior, confusion = _maximized(shares, counts)
    return prior, confusion, n_iterations, change


@jit
def _expect(said: Integers, copies: Floats, log_prior: Floats, log_confusion: Floats, found: Floats) -> float:
    """Fill `found` with the posterior of a unit by Bayes' rule, up to a factor: its sum, which is returned."""
    for true in range(len(found)):
        found[true] = log_prior[true]
    for k in range(len(said)):
        for true in range(len(found)):
            found[true] += copies[k] * log_confusion[said[k], true]
    largest = -np.inf
    for true in range(len(found)):
        largest = max(largest, found[true])
    total = 0.0
    for true in range(len(found)):
        found[true] = np.exp(found[true] - largest)
        total += found[true]
    return total


@jit
def _count(said: Integers, weights: Floats, shares: Floats, counts: Floats) -> None:
    """Add a unit to the counts behind prior and confusion, `weights[true]` of it to each true category."""
    for true in range(len(weights)):
        shares[true] += weights[true]
    for k in range(len(said)):
        for true in range(len(weights)):
            counts[said[k], true] += weights[true]


@jit
def _maximized(shares: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Prior and confusion that make the votes likeliest under the posterior."""
    n_categories = len(shares)
    confusion = np.maximum(counts, FLOOR)
    for first in range(0, len(confusion), n_categories):
        for true in range(n_categories):
            total = 0.0
            for said in range(first, first + n_categories):
                total += confusion[said, true]
            for said in range(first, first + n_categories):
                confusion[said, true] /= total
    return shares / shares.sum(), confusion
