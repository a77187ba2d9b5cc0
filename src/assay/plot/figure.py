"""A figure: one pair of axes, layers, a title, a legend and notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.plot.annotations import Label, ReferenceLine
from assay.plot.curves import Band, Bars, Line
from assay.plot.drawing import Drawing
from assay.plot.frame import AxisSpec, Frame, Range
from assay.plot.grid import READABLE, Grid
from assay.plot.intervals import Intervals
from assay.plot.labels import Labels
from assay.plot.layers import Floats, Layer
from assay.plot.points import SHAPES, Points


class Figure:
    """Add layers, then call `svg()`. Layers are drawn in the order they were added.

    Args:
        title: Shown above the figure, and used as its accessible name.
        x_label: Label of the horizontal axis.
        y_label: Label of the vertical axis.
        description: The text alternative (alt text); notes are appended.
        x_range: Limits of the axis; by default the range of the data. The same for y.
        x_log: Whether the axis is logarithmic. The same for y.
        x_categories: Names of the positions 0, 1, 2 ... The same for y, with the first on top.
        width: Width in pixels; a matrix with many categories takes more.
        height: Height in pixels; by default what the y categories need, or 400.
    """

    def __init__(
        self,
        title: str,
        x_label: str = "",
        y_label: str = "",
        *,
        description: str = "",
        x_range: Range | None = None,
        y_range: Range | None = None,
        x_log: bool = False,
        y_log: bool = False,
        x_categories: Sequence[str] = (),
        y_categories: Sequence[str] = (),
        width: int = 550,
        height: int | None = None,
    ) -> None:
        self.title = title
        self.description = description
        self.width, self.height = width, height
        self._x = AxisSpec(x_label, x_range, x_log, tuple(x_categories))
        self._y = AxisSpec(y_label, y_range, y_log, tuple(y_categories))
        self._layers: list[Layer] = []

    def points(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        name: str = "",
        color: int | None = None,
        shape: str | None = None,
        size: float = 3.5,
        tooltips: Sequence[str] = (),
        data: Mapping[str, Sequence[str]] | None = None,
        limit: int = 2000,
        sampled: bool = False,
    ) -> Figure:
        """Add a scatter; `data` becomes `data-*` attributes of each mark.

        Above `limit` points, counts per cell are drawn, or a random sample of that size if `sampled`.
        """
        number_ = self._color(color)
        shape = shape or SHAPES[number_ % len(SHAPES)]
        xs, ys = _floats(x), _floats(y)
        return self._add(Points(name, xs, ys, number_, shape, size, tooltips, data or {}, limit, sampled))

    def line(
        self,
        x: ArrayLike,
        y: ArrayLike,
        *,
        name: str = "",
        color: int | None = None,
        dash: str | None = None,
        width: float = 2,
        limit: int = 2000,
    ) -> Figure:
        """Add a line; above `limit` points only the extremes of each chunk are drawn."""
        return self._add(Line(name, _floats(x), _floats(y), self._color(color), dash, width, limit))

    def band(
        self,
        x: ArrayLike,
        low: ArrayLike,
        high: ArrayLike,
        *,
        name: str = "",
        color: int | None = None,
        opacity: float = 0.2,
    ) -> Figure:
        """Add the area between `low` and `high`."""
        return self._add(Band(name, _floats(x), _floats(low), _floats(high), self._color(color), opacity))

    def bars(
        self,
        edges: ArrayLike,
        heights: ArrayLike,
        *,
        name: str = "",
        color: int | None = None,
        opacity: float = 0.85,
        tooltips: Sequence[str] = (),
    ) -> Figure:
        """Add a histogram (one more edge than heights), or bars of width .8 around positions."""
        places, tops = _floats(edges), _floats(heights)
        histogram = len(places) == len(tops) + 1
        left, right = (places[:-1], places[1:]) if histogram else (places - 0.4, places + 0.4)
        return self._add(Bars(name, left, right, tops, self._color(color), opacity, tooltips))

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
        color: int = 0,
        color_below: int = 1,
        strength: float = 1.0,
        cell_text: str | None = None,
        tooltips: Sequence[Sequence[str]] = (),
        limit: int = 40_000,
    ) -> Figure:
        """Add a heat map or, with `middle` between two colors, a decision surface.

        `cell_text` is a format such as `.2f` for the value in each cell, on colors that keep it readable. Above `limit`
        cells, means of square blocks are drawn.
        """
        columns, lines, cells = _floats(x_edges), _floats(y_edges), np.asarray(values, np.float64)
        while cells.size > limit:
            columns, lines, cells = _halved(columns, lines, cells)
        finite = cells[np.isfinite(cells)]
        low = low if low is not None else float(finite.min()) if len(finite) else 0.0
        high = high if high is not None else float(finite.max()) if len(finite) else 1.0
        scale = f"{name}, {low:g} to {high:g}" if name else ""
        strength = min(strength, READABLE) if cell_text else strength
        return self._add(
            Grid(
                *(scale, columns, lines, cells, low, high, middle),
                *(color, color_below, strength, cell_text, tooltips),
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
        color: int | None = None,
        vertical: bool = False,
        tooltips: Sequence[str] = (),
    ) -> Figure:
        """Add dots with whiskers at the categories of the y axis (of the x axis if vertical)."""
        dots = _floats(values)
        places = np.arange(len(dots), dtype=np.float64) if positions is None else _floats(positions)
        ends = _floats(low), _floats(high)
        return self._add(Intervals(name, places, dots, *ends, self._color(color), vertical, tooltips))

    def rule(self, *, x: float | None = None, y: float | None = None, label: str = "") -> Figure:
        """Add a dashed line at one value of x or of y."""
        return self._add(ReferenceLine("", x, y, label))

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
        """Add a text next to a data point."""
        return self._add(Label("", x, y, words, anchor, shift, muted))

    def labels(
        self,
        x: ArrayLike,
        y: ArrayLike,
        words: Sequence[str],
        *,
        x_reach: tuple[ArrayLike, ArrayLike] | None = None,
        y_reach: tuple[ArrayLike, ArrayLike] | None = None,
    ) -> Figure:
        """Label each point where there is room; `x_reach` and `y_reach` are whiskers to avoid."""
        others = [layer for layer in self._layers if isinstance(layer, Label)]
        return self._add(Labels("", _floats(x), _floats(y), words, _whiskers(x_reach), _whiskers(y_reach), others))

    def draw(self, width: int | None = None) -> Drawing:
        """Compute the layout, at most `width` pixels wide if it is given."""
        frame = Frame(self._layers, self._x, self._y, self.width, self.height, self.title, width)
        x, y = frame.x, frame.y
        notes = [words for layer in self._layers if (words := layer.describe(x, y))]
        description = [f"{part.rstrip('.')}." for part in [self.description or self.title, *notes, *frame.notes]]
        layers = tuple((type(layer).__name__.lower(), layer.draw(x, y)) for layer in self._layers)
        return Drawing(self.title, " ".join(description), frame.width, frame.height, frame.svg(), frame.box(), layers)

    def svg(self, id: str = "figure") -> str:
        """Render a standalone SVG file."""
        return self.draw().svg(id)

    def _add(self, layer: Layer) -> Figure:
        self._layers.append(layer)
        return self

    def _color(self, color: int | None) -> int:
        """Return the given color, or the next one: each named layer gets its own."""
        named = {layer.name for layer in self._layers if layer.name}
        return len(named) if color is None else color


def _halved(columns: Floats, lines: Floats, cells: Floats) -> tuple[Floats, Floats, Floats]:
    """Replace blocks of two by two cells by their mean, ignoring NaN."""
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


def _whiskers(reach: tuple[ArrayLike, ArrayLike] | None) -> tuple[Floats, Floats] | None:
    return None if reach is None else (_floats(reach[0]), _floats(reach[1]))
