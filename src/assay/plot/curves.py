"""Lines, bands and bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.plot.axis import Axis
from assay.plot.layers import Floats, path, skipped_note
from assay.plot.palette import color_class
from assay.plot.svg import element, number, text


@dataclass(frozen=True)
class Line:
    """A line through points in the given order, broken at gaps."""

    name: str
    x: Floats
    y: Floats
    color: int
    dash: str | None
    width: float
    limit: int

    def extent(self) -> tuple[Floats, Floats]:
        """Return all points."""
        return self.x, self.y

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw the segments between gaps."""
        rows = thinned(self.y, self.limit)
        left, top = x(self.x[rows]), y(self.y[rows])
        return element(
            "path",
            class_=color_class("s", self.color),
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
            class_=color_class("s", self.color),
            d=f"M{number(x - 8)} {number(y)}H{number(x + 8)}",
            stroke_width=self.width,
            stroke_dasharray=self.dash,
        )

    def notes(self) -> list[str]:
        """Count the points that are not drawn, and report thinning."""
        finite = np.isfinite(self.x) & np.isfinite(self.y)
        notes = skipped_note(self.name, int(np.count_nonzero(~finite)))
        if len(self.x) > self.limit:
            notes.append(f"{self.name or 'line'}: {len(self.x):,} points thinned to {self.limit:,}")
        return notes

    def describe(self, x: Axis, y: Axis) -> str:
        """Describe the start, end and range of a named line."""
        rows = np.flatnonzero(np.isfinite(self.x) & np.isfinite(self.y))
        if not self.name or not len(rows):
            return ""
        ends = [f"{y.format(self.y[row])} at {x.format(self.x[row])}" for row in (rows[0], rows[-1])]
        reach = f"lowest {y.format(self.y[rows].min())}, highest {y.format(self.y[rows].max())}"
        return f"{self.name} from {ends[0]} to {ends[1]}, {reach}"


@dataclass(frozen=True)
class Band:
    """The area between two curves over x, such as a confidence band."""

    name: str
    x: Floats
    low: Floats
    high: Floats
    color: int
    opacity: float

    def extent(self) -> tuple[Floats, Floats]:
        """Return both edges."""
        return np.concatenate([self.x, self.x]), np.concatenate([self.low, self.high])

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw one area, without points that lack an edge."""
        left, low, high = x(self.x), y(self.low), y(self.high)
        rows = np.isfinite(left) & np.isfinite(low) & np.isfinite(high)
        around = path(np.r_[left[rows], left[rows][::-1]], np.r_[high[rows], low[rows][::-1]])
        look = color_class("f", self.color)
        return element("path", class_=look, d=around + "Z", fill_opacity=self.opacity) if around else ""

    def swatch(self, x: float, y: float) -> str:
        """Draw a small area."""
        look = color_class("f", self.color)
        return element("rect", class_=look, x=x - 7, y=y - 5, width=14, height=10, fill_opacity=self.opacity)

    def notes(self) -> list[str]:
        """Count the positions without a band."""
        finite = np.isfinite(self.x) & np.isfinite(self.low) & np.isfinite(self.high)
        return skipped_note(self.name, int(np.count_nonzero(~finite)))

    def describe(self, x: Axis, y: Axis) -> str:
        """Empty: the line inside the band is described."""
        return ""


@dataclass(frozen=True)
class Bars:
    """Bars between edges (a histogram) or around category positions."""

    name: str
    left: Floats
    right: Floats
    height: Floats
    color: int
    opacity: float
    tooltips: Sequence[str]

    def extent(self) -> tuple[Floats, Floats]:
        """Return the edges, the heights and the baseline."""
        return np.concatenate([self.left, self.right]), np.append(self.height, 0.0)

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw one rectangle per bar."""
        first, last, top, ground = x(self.left), x(self.right), y(self.height), y.pixel(0.0)
        bars = []
        for row in np.flatnonzero(np.isfinite(first) & np.isfinite(last) & np.isfinite(top)).tolist():
            tip = self.tooltips[row] if len(self.tooltips) else f"{self.height[row]:g}"
            bars.append(
                element(
                    "rect",
                    element("title", text(tip)),
                    class_=f"{color_class('f', self.color)} s-paper",
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
        look = color_class("f", self.color)
        return element("rect", class_=look, x=x - 5, y=y - 5, width=10, height=10, fill_opacity=self.opacity)

    def notes(self) -> list[str]:
        """Count the bars without a height."""
        return skipped_note(self.name, int(np.count_nonzero(~np.isfinite(self.height))))

    def describe(self, x: Axis, y: Axis) -> str:
        """Give the number of bars and the tallest one."""
        if not np.isfinite(self.height).any():
            return ""
        top = int(np.nanargmax(self.height))
        where = f"{x.format(self.left[top])} to {x.format(self.right[top])}"
        return f"{self.name or 'bars'}: {len(self.height)}, the tallest {y.format(self.height[top])} from {where}"


def thinned(values: Floats, limit: int) -> NDArray[np.int64]:
    """Choose about `limit` positions at most, keeping the minimum and maximum of every chunk."""
    if len(values) <= limit:
        return np.arange(len(values))
    chosen = {0, len(values) - 1}
    for chunk in np.array_split(np.arange(len(values)), max(1, limit // 2 - 1)):
        piece = values[chunk]
        if np.isfinite(piece).any():
            chosen |= {int(chunk[np.nanargmin(piece)]), int(chunk[np.nanargmax(piece)])}
    return np.array(sorted(chosen), np.int64)
