"""Dots with whiskers: a ranking with its uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.plot.axis import Axis
from assay.plot.layers import Floats, mark, skipped_note
from assay.plot.palette import color_class
from assay.plot.svg import element, number, text


@dataclass(frozen=True)
class Intervals:
    """A dot with a whisker at each category of one axis."""

    name: str
    position: Floats
    value: Floats
    low: Floats
    high: Floats
    color: int
    vertical: bool
    tooltips: Sequence[str]

    def extent(self) -> tuple[Floats, Floats]:
        """Return dots and whisker ends."""
        values = np.concatenate([self.value, self.low, self.high])
        positions = np.tile(self.position, 3)
        return (positions, values) if self.vertical else (values, positions)

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw dots over whiskers; a missing whisker is omitted."""
        across, along = (x, y) if self.vertical else (y, x)
        place, dot, low, high = across(self.position), along(self.value), along(self.low), along(self.high)
        parts = []
        for row in np.flatnonzero(np.isfinite(dot)).tolist():
            stroke = color_class("s", self.color)
            if np.isfinite(low[row]) and np.isfinite(high[row]):
                ends = self._whisker(place[row], low[row], high[row])
                parts.append(element("path", class_=stroke, d=ends, stroke_width=2, fill="none"))
            middle = (place[row], dot[row]) if self.vertical else (dot[row], place[row])
            words = self.tooltips[row] if len(self.tooltips) else self._describe_row(row, across, along)
            tip = element("title", text(words)) if words else ""
            look = f"mark {color_class('f', self.color)} s-paper"
            parts.append(mark("circle", *middle, 4.5, tip, class_=look))
        return "".join(parts)

    def _whisker(self, place: float, low: float, high: float) -> str:
        first, last, p = number(low), number(high), number(place)
        before, after = number(place - 4), number(place + 4)
        if self.vertical:
            return f"M{p} {first}V{last}M{before} {first}H{after}M{before} {last}H{after}"
        return f"M{first} {p}H{last}M{first} {before}V{after}M{last} {before}V{after}"

    def swatch(self, x: float, y: float) -> str:
        """Draw a dot on a short whisker."""
        whisker = f"M{number(x - 8)} {number(y)}H{number(x + 8)}"
        stroke = element("path", class_=color_class("s", self.color), d=whisker, stroke_width=2)
        return stroke + mark("circle", x, y, 3.5, class_=color_class("f", self.color))

    def notes(self) -> list[str]:
        """Count the missing values."""
        return skipped_note(self.name, int(np.count_nonzero(~np.isfinite(self.value))))

    def describe(self, x: Axis, y: Axis) -> str:
        """List every category with its value and interval."""
        axes = (x, y) if self.vertical else (y, x)
        listed = "; ".join(words for row in range(len(self.value)) if (words := self._describe_row(row, *axes)))
        return f"{self.name}: {listed}" if self.name and listed else listed

    def _describe_row(self, row: int, across: Axis, along: Axis) -> str:
        """Format a category with its numbers; empty on a numeric axis, where other marks have tooltips."""
        if not across.categories:
            return ""
        value, low, high = (float(part[row]) for part in (self.value, self.low, self.high))
        between = f" ({along.format(low)} to {along.format(high)})" if np.isfinite([low, high]).all() else ""
        return f"{across.format(float(self.position[row]))} {along.format(value)}{between}"
