"""What can be drawn over one pair of axes. A layer knows its extent, drawing, legend and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assay.report.plot.axis import Axis
from assay.report.plot.palette import colour_class
from assay.report.plot.svg import element, number, text

Floats = NDArray[np.float64]
SHAPES = ("circle", "square", "triangle", "diamond", "down", "cross")


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
        """Return the legend's sample, centred at a pixel."""

    def notes(self) -> list[str]:
        """Return what the reader must be told: points left out, points merged."""


@dataclass(frozen=True)
class Points:
    """A scatter. Above `limit` points, counts in square cells are drawn instead."""

    name: str
    x: Floats
    y: Floats
    colour: int
    shape: str
    size: float
    tooltips: Sequence[str]
    data: Mapping[str, Sequence[str]]
    limit: int

    def extent(self) -> tuple[Floats, Floats]:
        """Return all points."""
        return self.x, self.y

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw marks, or cells where there are too many."""
        left, top = x(self.x), y(self.y)
        rows = np.flatnonzero(np.isfinite(left) & np.isfinite(top))
        if len(rows) > self.limit:
            return self._cells(left[rows], top[rows])
        marks = []
        for row in rows.tolist():
            about = {f"data-{key}": values[row] for key, values in self.data.items()}
            inner = element("title", text(self.tooltips[row])) if len(self.tooltips) else ""
            hit = "1" if about or inner else None
            marks.append(self._mark(left[row], top[row], inner, data_hit=hit, **about))
        return "".join(marks)

    def _mark(self, left: float, top: float, inner: str = "", **about: object) -> str:
        look = f"mark {colour_class('f', self.colour)} s-paper"
        return mark(self.shape, left, top, self.size, inner, class_=look, fill_opacity="0.75", **about)

    def _cells(self, left: Floats, top: Floats) -> str:
        side = 6
        columns, lines = (left // side).astype(np.int64), (top // side).astype(np.int64)
        cells, counts = np.unique(np.stack([columns, lines], axis=1), axis=0, return_counts=True)
        strength = 0.15 + 0.85 * np.log1p(counts) / np.log1p(counts.max())
        return "".join(
            element(
                "rect",
                element("title", f"{count:,} {'point' if count == 1 else 'points'}"),
                class_=colour_class("f", self.colour),
                x=float(column * side),
                y=float(line * side),
                width=side,
                height=side,
                fill_opacity=float(opacity),
            )
            for (column, line), count, opacity in zip(cells.tolist(), counts.tolist(), strength, strict=True)
        )

    def swatch(self, x: float, y: float) -> str:
        """Draw one mark."""
        return self._mark(x, y)

    def notes(self) -> list[str]:
        """Say how many points are no numbers, and that many points were merged."""
        drawable = int(np.count_nonzero(np.isfinite(self.x) & np.isfinite(self.y)))
        notes = skipped_note(self.name, len(self.x) - drawable)
        if drawable > self.limit:
            notes.append(f"{self.name or 'points'}: {drawable:,} points drawn as counts (limit {self.limit:,})")
        return notes


@dataclass(frozen=True)
class Line:
    """A line through points in the order given; a gap in the data is a gap in the line."""

    name: str
    x: Floats
    y: Floats
    colour: int
    dash: str | None
    width: float
    limit: int

    def extent(self) -> tuple[Floats, Floats]:
        """Return all points."""
        return self.x, self.y

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw the pieces between gaps."""
        rows = thinned(self.y, self.limit)
        left, top = x(self.x[rows]), y(self.y[rows])
        return element(
            "path",
            class_=colour_class("s", self.colour),
            d=path(left, top) or "M0 0",
            fill="none",
            stroke_width=self.width,
            stroke_dasharray=self.dash,
            stroke_linejoin="round",
        )

    def swatch(self, x: float, y: float) -> str:
        """Draw a short line."""
        return element(
            "path",
            class_=colour_class("s", self.colour),
            d=f"M{number(x - 8)} {number(y)}H{number(x + 8)}",
            stroke_width=self.width,
            stroke_dasharray=self.dash,
        )

    def notes(self) -> list[str]:
        """Say how many points are no numbers, and that the line was thinned."""
        finite = np.isfinite(self.x) & np.isfinite(self.y)
        notes = skipped_note(self.name, int(np.count_nonzero(~finite)))
        if len(self.x) > self.limit:
            notes.append(f"{self.name or 'line'}: {len(self.x):,} points thinned to {self.limit:,}")
        return notes


@dataclass(frozen=True)
class Band:
    """The area between two curves over x: an interval, or a region."""

    name: str
    x: Floats
    low: Floats
    high: Floats
    colour: int
    opacity: float

    def extent(self) -> tuple[Floats, Floats]:
        """Return both edges."""
        return np.concatenate([self.x, self.x]), np.concatenate([self.low, self.high])

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw one area; points where an edge is missing are left out."""
        left, low, high = x(self.x), y(self.low), y(self.high)
        rows = np.isfinite(left) & np.isfinite(low) & np.isfinite(high)
        around = path(np.r_[left[rows], left[rows][::-1]], np.r_[high[rows], low[rows][::-1]])
        look = colour_class("f", self.colour)
        return element("path", class_=look, d=around + "Z", fill_opacity=self.opacity) if around else ""

    def swatch(self, x: float, y: float) -> str:
        """Draw a small area."""
        look = colour_class("f", self.colour)
        return element("rect", class_=look, x=x - 7, y=y - 5, width=14, height=10, fill_opacity=self.opacity)

    def notes(self) -> list[str]:
        """Say how many positions have no band."""
        whole = np.isfinite(self.x) & np.isfinite(self.low) & np.isfinite(self.high)
        return skipped_note(self.name, int(np.count_nonzero(~whole)))


@dataclass(frozen=True)
class Bars:
    """Bars between edges (a histogram) or around category positions."""

    name: str
    left: Floats
    right: Floats
    height: Floats
    colour: int
    opacity: float
    tooltips: Sequence[str]

    def extent(self) -> tuple[Floats, Floats]:
        """Return the edges, the heights and the ground line."""
        return np.concatenate([self.left, self.right]), np.append(self.height, 0.0)

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw one rectangle a bar."""
        first, last, top, ground = x(self.left), x(self.right), y(self.height), y.pixel(0.0)
        bars = []
        for row in np.flatnonzero(np.isfinite(first) & np.isfinite(last) & np.isfinite(top)).tolist():
            tip = self.tooltips[row] if len(self.tooltips) else f"{self.height[row]:g}"
            bars.append(
                element(
                    "rect",
                    element("title", text(tip)),
                    class_=f"{colour_class('f', self.colour)} s-paper",
                    x=float(first[row]),
                    y=float(min(top[row], ground)),
                    width=float(max(last[row] - first[row], 0.5)),
                    height=float(abs(ground - top[row])),
                    fill_opacity=self.opacity,
                )
            )
        return "".join(bars)

    def swatch(self, x: float, y: float) -> str:
        """Draw a small bar."""
        look = colour_class("f", self.colour)
        return element("rect", class_=look, x=x - 5, y=y - 5, width=10, height=10, fill_opacity=self.opacity)

    def notes(self) -> list[str]:
        """Say how many bars have no height."""
        return skipped_note(self.name, int(np.count_nonzero(~np.isfinite(self.height))))


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


def thinned(values: Floats, limit: int) -> NDArray[np.int64]:
    """Choose at most about `limit` positions that keep the smallest and largest value of every stretch."""
    if len(values) <= limit:
        return np.arange(len(values))
    kept = {0, len(values) - 1}
    for stretch in np.array_split(np.arange(len(values)), max(1, limit // 2 - 1)):
        piece = values[stretch]
        if np.isfinite(piece).any():
            kept |= {int(stretch[np.nanargmin(piece)]), int(stretch[np.nanargmax(piece)])}
    return np.array(sorted(kept), np.int64)


def skipped_note(name: str, count: int) -> list[str]:
    """Say that values without a number are not drawn."""
    return [f"{name + ': ' if name else ''}{count:,} not drawn (no number)"] if count else []
