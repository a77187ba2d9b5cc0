"""The standard error of Fisher's z of a correlation (Bonett and Wright 2000)."""

from collections.abc import Callable
from dataclasses import dataclass
from math import atanh, sqrt


@dataclass(frozen=True)
class FisherError:
    """The squared error of atanh(r) from n units is squared(r) / (n - lost)."""

    squared: Callable[[float], float]
    lost: int

    def error(self, r: float, n: int) -> float:
        """The standard error."""
        return sqrt(self.squared(r) / (n - self.lost))


@dataclass(frozen=True)
class RankError(FisherError):
    """The same of a rank correlation; `near_one` is the value half a step below a perfect ranking of n."""

    near_one: Callable[[int], float]

    def perfect(self, n: int) -> tuple[float, float]:
        """Fisher's z half a step below a perfect ranking of n, and its standard error."""
        r = self.near_one(n)
        return atanh(r), self.error(r, n)


PEARSON = FisherError(lambda r: 1.0, 3)
SPEARMAN = RankError(lambda r: 1 + r * r / 2, 3, lambda n: 1 - 6 / (n * (n * n - 1)))
KENDALL = RankError(lambda r: 0.437, 4, lambda n: 1 - 2 / (n * (n - 1)))
