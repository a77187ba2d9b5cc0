"""A number with its interval, the number of units behind it, and a reason where it is undefined."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import nan
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
