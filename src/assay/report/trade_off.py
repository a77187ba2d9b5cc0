"""Quality against diversity: one mark per system, with intervals both ways."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isnan

from assay.report.pieces import Number, Picture
from assay.report.plot import Figure


def trade_off_picture(
    quality: str,
    good: Sequence[Number],
    diversity: str,
    diverse: Sequence[Number],
    people: Collection[str],
) -> Picture:
    """Draw the systems that have both scores; people stand apart in colour and shape."""
    across = {number.about["system"]: number for number in diverse if not isnan(number.value)}
    pairs = [(across[n.about["system"]], n) for n in good if n.about["system"] in across and not isnan(n.value)]
    figure = Figure(
        "Quality and diversity",
        f"diversity: {diversity}",
        f"quality: {quality}",
        id="quality-diversity",
        description=f"Systems by {diversity} and {quality}, with 95% intervals over items.",
    )
    for colour, (name, wanted) in enumerate((("systems", False), ("people", True))):
        chosen = [pair for pair in pairs if (pair[0].about["system"] in people) == wanted]
        if not chosen:
            continue
        xs, ys = [x.value for x, _ in chosen], [y.value for _, y in chosen]
        labels = [x.about["system"] for x, _ in chosen]
        figure.intervals(
            xs, [x.low for x, _ in chosen], [x.high for x, _ in chosen], positions=ys, colour=colour, vertical=False
        )
        figure.intervals(
            ys, [y.low for _, y in chosen], [y.high for _, y in chosen], positions=xs, colour=colour, vertical=True
        )
        tips = [f"{label}: {x:.4f}, {y:.4f}" for label, x, y in zip(labels, xs, ys, strict=True)]
        figure.points(xs, ys, name=name, colour=colour, size=5, tooltips=tips)
        for label, x, y in zip(labels, xs, ys, strict=True):
            figure.label(x, y, label, shift=(9.0, -7.0))
    caption = "Each system by quality and diversity, with 95% intervals over items."
    return Picture("quality-diversity", figure.svg(), caption)
