"""Worlds in which everything is known: texts are points, p_ref and p_model normal densities, so that L* is too."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.huse.problem import Problem, problem_from_arrays

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """People draw texts from N(0, I) in the plane, the model from N(mean, deviation^2 I)."""

    mean: tuple[float, float]
    deviation: float

    def draw(self, rng: np.random.Generator, n: int) -> tuple[Floats, NDArray[np.bool_]]:
        people = rng.normal(size=(n, 2))
        model = np.array(self.mean) + self.deviation * rng.normal(size=(n, 2))
        return np.concatenate([people, model]), np.arange(2 * n) < n

    def log_ref(self, texts: Floats) -> Floats:
        return -0.5 * (texts**2).sum(axis=1)

    def log_model(self, texts: Floats) -> Floats:
        steps = (texts - np.array(self.mean)) / self.deviation
        return -0.5 * (steps**2).sum(axis=1) - 2 * np.log(self.deviation)

    def twice_optimal_error(self, n: int = 400_000) -> float:
        """2 L* = 1 - TV(p_ref, p_model): the mean of min(1, p_model / p_ref) over texts of people."""
        texts = np.random.default_rng(0).normal(size=(n, 2))
        ratio = self.log_model(texts) - self.log_ref(texts)
        return float(np.exp(np.minimum(ratio, 0.0)).mean())

    def problem(self, rng: np.random.Generator, n: int, *, n_raters: int = 20, careless: float = 0.0) -> Problem:
        """2n outputs with judgments 0..5 of noisy raters, a share of whom answer at random."""
        texts, human = self.draw(rng, n)
        ratings = np.rint(5 + self.log_ref(texts)[:, None] + rng.normal(size=(2 * n, n_raters)))
        at_random = np.arange(n_raters) < round(careless * n_raters)
        ratings = np.where(at_random, rng.integers(0, 6, (2 * n, n_raters)), np.clip(ratings, 0, 5))
        return problem_from_arrays(self.log_model(texts), ratings.mean(axis=1), human)

    def exact_problem(self, rng: np.random.Generator, n: int) -> Problem:
        """2n outputs whose judgment is log p_ref itself: both features that are needed, without noise."""
        texts, human = self.draw(rng, n)
        return problem_from_arrays(self.log_model(texts), self.log_ref(texts), human)


WORLDS = {
    "the same": World((0, 0), 1.0),
    "a little off": World((0.4, 0), 0.9),
    "low temperature": World((0, 0), 0.6),
    "shifted": World((1, 0), 1.0),
    "collapsed": World((0.8, 0.8), 0.35),
}
