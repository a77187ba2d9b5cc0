"""A number with its interval, the number of units behind it, and a reason where it is undefined."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isnan, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.kernels.intervals import percentile


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

    @classmethod
    def of(
        cls, value: float, resampled: NDArray[np.float64], n: int, *, reason: str, confidence: float, **about: Any
    ) -> Estimate:
        """A value with the percentile interval of its resamples; `reason` is used where the value is NaN."""
        if isnan(value):
            return cls.undefined(n, reason, **about)
        low, high, n_undefined = percentile(resampled, confidence)
        if n_undefined:
            about["n_undefined_resamples"] = n_undefined
        return cls(float(value), low, high, n, "", about)

    def as_json(self) -> dict[str, Any]:
        """The estimate as plain data; NaN becomes null."""
        numbers = {"value": self.value, "low": self.low, "high": self.high}
        plain: dict[str, Any] = {name: None if isnan(number) else number for name, number in numbers.items()}
        plain["n"] = self.n
        if self.reason:
            plain["reason"] = self.reason
        return plain | self.about
