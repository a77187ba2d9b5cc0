"""Quality, diversity and cost, two at a time: one mark per system, with intervals both ways."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import combinations
from math import isnan
from typing import NamedTuple

from assay.part import Number, Picture
from assay.plot import Figure


class Axis(NamedTuple):
    """What systems are drawn by: quality, diversity or cost, as an evaluator measures it."""

    what: str
    evaluator: str
    numbers: Sequence[Number]


def trade_offs(axes: Sequence[Axis], people: Collection[str]) -> list[Picture]:
    """A figure for every two, the earlier one upward."""
    return [trade_off_picture(across, up, people) for up, across in combinations(axes, 2)]


def trade_off_picture(across: Axis, up: Axis, people: Collection[str]) -> Picture:
    """Plot the systems with both scores; human texts differ in color and shape."""
    by_system = {number.about["system"]: number for number in across.numbers if not isnan(number.value)}
    pairs = [
        (by_system[n.about["system"]], n) for n in up.numbers if n.about["system"] in by_system and not isnan(n.value)
    ]
    figure = Figure(
        f"{up.what.capitalize()} and {across.what}",
        f"{across.what}: {across.evaluator}",
        f"{up.what}: {up.evaluator}",
        description=f"Systems by {across.evaluator} and {up.evaluator}, with 95% intervals over items.",
    )
    for color, (name, wanted) in enumerate((("systems", False), ("people", True))):
        chosen = [pair for pair in pairs if (pair[0].about["system"] in people) == wanted]
        if not chosen:
            continue
        xs, ys = [x.value for x, _ in chosen], [y.value for _, y in chosen]
        figure.intervals(xs, *_reach([x for x, _ in chosen]), positions=ys, color=color)
        figure.intervals(ys, *_reach([y for _, y in chosen]), positions=xs, color=color, vertical=True)
        tips = [
            f"{x.about['system']}: {across.evaluator} {x.value:.4g}, {up.evaluator} {y.value:.4g}" for x, y in chosen
        ]
        figure.points(xs, ys, name=name, color=color, size=5, tooltips=tips)
    across_all, up_all = [x for x, _ in pairs], [y for _, y in pairs]
    figure.labels(
        [x.value for x in across_all],
        [y.value for y in up_all],
        [x.about["system"] for x in across_all],
        x_reach=_reach(across_all),
        y_reach=_reach(up_all),
    )
    caption = f"Each system by {up.what} and {across.what}, with 95% intervals over items."
    return Picture.of(f"{up.what}-{across.what}", figure, caption)


def _reach(numbers: Sequence[Number]) -> tuple[list[float], list[float]]:
    return [number.low for number in numbers], [number.high for number in numbers]
