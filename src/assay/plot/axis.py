"""Axes: map data to pixels, with ticks at round numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Axis:
    """Maps `low`..`high` to the pixels `start`..`stop`, on a linear or logarithmic scale, and labels its ticks.

    With `categories`, position i is the i-th category and ticks are their names.
    """

    low: float
    high: float
    start: float
    stop: float
    logarithmic: bool = False
    categories: tuple[str, ...] = ()

    def __call__(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return pixels; NaN for values up to zero on a logarithmic axis."""
        values = np.asarray(values, np.float64)
        low, high = self.low, self.high
        if self.logarithmic:
            values = np.log10(np.where(values > 0, values, np.nan))
            low, high = log10(low), log10(high)
        return self.start + (values - low) / (high - low) * (self.stop - self.start)

    def pixel(self, value: float) -> float:
        """Return one pixel position."""
        return float(self(np.array([value]))[0])

    def format(self, value: float) -> str:
        """Format a value: the name of a category, or three digits."""
        if self.categories and 0 <= round(value) < len(self.categories):
            return self.categories[round(value)]
        return f"{value:.3g}" if isfinite(value) else "no number"

    def ticks(self) -> list[tuple[float, str]]:
        """Return tick values and their labels."""
        if self.categories:
            return [(float(position), name) for position, name in enumerate(self.categories)]
        room = max(2, int(abs(self.stop - self.start) // (58 if self.stop > self.start else 42)))
        if self.logarithmic:
            return logarithmic_ticks(self.low, self.high, room)
        return linear_ticks(self.low, self.high, room)


def limits(
    values: Sequence[NDArray[np.float64]], *, logarithmic: bool = False, pad: float = 0.05
) -> tuple[float, float]:
    """Return the padded range of all values; never empty."""
    everything = np.concatenate([np.ravel(part) for part in values]) if values else np.zeros(0)
    everything = everything[np.isfinite(everything)]
    if logarithmic:
        everything = np.log10(everything[everything > 0])
    if not len(everything):
        return (1.0, 10.0) if logarithmic else (0.0, 1.0)
    low, high = float(everything.min()), float(everything.max())
    width = high - low
    # A range below floating-point resolution is a single value.
    if width <= 1e-12 * max(abs(low), abs(high)):
        width = 1.0 if logarithmic else max(abs(low), 1.0)
        low, high = low - 0.5 * width, high + 0.5 * width
    low, high = low - pad * width, high + pad * width
    if logarithmic:
        low, high = max(low, -300.0), min(high, 300.0)
    return (10.0**low, 10.0**high) if logarithmic else (low, high)


def linear_ticks(low: float, high: float, room: int) -> list[tuple[float, str]]:
    """Choose about `room` ticks at most, at multiples of 1, 2 or 5 times a power of ten."""
    rough = (high - low) / room
    power = 10.0 ** floor(log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    return [(index * step, tick_label(index * step, step)) for index in range(first, last + 1)]


def logarithmic_ticks(low: float, high: float, room: int) -> list[tuple[float, str]]:
    """Choose powers of ten, with 2 and 5 in between if there is room; linear ticks within a decade."""
    for factors in ((1, 2, 5), (1,)):
        powers = range(floor(log10(low)), ceil(log10(high)) + 1)
        ticks = [factor * 10.0**power for power in powers for factor in factors]
        ticks = [tick for tick in ticks if low * 0.999 <= tick <= high * 1.001]
        if 2 <= len(ticks) <= 2 * room:
            return [(tick, tick_label(tick, tick)) for tick in ticks]
    if len(ticks) > 2 * room:
        ticks = ticks[:: ceil(len(ticks) / room)]
        return [(tick, tick_label(tick, tick)) for tick in ticks]
    return [(tick, label) for tick, label in linear_ticks(low, high, room) if tick > 0]


def tick_label(value: float, step: float) -> str:
    """Format a tick with the decimals its step needs."""
    if value and not 1e-4 <= abs(value) < 1e7:
        mantissa, exponent = f"{value:.2e}".split("e")
        return f"{mantissa.rstrip('0').rstrip('.')}e{int(exponent)}"
    decimals = max(0, -floor(log10(step) + 1e-9))
    written = f"{value:,.{decimals}f}"
    return written.lstrip("-") if float(written.replace(",", "")) == 0 else written.replace("-", "\N{MINUS SIGN}")
