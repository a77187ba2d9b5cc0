"""Layers with structure: a heat map or decision surface, intervals, rules and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.report.plot.axis import Axis
from assay.report.plot.layers import Floats, mark, skipped_note
from assay.report.plot.palette import colour_class
from assay.report.plot.svg import element, number, text

LEVELS = 32


@dataclass(frozen=True)
class Grid:
    """Values on a grid of cells. Strength of colour shows the value; with `middle`, two colours part there.

    `values[i, j]` fills x_edges[j]..x_edges[j + 1], y_edges[i]..y_edges[i + 1].
    """

    name: str
    x_edges: Floats
    y_edges: Floats
    values: Floats
    low: float
    high: float
    middle: float | None
    colour: int
    colour_below: int
    strength: float
    cell_text: str | None
    tooltips: Sequence[Sequence[str]]

    def extent(self) -> tuple[Floats, Floats]:
        """Return the outer edges."""
        return self.x_edges, self.y_edges

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw each line of cells, equal neighbours as one rectangle unless cells carry a text."""
        left, top = x(self.x_edges), y(self.y_edges)
        levels = self._levels()
        whole_cells = bool(self.cell_text) or bool(len(self.tooltips))
        cells = []
        for line in range(levels.shape[0]):
            breaks = np.flatnonzero(np.diff(levels[line])) + 1
            if whole_cells:
                breaks = np.arange(1, levels.shape[1])
            for start, stop in zip(np.r_[0, breaks].tolist(), np.r_[breaks, levels.shape[1]].tolist(), strict=True):
                level = int(levels[line, start])
                box = (left[start], top[line], left[stop], top[line + 1])
                cells.append(self._cell(box, level, self._tooltip(line, start) if whole_cells else ""))
                if self.cell_text and np.isfinite(self.values[line, start]):
                    cells.append(self._text(box, level, self.values[line, start]))
        return "".join(cells)

    def _levels(self) -> NDArray[np.int64]:
        """Return the strength of colour in steps, signed by the side of the middle; a mark for no number."""
        if self.middle is None:
            share = (self.values - self.low) / max(self.high - self.low, 1e-300)
            share = 0.04 + 0.96 * np.clip(share, 0, 1)
        else:
            above = (self.values - self.middle) / max(self.high - self.middle, 1e-300)
            below = (self.values - self.middle) / max(self.middle - self.low, 1e-300)
            share = np.clip(np.where(self.values >= self.middle, above, below), -1, 1)
        return np.where(np.isfinite(share), np.rint(np.nan_to_num(share) * LEVELS), LEVELS + 1).astype(np.int64)

    def _cell(self, box: tuple[float, float, float, float], level: int, tooltip: str) -> str:
        first, top, last, bottom = box
        empty = level == LEVELS + 1
        look = "f-line" if empty else colour_class("f", self.colour if level >= 0 else self.colour_below)
        return element(
            "rect",
            element("title", text(tooltip)) if tooltip else "",
            class_=look,
            x=float(min(first, last)),
            y=float(min(top, bottom)),
            width=float(abs(last - first)),
            height=float(abs(bottom - top)),
            fill_opacity=0.4 if empty else self.strength * abs(level) / LEVELS,
            shape_rendering="crispEdges",
        )

    def _text(self, box: tuple[float, float, float, float], level: int, value: float) -> str:
        look = "f-paper" if self.strength * abs(level) / LEVELS > 0.55 else "f-ink"
        return element(
            "text",
            text(format(value, self.cell_text or "")),
            class_=look,
            x=float((box[0] + box[2]) / 2),
            y=float((box[1] + box[3]) / 2 + 4),
            text_anchor="middle",
        )

    def _tooltip(self, line: int, column: int) -> str:
        if len(self.tooltips):
            return self.tooltips[line][column]
        value = self.values[line, column]
        return f"{value:g}" if np.isfinite(value) else "no number"

    def swatch(self, x: float, y: float) -> str:
        """Draw the colours from low to high."""
        steps = np.linspace(self.low, self.high, 12)
        edges = np.linspace(x - 8, x + 8, 13), np.array([y - 5, y + 5])
        strip = replace(self, x_edges=edges[0], y_edges=edges[1], values=steps[None], cell_text=None, tooltips=())
        same = Axis(0.0, 1.0, 0.0, 1.0)
        return strip.draw(same, same)

    def notes(self) -> list[str]:
        """Say what the colours mean and how many cells are empty."""
        notes = skipped_note(self.name, int(np.count_nonzero(~np.isfinite(self.values))))
        if self.name:
            notes.append(f"{self.name}: from {self.low:.3g} to {self.high:.3g}")
        return notes


@dataclass(frozen=True)
class Intervals:
    """A dot with a whisker at each category of one axis: a ranking with its uncertainty."""

    name: str
    position: Floats
    value: Floats
    low: Floats
    high: Floats
    colour: int
    vertical: bool
    tooltips: Sequence[str]

    def extent(self) -> tuple[Floats, Floats]:
        """Return dots and whisker ends."""
        values = np.concatenate([self.value, self.low, self.high])
        positions = np.tile(self.position, 3)
        return (positions, values) if self.vertical else (values, positions)

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw the whisker under the dot; a missing whisker leaves the dot alone."""
        across, along = (x, y) if self.vertical else (y, x)
        place, dot, low, high = across(self.position), along(self.value), along(self.low), along(self.high)
        parts = []
        for row in np.flatnonzero(np.isfinite(dot)).tolist():
            stroke = colour_class("s", self.colour)
            if np.isfinite(low[row]) and np.isfinite(high[row]):
                ends = self._whisker(place[row], low[row], high[row])
                parts.append(element("path", class_=stroke, d=ends, stroke_width=2, fill="none"))
            middle = (place[row], dot[row]) if self.vertical else (dot[row], place[row])
            tip = element("title", text(self.tooltips[row])) if len(self.tooltips) else ""
            look = f"mark {colour_class('f', self.colour)} s-paper"
            parts.append(mark("circle", *middle, 4.5, tip, class_=look, data_hit="1" if tip else None))
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
        stroke = element("path", class_=colour_class("s", self.colour), d=whisker, stroke_width=2)
        return stroke + mark("circle", x, y, 3.5, class_=colour_class("f", self.colour))

    def notes(self) -> list[str]:
        """Say how many have no value."""
        return skipped_note(self.name, int(np.count_nonzero(~np.isfinite(self.value))))


@dataclass(frozen=True)
class Rule:
    """A line across the whole figure at one value."""

    name: str
    x: float | None
    y: float | None
    label: str

    def extent(self) -> tuple[Floats, Floats]:
        """Return the value on its own axis."""
        return _maybe(self.x), _maybe(self.y)

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw the line and its label at the far end."""
        if self.x is not None:
            place = x.pixel(self.x)
            line = f"M{number(place)} {number(y.start)}V{number(y.stop)}"
            at, anchor = (place + 4, y.stop + 12), "start"
        else:
            place = y.pixel(float(self.y or 0.0))
            line = f"M{number(x.start)} {number(place)}H{number(x.stop)}"
            at, anchor = (x.stop - 4, place - 4), "end"
        if not np.isfinite(place):
            return ""
        drawn = element("path", class_="s-muted", d=line, stroke_dasharray="5 4", stroke_width=1.2)
        return drawn + (_written(self.label, at, anchor, "f-muted") if self.label else "")

    def swatch(self, x: float, y: float) -> str:
        """Draw a short dashed line."""
        d = f"M{number(x - 8)} {number(y)}H{number(x + 8)}"
        return element("path", class_="s-muted", d=d, stroke_dasharray="5 4", stroke_width=1.2)

    def notes(self) -> list[str]:
        """Nothing to say."""
        return []


@dataclass(frozen=True)
class Label:
    """A text at a point of the data."""

    name: str
    x: float
    y: float
    text: str
    anchor: str
    shift: tuple[float, float]
    muted: bool

    def extent(self) -> tuple[Floats, Floats]:
        """Return the point."""
        return _maybe(self.x), _maybe(self.y)

    def draw(self, x: Axis, y: Axis) -> str:
        """Write the text beside its point."""
        at = (x.pixel(self.x) + self.shift[0], y.pixel(self.y) + self.shift[1])
        look = "f-muted" if self.muted else "f-ink"
        return _written(self.text, at, self.anchor, look) if np.isfinite(at).all() else ""

    def swatch(self, x: float, y: float) -> str:
        """Nothing: labels are not listed."""
        return ""

    def notes(self) -> list[str]:
        """Nothing to say."""
        return []


def _written(words: str, at: tuple[float, float], anchor: str, look: str) -> str:
    return element("text", text(words), class_=f"{look} halo s-paper", x=at[0], y=at[1], text_anchor=anchor)


def _maybe(value: float | None) -> Floats:
    return np.array([] if value is None else [value], np.float64)
