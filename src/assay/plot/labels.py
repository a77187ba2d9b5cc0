"""Labels next to points, placed greedily to minimize overlap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assay.plot.annotations import EDGE, Label, Unlisted, written
from assay.plot.axis import Axis
from assay.plot.layers import Floats
from assay.plot.svg import shortened, text_width

# Candidate positions, best first: horizontal shift, vertical shift, and text anchor.
PLACES = [
    (side * 9.0, down, "start" if side > 0 else "end")
    for down in (-7.0, 15.0, -21.0, 29.0, -35.0, 43.0)
    for side in (1, -1)
]
HEIGHT = 12.0
DOT = 6.0
# Cost per rank of a candidate, and of a pixel outside the figure.
RELUCTANCE, OUTSIDE = 6.0, 10.0

Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Labels(Unlisted):
    """A text next to each point. `x_reach` and `y_reach` are whiskers (low, high), `others` are texts to avoid."""

    name: str
    x: Floats
    y: Floats
    texts: Sequence[str]
    x_reach: tuple[Floats, Floats] | None
    y_reach: tuple[Floats, Floats] | None
    others: Sequence[Label]

    def extent(self) -> tuple[Floats, Floats]:
        """Return the points."""
        return self.x, self.y

    def draw(self, x: Axis, y: Axis) -> str:
        """Place the labels in order, each where it overlaps least with what is already there.

        A label that would lie over another one is left out: the note of its mark names it.
        """
        left, top = x(self.x), y(self.y)
        occupied = self._occupied(x, y, left, top)
        frame = (x.start, y.stop, x.stop, y.start)
        parts = []
        placed: list[Box] = []
        for full, at_x, at_y in zip(self.texts, left.tolist(), top.tolist(), strict=True):
            if not np.isfinite([at_x, at_y]).all():
                continue
            # A name may take half of the plot area; its mark tells the whole.
            words = shortened(full, int((x.stop - x.start) / 2 / text_width("n")))
            boxes = [_box(at_x + side, at_y + down, anchor, words) for side, down, anchor in PLACES]
            costs = [_cost(box, occupied, frame) + RELUCTANCE * rank for rank, box in enumerate(boxes)]
            best = int(np.argmin(costs))
            side, down, anchor = PLACES[best]
            if any(_overlap(boxes[best], other) > 0 for other in placed) or _outside(boxes[best], frame):
                continue
            placed.append(boxes[best])
            occupied.append(boxes[best])
            parts.append(written(words, (at_x + side, at_y + down), anchor, "f-ink"))
        return "".join(parts)

    def _occupied(self, x: Axis, y: Axis, left: Floats, top: Floats) -> list[Box]:
        boxes = [(a - DOT, b - DOT, a + DOT, b + DOT) for a, b in zip(left.tolist(), top.tolist(), strict=True)]
        if self.x_reach is not None:
            ends = zip(x(self.x_reach[0]).tolist(), x(self.x_reach[1]).tolist(), top.tolist(), strict=True)
            boxes += [(low, at - 2, high, at + 2) for low, high, at in ends]
        if self.y_reach is not None:
            ends = zip(y(self.y_reach[0]).tolist(), y(self.y_reach[1]).tolist(), left.tolist(), strict=True)
            boxes += [(at - 2, high, at + 2, low) for low, high, at in ends]
        for label in self.others:
            at_x, at_y = label.place(x, y)
            boxes.append(_box(at_x, at_y, label.anchor, label.text))
        return [box for box in boxes if np.isfinite(box).all()]


def _box(x: float, y: float, anchor: str, words: str) -> Box:
    width = text_width(words)
    left = x if anchor == "start" else x - width
    return left, y - HEIGHT + 2, left + width, y + 2


def _cost(box: Box, occupied: Sequence[Box], frame: Box) -> float:
    area = (box[2] - box[0]) * (box[3] - box[1])
    return sum(_overlap(box, other) for other in occupied) + OUTSIDE * (area - _overlap(box, frame))


def _outside(box: Box, frame: Box) -> bool:
    return box[0] < frame[0] - EDGE or box[2] > frame[2] + EDGE


def _overlap(one: Box, two: Box) -> float:
    width = min(one[2], two[2]) - max(one[0], two[0])
    height = min(one[3], two[3]) - max(one[1], two[1])
    return max(0.0, width) * max(0.0, height)
