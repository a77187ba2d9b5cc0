"""The layout around the layers of a figure: title, legend, axes with ticks and labels, and notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from assay.plot.axis import Axis, limits
from assay.plot.layers import Floats, Layer
from assay.plot.svg import element, number, shortened, text, text_width

Range = tuple[float, float]

HEIGHT = 400
# Figures on a phone are lower, too, and their labels shorter.
LOW_HEIGHT = 340
PER_LETTER, PER_LETTER_OF_A_MATRIX = 18, 26
# A matrix is no wider than a page.
WIDEST = 1100
# Marks at the edge of the plot area stick out by this much.
EDGE = 7.0
# Height of one line of notes.
NOTE = 15
# Height of a line of the title, and the width of a letter.
TITLE = 18
LETTER = text_width("n")
# Height per y category, minimum height of the plot area, and width of a matrix cell.
LINE, FEWEST_LINES, CELL = 28.0, 110.0, 38.0
# Crowded category labels are tilted; a tilted text extends down and sideways by these shares of its width.
TILT, DOWN, ASIDE = -35, 0.57, 0.82


@dataclass(frozen=True)
class AxisSpec:
    """The requested label, limits (None: from the data) and scale of an axis."""

    label: str
    limits: Range | None
    logarithmic: bool
    categories: tuple[str, ...]

    def axis(self, drawn: list[Floats]) -> Axis:
        """Return the axis, not yet placed in pixels."""
        if self.categories:
            return Axis(-0.6, len(self.categories) - 0.4, 0.0, 1.0, categories=self.categories)
        low, high = self.limits or limits(drawn, logarithmic=self.logarithmic)
        return Axis(float(low), float(high), 0.0, 1.0, self.logarithmic)


class Frame:
    """Lays out everything around the layers and places the axes `x` and `y` in pixels."""

    def __init__(
        self,
        layers: Sequence[Layer],
        x: AxisSpec,
        y: AxisSpec,
        width: int,
        height: int | None,
        title: str,
        room: int | None = None,
    ) -> None:
        self.notes = [note for layer in layers for note in layer.notes()]
        self._x_label, self._y_label = x.label, y.label
        self.width = width = min(width, room or width)
        self._room, self._default_height = room or WIDEST, LOW_HEIGHT if room else HEIGHT
        # A label may take about a third of the figure.
        is_narrow_matrix = room is not None and bool(x.categories and y.categories)
        self._most_letters = width // (PER_LETTER_OF_A_MATRIX if is_narrow_matrix else PER_LETTER)
        self._title = _title_lines(title, int((width - 32) / 9))
        self._legend, top = self._legend_and_top(layers)
        self._note_lines = _lines(self.notes, width - 60)
        below = 34 + (20 if x.label else 0) + NOTE * len(self._note_lines)
        extents = [layer.extent() for layer in layers]
        self.x = x.axis([part for part, _ in extents])
        self.y = y.axis([part for _, part in extents])
        self._place(top, below, height)

    def _place(self, top: float, below: float, height: int | None) -> None:
        """Place both axes, and set the height of the figure and, for a matrix, its width."""
        lines = len(self.y.categories)
        inner = (height or self._default_height) - top - below
        if lines and height is None:
            inner = max(FEWEST_LINES, LINE * lines)
        if lines:  # the first category is on top
            self.y = replace(self.y, low=self.y.high, high=self.y.low)
        self.y = replace(self.y, start=top + inner, stop=top)
        widest = max((text_width(self._short(label)) for _, label in self.y.ticks()), default=0.0)
        left = 16 + widest + (22 if self._y_label else 0)
        if lines and self.x.categories:  # a matrix with numbers in its cells
            wanted = round(left + CELL * len(self.x.categories) + 20)
            self.width = max(self.width, min(wanted, self._room))
        self.x = replace(self.x, start=left, stop=float(self.width - 20))
        self._tilted = self._is_crowded()
        hanging = 0.0
        if self._tilted:
            widths = [text_width(self._short(label)) for label in self.x.categories]
            hanging = max(0.0, DOWN * max(widths) - 6)
            self.x = replace(self.x, start=max(left, ASIDE * widths[0] - 4))
        if height is None and lines:
            below += hanging
        else:
            self.y = replace(self.y, start=top + inner - hanging)
        self.height = round(top + inner + below)

    def svg(self) -> str:
        """Draw title, legend, ticks, labels and notes."""
        parts = [_text(words, 16, 24 + TITLE * at, "title f-ink") for at, words in enumerate(self._title)]
        parts += [self._legend, *self._x_ticks(), *self._y_ticks()]
        corner = f"M{number(self.x.start)} {number(self.y.stop)}V{number(self.y.start)}H{number(self.x.stop)}"
        parts.append(element("path", class_="s-muted", d=corner, fill="none"))
        if self._x_label:
            down = self.height - 12 - NOTE * len(self._note_lines)
            words = shortened(self._x_label, int((self.width - 16) / LETTER))
            half = text_width(words) / 2
            middle = min((self.x.start + self.x.stop) / 2, self.width - 8 - half)
            parts.append(_text(words, max(middle, 8 + half), down, "f-ink", "middle"))
        if self._y_label:
            middle = (self.y.start + self.y.stop) / 2
            turn = f"rotate(-90 16 {number(middle)})"
            words = shortened(self._y_label, int((self.y.start - self.y.stop + 40) / LETTER))
            parts.append(_text(words, 16, middle, "f-ink", "middle", transform=turn))
        for place, words in enumerate(self._note_lines, 1 - len(self._note_lines)):
            parts.append(_text(words, self.x.start, self.height - 6 + NOTE * place, "note f-muted"))
        return "".join(parts)

    def box(self) -> str:
        """Return the rectangle of the plot area, with room for whole marks at its edge."""
        x, y = self.x, self.y
        size = {"width": x.stop - x.start + 2 * EDGE, "height": y.start - y.stop + 2 * EDGE}
        return element("rect", x=x.start - EDGE, y=y.stop - EDGE, **size)

    def _legend_and_top(self, layers: Sequence[Layer]) -> tuple[str, float]:
        """Lay out the legend below the title; return it and the top of the plot area."""
        swatches = {layer.name: layer for layer in reversed(layers) if layer.name}
        title = TITLE * (len(self._title) - 1)
        parts, at, line = [], 16.0, 42.0 + title
        for name in dict.fromkeys(layer.name for layer in layers if layer.name):
            words = shortened(name, 2 * self._most_letters)
            room = 24 + text_width(words) + 16
            if at > 16 and at + room > self.width:
                at, line = 16.0, line + 18
            parts += [swatches[name].swatch(at + 9, line), _text(words, at + 24, line + 4, "f-ink")]
            at += room
        return "".join(parts), line + 18 if parts else 38.0 + title

    def _x_ticks(self) -> list[str]:
        parts = []
        for value, label in self.x.ticks():
            at, ground = self.x.pixel(value), self.y.start
            if not self.x.categories:
                parts.append(
                    element("path", class_="s-line", d=f"M{number(at)} {number(ground)}V{number(self.y.stop)}")
                )
            if self._tilted:
                turn = f"rotate({TILT} {number(at)} {number(ground + 14)})"
                parts.append(self._tick(label, x=at, y=ground + 14, text_anchor="end", transform=turn))
            else:
                parts.append(self._tick(label, x=at, y=ground + 18, text_anchor="middle"))
        return parts

    def _y_ticks(self) -> list[str]:
        parts = []
        for value, label in self.y.ticks():
            at = self.y.pixel(value)
            if not (self.x.categories and self.y.categories):
                line = f"M{number(self.x.start)} {number(at)}H{number(self.x.stop)}"
                parts.append(element("path", class_="s-line", d=line))
            parts.append(self._tick(label, x=self.x.start - 8, y=at + 4, text_anchor="end"))
        return parts

    def _tick(self, label: str, **place: object) -> str:
        words = self._short(label)
        full_label = element("title", text(label)) if words != label else ""
        return element("text", text(words) + full_label, class_="f-muted", **place)

    def _short(self, label: str) -> str:
        return shortened(label, self._most_letters)

    def _is_crowded(self) -> bool:
        room = (self.x.stop - self.x.start) / max(1, len(self.x.categories))
        return any(text_width(self._short(label)) + 6 > room for label in self.x.categories)


def _text(words: str, x: float, y: float, look: str, anchor: str | None = None, **more: object) -> str:
    return element("text", text(words), class_=look, x=float(x), y=float(y), text_anchor=anchor, **more)


def _title_lines(title: str, most: int) -> list[str]:
    """Break a title into two lines if one is too short for it; the second is shortened if need be."""
    if len(title) <= most or " " not in title[:most]:
        return [shortened(title, most)]
    at = title.rindex(" ", 0, most + 1)
    return [title[:at], shortened(title[at + 1 :], most)]


def _lines(notes: Sequence[str], width: float) -> list[str]:
    """Join notes into lines of at most `width` pixels."""
    lines: list[str] = []
    pieces = (piece for note in notes for piece in wrap(note, int(width / text_width("n", 11))))
    for note in pieces:
        longer = f"{lines[-1]}; {note}" if lines else note
        if lines and text_width(longer, 11) <= width:
            lines[-1] = longer
        else:
            lines.append(note)
    return lines
