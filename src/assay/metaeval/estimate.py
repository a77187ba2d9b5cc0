"""A number with its interval, the number of units behind it, and a reason where it is undefined."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any


@dataclass(frozen=True)
class Estimate:
    """`about` holds what else a reader must know, such as the scale of measurement."""

    value: float
    low: float
    high: float
    n: int
    reason: str = ""
    about: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def undefined(cls, n: int, reason: str, **about: Any) -> Estimate:
        """No value, and why."""
        return cls(nan, nan, nan, n, reason, about)

    def as_json(self) -> dict[str, Any]:
        """The estimate as plain data; NaN becomes null."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        plain: dict[str, Any] = {name: None if isnan(number) else number for name, number in numbers.items()}
        plain["n"] = self.n
        if self.reason:
            plain["reason"] = self.reason
        return plain | self.about
