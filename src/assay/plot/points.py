"""A scatter plot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.plot.axis import Axis
from assay.plot.layers import Floats, mark, skipped_note
from assay.plot.palette import color_class
from assay.plot.svg import element, text

SHAPES = ("circle", "square", "triangle", "diamond", "down", "cross")
FEW = 12


@dataclass(frozen=True)
class Points:
    """A scatter plot. Above `limit` points, counts per square cell are drawn, or a random sample with a fixed seed."""

    name: str
    x: Floats
    y: Floats
    color: int
    shape: str
    size: float
    tooltips: Sequence[str]
    data: Mapping[str, Sequence[str]]
    limit: int
    sampled: bool

    def extent(self) -> tuple[Floats, Floats]:
        """Return all points."""
        return self.x, self.y

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw marks, or cells if there are too many."""
        left, top = x(self.x), y(self.y)
        rows = np.flatnonzero(np.isfinite(left) & np.isfinite(top))
        if len(rows) > self.limit:
            if not self.sampled:
                return self._cells(left[rows], top[rows])
            rows = np.sort(np.random.default_rng(0).choice(rows, self.limit, replace=False))
        marks = []
        for row in rows.tolist():
            about = {f"data-{key}": values[row] for key, values in self.data.items()}
            inner = element("title", text(self.tooltips[row])) if len(self.tooltips) else ""
            marks.append(self._mark(left[row], top[row], inner, **about))
        return "".join(marks)

    def _mark(self, left: float, top: float, inner: str = "", **about: object) -> str:
        look = f"mark {color_class('f', self.color)} s-paper"
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
                class_=color_class("f", self.color),
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
        """Count the points that are not drawn, and report sampling or merging."""
        drawable = int(np.count_nonzero(np.isfinite(self.x) & np.isfinite(self.y)))
        notes = skipped_note(self.name, len(self.x) - drawable)
        if drawable > self.limit:
            how = f"{self.limit:,} of {drawable:,} drawn" if self.sampled else f"{drawable:,} drawn as counts"
            notes.append(f"{self.name or 'points'}: {how}")
        return notes

    def describe(self, x: Axis, y: Axis) -> str:
        """List the tooltips of a few points; for many, give their number and the range of most of them."""
        drawable = np.isfinite(self.x) & np.isfinite(self.y)
        if not drawable.any():
            return ""
        if 0 < len(self.tooltips) <= FEW:
            return "; ".join(self.tooltips)
        spans = [
            f"{axis.format(float(low))} to {axis.format(float(high))}"
            for axis, values in ((x, self.x[drawable]), (y, self.y[drawable]))
            for low, high in [np.quantile(values, (0.1, 0.9))]
        ]
        count = f"{self.name or 'points'}: {np.count_nonzero(drawable):,}"
        return f"{count}, most of them from {spans[0]} across and {spans[1]} up"
