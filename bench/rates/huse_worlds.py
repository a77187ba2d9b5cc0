"""Worlds of HUSE in which everything is known: texts are points, people and systems draw from normal densities.

Items make texts likelier and better liked, annotators are strict or kind, and each output is judged by some of them.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.evaluators.huse.measure import MEASURES, Rules, measure
from assay.evaluators.huse.problem import Problem, problem_from_arrays

N_ANNOTATORS, PER_OUTPUT = 12, 5
ITEM_EFFECT, ANNOTATOR_EFFECT = 0.5, 0.5
TRUTH_WORK = 120_000

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class World:
    """People draw texts from N(0, I) in the plane, the system from N(mean, deviation^2 I).

    Judges like every text of the system less by `worse`; where the log-probability is `silent`, it says nothing of who
    wrote a text, so the system lacks no diversity.
    """

    mean: tuple[float, float] = (0.0, 0.0)
    deviation: float = 1.0
    worse: float = 0.0
    silent: bool = False

    def problem(self, rng: np.random.Generator, n: int) -> Problem:
        """Draw a study of n items, each with an output of people and one of the system."""
        item = np.tile(np.arange(n), 2)
        human = np.arange(2 * n) < n
        texts = rng.normal(size=(2 * n, 2))
        texts[~human] = np.array(self.mean) + self.deviation * texts[~human]
        effect = ITEM_EFFECT * rng.normal(size=(n, 2))[item]
        liked = 4 - 0.5 * (texts**2).sum(axis=1) + effect[:, 0] - self.worse * ~human
        steps = (texts - np.array(self.mean)) / self.deviation
        logprob = -0.5 * (steps**2).sum(axis=1) - 2 * np.log(self.deviation) + effect[:, 1]
        if self.silent:
            logprob = rng.normal(size=2 * n) + effect[:, 1]
        return problem_from_arrays(logprob, _mean_judgment(rng, liked), human, group=item)


def _mean_judgment(rng: np.random.Generator, liked: Floats) -> Floats:
    """Answers of 0 to 5 by a few annotators of a panel, each strict or kind in his own way."""
    kind = ANNOTATOR_EFFECT * rng.normal(size=N_ANNOTATORS)
    who = rng.random((len(liked), N_ANNOTATORS)).argsort(axis=1)[:, :PER_OUTPUT]
    answers = np.rint(liked[:, None] + kind[who] + rng.normal(size=who.shape))
    return np.asarray(np.clip(answers, 0, 5).mean(axis=1))


EQUAL = World()
LITTLE_OFF = World((0.4, 0.0), 0.9)
LOW_TEMPERATURE = World(deviation=0.62)
WORSE = World(worse=1.5, silent=True)


@cache
def expected(world: World, n: int) -> dict[str, float]:
    """The value of each measure expected of a study of this size, over many of them."""
    rng = np.random.default_rng((17, n))
    draws = max(200, TRUTH_WORK // n)
    drawn = [measure(world.problem(rng, n), Rules()).values for _ in range(draws)]
    return {name: float(np.mean([one[name] for one in drawn])) for name in MEASURES}
