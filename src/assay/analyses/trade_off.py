"""Quality against diversity: one mark per system, with intervals both ways."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isnan

from assay.part import Number, Picture
from assay.plot import Figure


def trade_off_picture(
    quality: str,
    good: Sequence[Number],
    diversity: str,
    diverse: Sequence[Number],
    people: Collection[str],
) -> Picture:
    """Plot the systems with both scores; human texts differ in color and shape."""
    across = {number.about["system"]: number for number in diverse if not isnan(number.value)}
    pairs = [(across[n.about["system"]], n) for n in good if n.about["system"] in across and not isnan(n.value)]
    figure = Figure(
        "Quality and diversity",
        f"diversity: {diversity}",
        f"quality: {quality}",
        description=f"Systems by {diversity} and {quality}, with 95% intervals over items.",
    )
    for color, (name, wanted) in enumerate((("systems", False), ("people", True))):
        chosen = [pair for pair in pairs if (pair[0].about["system"] in people) == wanted]
        if not chosen:
            continue
        xs, ys = [x.value for x, _ in chosen], [y.value for _, y in chosen]
        figure.intervals(xs, *_reach([x for x, _ in chosen]), positions=ys, color=color)
        figure.intervals(ys, *_reach([y for _, y in chosen]), positions=xs, color=color, vertical=True)
        tips = [f"{x.about['system']}: {diversity} {x.value:.4f}, {quality} {y.value:.4f}" for x, y in chosen]
        figure.points(xs, ys, name=name, color=color, size=5, tooltips=tips)
    across_all, up_all = [x for x, _ in pairs], [y for _, y in pairs]
    figure.labels(
        [x.value for x in across_all],
        [y.value for y in up_all],
        [x.about["system"] for x in across_all],
        x_reach=_reach(across_all),
        y_reach=_reach(up_all),
    )
    caption = "Each system by quality and diversity, with 95% intervals over items."
    return Picture.of("quality-diversity", figure, caption)


def _reach(numbers: Sequence[Number]) -> tuple[list[float], list[float]]:
    return [number.low for number in numbers], [number.high for number in numbers]
