"""Rules and labels over a figure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assay.plot.axis import Axis
from assay.plot.layers import Floats
from assay.plot.svg import element, number, text, text_width

# How far a text may stick out of the plot area.
EDGE = 1.0


@dataclass(frozen=True)
class ReferenceLine:
    """A line across the whole figure at one value of x or y."""

    name: str
    x: float | None
    y: float | None
    label: str

    def extent(self) -> tuple[Floats, Floats]:
        """Return the value on its axis."""
        return _maybe(self.x), _maybe(self.y)

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw the line and its label at the far end."""
        if self.x is not None:
            place = x.pixel(self.x)
            line = f"M{number(place)} {number(y.start)}V{number(y.stop)}"
            right = place + 4 + text_width(self.label) <= x.stop
            at, anchor = ((place + 4, y.stop + 12), "start") if right else ((place - 4, y.stop + 12), "end")
        else:
            place = y.pixel(float(self.y or 0.0))
            line = f"M{number(x.start)} {number(place)}H{number(x.stop)}"
            at, anchor = (x.stop - 4, place - 4), "end"
        if not np.isfinite(place):
            return ""
        drawn = element("path", class_="s-muted", d=line, stroke_dasharray="5 4", stroke_width=1.2)
        return drawn + (written(self.label, at, anchor, "f-muted") if self.label else "")

    def swatch(self, x: float, y: float) -> str:
        """Draw a short dashed line."""
        d = f"M{number(x - 8)} {number(y)}H{number(x + 8)}"
        return element("path", class_="s-muted", d=d, stroke_dasharray="5 4", stroke_width=1.2)

    def notes(self) -> list[str]:
        """No notes."""
        return []

    def describe(self, x: Axis, y: Axis) -> str:
        """Describe a labeled line."""
        at = x.format(self.x) if self.x is not None else y.format(float(self.y or 0.0))
        return f"{self.label} at {at}" if self.label else ""


class Unlisted:
    """A layer without legend entry, notes or description."""

    def swatch(self, x: float, y: float) -> str:
        """Empty: not in the legend."""
        return ""

    def notes(self) -> list[str]:
        """No notes."""
        return []

    def describe(self, x: Axis, y: Axis) -> str:
        """Empty: the labeled layer describes itself."""
        return ""


@dataclass(frozen=True)
class Label(Unlisted):
    """A text at a data point."""

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

    def place(self, x: Axis, y: Axis) -> tuple[float, float]:
        """Return the pixel position of the text, which does not leave the plot area on the right."""
        at = x.pixel(self.x) + self.shift[0]
        if self.anchor == "start":
            at = min(at, x.stop + EDGE - text_width(self.text))
        return at, y.pixel(self.y) + self.shift[1]

    def draw(self, x: Axis, y: Axis) -> str:
        """Draw the text next to its point."""
        at = self.place(x, y)
        look = "f-muted" if self.muted else "f-ink"
        return written(self.text, at, self.anchor, look) if np.isfinite(at).all() else ""


def written(words: str, at: tuple[float, float], anchor: str, look: str) -> str:
    """A text with a halo, so that it stays readable over other marks."""
    return element("text", text(words), class_=f"{look} halo s-paper", x=at[0], y=at[1], text_anchor=anchor)


def _maybe(value: float | None) -> Floats:
    return np.array([] if value is None else [value], np.float64)
