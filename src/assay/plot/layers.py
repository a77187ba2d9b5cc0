"""The layer protocol, and the marks and paths that layers draw with."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.plot.axis import Axis
from assay.plot.svg import element, number

Floats = NDArray[np.float64]


class Layer(Protocol):
    """One layer of a figure."""

    @property
    def name(self) -> str:
        """Return its name in the legend; empty for none."""

    def extent(self) -> tuple[Floats, Floats]:
        """Return the x and the y values that must be visible."""

    def draw(self, x: Axis, y: Axis) -> str:
        """Return the SVG of the layer."""

    def swatch(self, x: float, y: float) -> str:
        """Return its legend symbol, centered at a pixel."""

    def notes(self) -> list[str]:
        """Return caveats for the reader, such as points omitted or merged."""

    def describe(self, x: Axis, y: Axis) -> str:
        """Return a text alternative in words and numbers; empty if it is only decoration."""


def mark(shape: str, x: float, y: float, size: float, inner: str = "", **attributes: object) -> str:
    """Draw one mark with half-width `size`."""
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
    """Return the path through finite points, broken at all others."""
    steps, pen_down = [], False
    for x, y in zip(left.tolist(), top.tolist(), strict=True):
        finite = np.isfinite(x) and np.isfinite(y)
        if finite:
            steps.append(f"{'L' if pen_down else 'M'}{number(x)} {number(y)}")
        pen_down = bool(finite)
    return "".join(steps)


def skipped_note(name: str, count: int) -> list[str]:
    """A note that counts the missing values."""
    return [f"{name + ': ' if name else ''}{count:,} not drawn (no number)"] if count else []
