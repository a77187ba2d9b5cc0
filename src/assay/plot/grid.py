"""A heat map, or a decision surface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.plot.axis import Axis
from assay.plot.layers import Floats, skipped_note
from assay.plot.palette import color_class
from assay.plot.svg import element, number, text

LEVELS = 32
# The strongest color on which text has a contrast of 4.5 in both themes (WCAG 2, level AA).
READABLE = 0.55
# Narrower cells have no text: it would overlap the next one.
READABLE_CELL = 29
# A larger grid is described by its range instead of cell by cell.
MOST_DESCRIBED = 64


@dataclass(frozen=True)
class Grid:
    """Values on a grid, encoded as color strength; with `middle`, values below it have another color.

    `values[i, j]` fills x_edges[j]..x_edges[j + 1], y_edges[i]..y_edges[i + 1].
    """

    name: str
    x_edges: Floats
    y_edges: Floats
    values: Floats
    low: float
    high: float
    middle: float | None
    color: int
    color_below: int
    strength: float
    cell_text: str | None
    tooltips: Sequence[Sequence[str]]

    def extent(self) -> tuple[Floats, Floats]:
        """Return the outer edges."""
        return self.x_edges, self.y_edges

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw every cell separately if cells have a text, else all cells of one color as one path."""
        left, top = x(self.x_edges), y(self.y_edges)
        levels = self._levels()
        if self.cell_text or len(self.tooltips):
            return self._cells(levels, x, y)
        outlines: dict[int, list[str]] = {}
        for line, row in enumerate(levels):
            breaks = np.flatnonzero(np.diff(row)) + 1
            up, down = number(top[line]), number(top[line + 1])
            for start, stop in zip(np.r_[0, breaks].tolist(), np.r_[breaks, len(row)].tolist(), strict=True):
                box = f"M{number(left[start])} {up}H{number(left[stop])}V{down}H{number(left[start])}Z"
                outlines.setdefault(int(row[start]), []).append(box)
        return "".join(
            element("path", d="".join(outlines[level]), shape_rendering="crispEdges", **self._look(level))
            for level in sorted(outlines)
        )

    def _cells(self, levels: NDArray[np.int64], x: Axis, y: Axis) -> str:
        left, top = x(self.x_edges), y(self.y_edges)
        parts = []
        for line, column in np.ndindex(*levels.shape):
            first, last = sorted((float(left[column]), float(left[column + 1])))
            up, down = sorted((float(top[line]), float(top[line + 1])))
            tip = element("title", text(self._tooltip(line, column, x, y)))
            size = {"x": first, "y": up, "width": last - first, "height": down - up}
            look = self._look(int(levels[line, column]))
            parts.append(element("rect", tip, **size, shape_rendering="crispEdges", **look))
            if self.cell_text and last - first >= READABLE_CELL and np.isfinite(self.values[line, column]):
                words = text(self._written(line, column))
                place = {"x": (first + last) / 2, "y": (up + down) / 2 + 4, "text_anchor": "middle"}
                parts.append(element("text", words, class_="f-ink unseen", **place))
        return "".join(parts)

    def _look(self, level: int) -> dict[str, object]:
        if level == LEVELS + 1:
            return {"class_": "f-line", "fill_opacity": 0.4}
        look = color_class("f", self.color if level >= 0 else self.color_below)
        return {"class_": look, "fill_opacity": float(self.strength * abs(level) / LEVELS)}

    def _levels(self) -> NDArray[np.int64]:
        """Return quantized color strengths, negative below the middle; LEVELS + 1 for NaN."""
        if self.middle is None:
            share = (self.values - self.low) / max(self.high - self.low, 1e-300)
            share = 0.04 + 0.96 * np.clip(share, 0, 1)
        else:
            above = (self.values - self.middle) / max(self.high - self.middle, 1e-300)
            below = (self.values - self.middle) / max(self.middle - self.low, 1e-300)
            share = np.clip(np.where(self.values >= self.middle, above, below), -1, 1)
        return np.where(np.isfinite(share), np.rint(np.nan_to_num(share) * LEVELS), LEVELS + 1).astype(np.int64)

    def _tooltip(self, line: int, column: int, x: Axis, y: Axis) -> str:
        if len(self.tooltips):
            return self.tooltips[line][column]
        at_x, at_y = (self.x_edges[column : column + 2].mean(), self.y_edges[line : line + 2].mean())
        return f"{y.format(float(at_y))} and {x.format(float(at_x))}: {self._written(line, column)}"

    def _written(self, line: int, column: int) -> str:
        value = float(self.values[line, column])
        written = format(value, self.cell_text or ".4g") if np.isfinite(value) else "no number"
        # No minus sign on a rounded zero.
        return written.removeprefix("-") if not written.strip("-0.") else written

    def swatch(self, x: float, y: float) -> str:
        """Draw the color scale from low to high."""
        steps = np.linspace(self.low, self.high, 12)
        edges = np.linspace(x - 8, x + 8, 13), np.array([y - 5, y + 5])
        strip = replace(self, x_edges=edges[0], y_edges=edges[1], values=steps[None], cell_text=None, tooltips=())
        same = Axis(0.0, 1.0, 0.0, 1.0)
        return strip.draw(same, same)

    def notes(self) -> list[str]:
        """Count the empty cells."""
        return skipped_note(self.name, int(np.count_nonzero(~np.isfinite(self.values))))

    def describe(self, x: Axis, y: Axis) -> str:
        """List the cells of a small grid, else give the range of the values."""
        finite = self.values[np.isfinite(self.values)]
        if not len(finite):
            return ""
        if self.cell_text and self.values.size <= MOST_DESCRIBED:
            cells = [
                self._tooltip(line, column, x, y)
                for line, column in np.ndindex(*self.values.shape)
                if np.isfinite(self.values[line, column])
            ]
            return f"{self.name or 'cells'}: {'; '.join(cells)}"
        return f"{self.name or 'cells'}: {len(finite):,} cells from {finite.min():.3g} to {finite.max():.3g}"
