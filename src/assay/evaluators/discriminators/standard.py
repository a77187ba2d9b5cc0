"""Standardized numbers as features, with their squares."""

from __future__ import annotations

import numpy as np

from assay.evaluator import State
from assay.evaluators.discriminators.learner import Floats


def learn_standard(numbers: Floats) -> tuple[State, Floats]:
    """Means and standard deviations of the training rows, and the rows by them."""
    known = {"center": numbers.mean(axis=0), "spread": np.maximum(numbers.std(axis=0), 1e-9)}
    return known, standard(known, numbers)


def standard(known: State, numbers: Floats) -> Floats:
    """Rows by the means and standard deviations of training.

    A number that never varied in training says nothing, however far off it is later.
    """
    scaled = np.clip((numbers - known["center"]) / known["spread"], -5.0, 5.0)
    return np.hstack([scaled, scaled**2])
