"""A stated rate and the simulation that checks it: coverage of an interval, false positives, false sentences."""

from collections.abc import Callable
from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

Claim = Literal["coverage", "false positives", "false sentences"]
LIMITS: dict[Claim, tuple[float, float]] = {
    "coverage": (0.925, 0.975),
    "false positives": (0.0, 0.06),
    "false sentences": (0.0, 0.05),
}
"""What a nominal 95% interval, a nominal 5% test and a sentence of the report must keep to."""


@dataclass(frozen=True)
class Rate:
    """One row of the table.

    Attributes:
        world: what the simulated truth looks like, such as "equal systems, item effects".
        method: what is held to its rate, as a user would call it.
        n: the sizes, such as "5 items, 3 systems".
        claim: what is counted.
        trial: simulates one study and says whether the interval covered, the test fired or the sentence was false;
            None where the method gave no answer and said why, which is not counted.
        before: the rate of the version that was replaced, as measured; empty for what is new.
        conservative: the method may cover more than the upper limit, and the docs say why.
    """

    world: str
    method: str
    n: str
    claim: Claim
    trial: Callable[[np.random.Generator], bool | None]
    before: str = ""
    conservative: bool = False

    @property
    def name(self) -> str:
        """World, method and sizes in one line."""
        return f"{self.world} | {self.method} | {self.n}"


@dataclass(frozen=True)
class Measured:
    """How often a claim came true in `trials` simulations that gave an answer, of `asked`."""

    rate: Rate
    share: float
    trials: int
    asked: int

    def holds(self, standard_errors: float = 0.0) -> bool:
        """Whether the share lies within the limits of its claim, give or take some Monte Carlo standard errors."""
        low, high = LIMITS[self.rate.claim]
        margin = standard_errors * sqrt(max(high * (1 - high), low * (1 - low)) / max(self.trials, 1))
        return (low - margin <= self.share) and (self.rate.conservative or self.share <= high + margin)


def measure(rate: Rate, trials: int, seed: int = 0) -> Measured:
    """Simulate `trials` studies; each has a generator of its own, so that fewer trials are the first of more."""
    answers = [rate.trial(np.random.default_rng((seed, number))) for number in range(trials)]
    given = [bool(answer) for answer in answers if answer is not None]
    return Measured(rate, float(np.mean(given)) if given else float("nan"), len(given), trials)
