"""What every layer of a figure offers, and the marks and paths they are drawn with."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.plot.axis import Axis
from assay.plot.svg import element, number

Floats = NDArray[np.float64]


class Layer(Protocol):
    """One thing drawn over the axes."""

    @property
    def name(self) -> str:
        """Return what the legend calls it; nothing keeps it out of the legend."""

    def extent(self) -> tuple[Floats, Floats]:
        """Return the x and the y values that must be visible."""

    def draw(self, x: Axis, y: Axis) -> str:
        """Return the SVG of the layer."""

    def swatch(self, x: float, y: float) -> str:
        """Return the legend's sample, centered at a pixel."""

    def notes(self) -> list[str]:
        """Return what the reader must be told: points left out, points merged."""

    def describe(self, x: Axis, y: Axis) -> str:
        """Return what it shows in words and numbers, for readers who cannot see it; nothing if it only decorates."""


def mark(shape: str, x: float, y: float, size: float, inner: str = "", **attributes: object) -> str:
    """Draw one mark of a given half-width."""
    x, y = float(x), float(y)
    if shape == "circle":
        return element("circle", inner, cx=x, cy=y, r=size, **attributes)
    outlines = {
        "square": [(-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)],
        "triangle": [(0, -1.2), (1.1, 0.8), (-1.1, 0.8)],
        "down": [(0, 1.2), (1.1, -0.8), (-1.1, -0.8)],
        "diamond": [(0, -1.3), (1.1, 0), (0, 1.3), (-1.1, 0)],
        "cross": [
            *((-0.35, -1.1), (0.35, -1.1), (0.35, -0.35), (1.1, -0.35), (1.1, 0.35), (0.35, 0.35)),
            *((0.35, 1.1), (-0.35, 1.1), (-0.35, 0.35), (-1.1, 0.35), (-1.1, -0.35), (-0.35, -0.35)),
        ],
    }
    corners = " ".join(f"{number(x + size * dx)},{number(y + size * dy)}" for dx, dy in outlines[shape])
    return element("polygon", inner, points=corners, **attributes)


def path(left: Floats, top: Floats) -> str:
    """Write the path through finite points; anything else lifts the pen."""
    steps, down = [], False
    for x, y in zip(left.tolist(), top.tolist(), strict=True):
        finite = np.isfinite(x) and np.isfinite(y)
        if finite:
            steps.append(f"{'L' if down else 'M'}{number(x)} {number(y)}")
        down = bool(finite)
    return "".join(steps)


def skipped_note(name: str, count: int) -> list[str]:
    """Say that values without a number are not drawn."""
    return [f"{name + ': ' if name else ''}{count:,} not drawn (no number)"] if count else []
