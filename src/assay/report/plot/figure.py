"""A figure: one pair of axes, layers over them, a title, a legend and notes; `svg()` writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from assay.report.plot.axis import Axis, limits
from assay.report.plot.layers import SHAPES, Band, Bars, Floats, Layer, Line, Points
from assay.report.plot.palette import stylesheet
from assay.report.plot.surface import Grid, Intervals, Label, Rule
from assay.report.plot.svg import element, number, shortened, text, text_width

LABEL_LIMIT = 32
Range = tuple[float, float]


class Figure:
    """Add layers, then ask for `svg()`. Layers are drawn in the order they were added.

    Args:
        title: Written above, and the text alternative's name.
        x_label: What the horizontal axis shows.
        y_label: What the vertical axis shows.
        description: A sentence for readers who cannot see the figure; notes are added to it.
        id: Prefix of the ids inside, so that several figures fit in one page.
        x_range: Limits of the axis; what is drawn decides where they are not given. The same for y.
        x_log: A logarithmic axis. The same for y.
        x_categories: Names for the positions 0, 1, 2 ... The same for y, where the first stands on top.
        width: In pixels, of the whole figure.
        height: In pixels, of the whole figure.
    """

    def __init__(
        self,
        title: str,
        x_label: str = "",
        y_label: str = "",
        *,
        description: str = "",
        id: str = "figure",
        x_range: Range | None = None,
        y_range: Range | None = None,
        x_log: bool = False,
        y_log: bool = False,
        x_categories: Sequence[str] = (),
        y_categories: Sequence[str] = (),
        width: int = 550,
        height: int = 400,
    ) -> None:
        self.title, self.x_label, self.y_label = title, x_label, y_label
        self.description, self.id = description, id
        self.width, self.height = width, height
        self._x = (x_range, x_log, tuple(x_categories))
        self._y = (y_range, y_log, tuple(y_categories))
        self._layers: list[Layer] = []

    def points(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        name: str = "",
        colour: int | None = None,
        shape: str | None = None,
        size: float = 3.5,
        tooltips: Sequence[str] = (),
        data: Mapping[str, Sequence[str]] | None = None,
        limit: int = 5000,
    ) -> Figure:
        """Add a scatter. `data` becomes `data-*` attributes of each mark; above `limit`, counts are drawn."""
        number_ = self._colour(colour)
        shape = shape or SHAPES[number_ % len(SHAPES)]
        xs, ys = _floats(x), _floats(y)
        return self._add(Points(name, xs, ys, number_, shape, size, tooltips, data or {}, limit))

    def line(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        name: str = "",
        colour: int | None = None,
        dash: str | None = None,
        width: float = 2,
        limit: int = 2000,
    ) -> Figure:
        """Add a line; above `limit` points only the extremes of each stretch are kept."""
        return self._add(Line(name, _floats(x), _floats(y), self._colour(colour), dash, width, limit))

    def band(
        self,
        x: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        *,
        name: str = "",
        colour: int | None = None,
        opacity: float = 0.2,
    ) -> Figure:
        """Add the area between `low` and `high`."""
        return self._add(Band(name, _floats(x), _floats(low), _floats(high), self._colour(colour), opacity))

    def bars(
        self,
        edges: ArrayLike,
        heights: ArrayLike,
        *,
        name: str = "",
        colour: int | None = None,
        opacity: float = 0.85,
        tooltips: Sequence[str] = (),
    ) -> Figure:
        """Add a histogram (one edge more than heights) or bars of width .8 around positions."""
        places, tops = _floats(edges), _floats(heights)
        histogram = len(places) == len(tops) + 1
        left, right = (places[:-1], places[1:]) if histogram else (places - 0.4, places + 0.4)
        return self._add(Bars(name, left, right, tops, self._colour(colour), opacity, tooltips))

    def grid(
        self,
        x_edges: ArrayLike,
        y_edges: ArrayLike,
        values: ArrayLike,
        *,
        name: str = "",
        low: float | None = None,
        high: float | None = None,
        middle: float | None = None,
        colour: int = 0,
        colour_below: int = 1,
        strength: float = 1.0,
        cell_text: str | None = None,
        tooltips: Sequence[Sequence[str]] = (),
        limit: int = 40_000,
    ) -> Figure:
        """Add a heat map, or a decision surface with `middle` between two colours.

        `cell_text` is a format such as `.2f` that writes each value into its cell. Above `limit` cells the
        means of square blocks are drawn.
        """
        columns, lines, cells = _floats(x_edges), _floats(y_edges), np.asarray(values, np.float64)
        while cells.size > limit:
            columns, lines, cells = _halved(columns, lines, cells)
        finite = cells[np.isfinite(cells)]
        low = low if low is not None else float(finite.min()) if len(finite) else 0.0
        high = high if high is not None else float(finite.max()) if len(finite) else 1.0
        return self._add(
            Grid(
                *(name, columns, lines, cells, low, high, middle),
                *(colour, colour_below, strength, cell_text, tooltips),
            )
        )

    def intervals(
        self,
        values: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        *,
        positions: ArrayLike | None = None,
        name: str = "",
        colour: int | None = None,
        vertical: bool = False,
        tooltips: Sequence[str] = (),
    ) -> Figure:
        """Add dots with whiskers at the categories of the y axis (of the x axis when vertical)."""
        dots = _floats(values)
        places = np.arange(len(dots), dtype=np.float64) if positions is None else _floats(positions)
        ends = _floats(low), _floats(high)
        return self._add(Intervals(name, places, dots, *ends, self._colour(colour), vertical, tooltips))

    def rule(self, *, x: float | None = None, y: float | None = None, label: str = "") -> Figure:
        """Add a dashed line at one value of x or of y."""
        return self._add(Rule("", x, y, label))

    def label(
        self,
        x: float,
        y: float,
        words: str,
        *,
        anchor: str = "start",
        shift: tuple[float, float] = (7, 4),
        muted: bool = False,
    ) -> Figure:
        """Write a text beside a point of the data."""
        return self._add(Label("", x, y, words, anchor, shift, muted))

    def svg(self, *, styled: bool = True) -> str:
        """Write the figure. A page of many has `palette.stylesheet()` once and asks for `styled=False`."""
        legend, legend_height = self._legend()
        x, y = self._axes(legend_height)
        notes = [note for layer in self._layers for note in layer.notes()]
        clip = f"{self.id}-clip"
        body = [
            element("title", text(self.title), id=f"{self.id}-title"),
            element("desc", text(" ".join([self.description or self.title, *notes])), id=f"{self.id}-desc"),
            element("style", stylesheet()) if styled else "",
            element("rect", class_="f-paper", width=self.width, height=self.height),
            element("text", text(self.title), class_="title f-ink", x=16, y=24),
            legend,
            self._frame(x, y),
            element("clipPath", _box("rect", x, y), id=clip),
            element("g", self._drawn(x, y), clip_path=f"url(#{clip})"),
        ]
        if notes:
            body.append(_text("; ".join(notes), x.start, self.height - 8, "note f-muted"))
        return element(
            "svg",
            body,
            xmlns="http://www.w3.org/2000/svg",
            class_="assay-figure",
            id=self.id,
            viewBox=f"0 0 {self.width} {self.height}",
            width=self.width,
            height=self.height,
            role="img",
            aria_labelledby=f"{self.id}-title {self.id}-desc",
        )

    def _add(self, layer: Layer) -> Figure:
        self._layers.append(layer)
        return self

    def _colour(self, colour: int | None) -> int:
        """Return the colour asked for, or the next one: a layer that names itself takes its own."""
        named = {layer.name for layer in self._layers if layer.name}
        return len(named) if colour is None else colour

    def _axes(self, legend_height: float) -> tuple[Axis, Axis]:
        extents = [layer.extent() for layer in self._layers]
        x = _axis([part for part, _ in extents], *self._x)
        y = _axis([part for _, part in extents], *self._y)
        if y.categories:  # the first category stands on top
            y = replace(y, low=y.high, high=y.low)
        top = 38 + legend_height
        has_notes = any(layer.notes() for layer in self._layers)
        bottom = self.height - 34 - (20 if self.x_label else 0) - (16 if has_notes else 0)
        y = replace(y, start=float(bottom), stop=float(top))
        widest = max((text_width(shortened(label, LABEL_LIMIT)) for _, label in y.ticks()), default=0.0)
        left = 16 + widest + (22 if self.y_label else 0)
        x = replace(x, start=float(left), stop=float(self.width - 20))
        if x.categories and _crowded(x):
            longest = max(text_width(shortened(label, LABEL_LIMIT)) for label in x.categories)
            y = replace(y, start=float(bottom - 0.6 * longest))
        return x, y

    def _legend(self) -> tuple[str, float]:
        """Write the names of the layers in lines under the title."""
        parts, at, line = [], 16.0, 42.0
        shown: set[str] = set()
        for layer in self._layers:
            if not layer.name or layer.name in shown:
                continue
            shown.add(layer.name)
            words = shortened(layer.name, 2 * LABEL_LIMIT)
            room = 24 + text_width(words) + 16
            if at > 16 and at + room > self.width:
                at, line = 16.0, line + 18
            parts += [layer.swatch(at + 9, line), _text(words, at + 24, line + 4, "f-ink")]
            at += room
        return "".join(parts), (line - 42.0 + 22) if parts else 0.0

    def _frame(self, x: Axis, y: Axis) -> str:
        parts = []
        tilted = bool(x.categories) and _crowded(x)
        for value, label in x.ticks():
            at = x.pixel(value)
            if not x.categories:
                lines = f"M{number(at)} {number(y.start)}V{number(y.stop)}"
                parts.append(element("path", class_="s-line", d=lines))
            place = {"x": at, "y": y.start + 18, "text_anchor": "middle"}
            if tilted:
                turn = f"rotate(-35 {number(at)} {number(y.start + 14)})"
                place = {"x": at, "y": y.start + 14, "text_anchor": "end", "transform": turn}
            parts.append(_tick(label, **place))
        for value, label in y.ticks():
            at = y.pixel(value)
            if not (x.categories and y.categories):
                lines = f"M{number(x.start)} {number(at)}H{number(x.stop)}"
                parts.append(element("path", class_="s-line", d=lines))
            parts.append(_tick(label, x=x.start - 8, y=at + 4, text_anchor="end"))
        parts.append(element("path", class_="s-muted", d=_corner(x, y), fill="none"))
        has_notes = any(layer.notes() for layer in self._layers)
        if self.x_label:
            down = self.height - 12 - (16 if has_notes else 0)
            parts.append(_text(self.x_label, (x.start + x.stop) / 2, down, "f-ink", "middle"))
        if self.y_label:
            middle = (y.start + y.stop) / 2
            turn = f"rotate(-90 16 {number(middle)})"
            parts.append(_text(self.y_label, 16, middle, "f-ink", "middle", transform=turn))
        return "".join(parts)

    def _drawn(self, x: Axis, y: Axis) -> str:
        return "".join(
            element("g", layer.draw(x, y), id=f"{self.id}-layer-{place}", class_=type(layer).__name__.lower())
            for place, layer in enumerate(self._layers)
        )


def _axis(values: list[Floats], given: Range | None, logarithmic: bool, categories: tuple[str, ...]) -> Axis:
    if categories:
        return Axis(-0.6, len(categories) - 0.4, 0.0, 1.0, categories=categories)
    low, high = given or limits(values, logarithmic=logarithmic)
    return Axis(float(low), float(high), 0.0, 1.0, logarithmic)


def _crowded(x: Axis) -> bool:
    room = abs(x.stop - x.start) / max(1, len(x.categories))
    return any(text_width(shortened(label, LABEL_LIMIT)) + 6 > room for label in x.categories)


def _halved(columns: Floats, lines: Floats, cells: Floats) -> tuple[Floats, Floats, Floats]:
    """Merge blocks of two by two cells into their mean; NaN cells are left out of it."""
    height, width = cells.shape
    padded = np.full((height + height % 2, width + width % 2), np.nan)
    padded[:height, :width] = cells
    blocks = padded.reshape(padded.shape[0] // 2, 2, padded.shape[1] // 2, 2)
    counts = np.isfinite(blocks).sum(axis=(1, 3))
    sums = np.nan_to_num(blocks).sum(axis=(1, 3))
    means = np.divide(sums, counts, out=np.full(sums.shape, np.nan), where=counts > 0)
    keep_x, keep_y = np.r_[columns[:-1:2], columns[-1]], np.r_[lines[:-1:2], lines[-1]]
    return keep_x, keep_y, means


def _floats(values: ArrayLike) -> Floats:
    return np.asarray(values, np.float64).ravel()


def _tick(label: str, **place: object) -> str:
    words = shortened(label, LABEL_LIMIT)
    whole = element("title", text(label)) if words != label else ""
    return element("text", text(words) + whole, class_="f-muted", **place)


def _text(words: str, x: float, y: float, look: str, anchor: str | None = None, **more: object) -> str:
    return element("text", text(words), class_=look, x=float(x), y=float(y), text_anchor=anchor, **more)


def _corner(x: Axis, y: Axis) -> str:
    return f"M{number(x.start)} {number(y.stop)}V{number(y.start)}H{number(x.stop)}"


def _box(tag: str, x: Axis, y: Axis) -> str:
    return element(tag, x=x.start, y=y.stop, width=x.stop - x.start, height=y.start - y.stop)
