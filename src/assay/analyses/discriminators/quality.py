"""How good the probabilities of a discriminator are: AUC, Brier score, calibration error, reliability curve."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

from assay.analyses.discriminators.verdicts import HALF, Verdicts
from assay.analyses.names import plain_name
from assay.kernels.statistics.calibration import (
    Reliability,
    area_under_curve,
    balanced_weights,
    brier_score,
    reliability,
)
from assay.part import Cell, Number, Part, Picture, Table
from assay.plot import Figure
from assay.records import Dataset

NO_INTERVAL = "a measure of all texts together: no interval"
MEASURES = ("balanced accuracy", "AUC", "Brier score", "calibration error")


def quality_parts(data: Dataset, judged: Sequence[Verdicts], name: str, signature: str) -> Part:
    """Measure the probabilities of each kind of a discriminator; both classes weigh the same."""
    numbers: list[Number] = []
    rows: list[tuple[Cell, ...]] = []
    curves: dict[str, Reliability] = {}
    for by in judged:
        known = ~np.isnan(by.probability)
        probability, human = by.probability[known], data.human[by.outputs[known]]
        values = dict.fromkeys(MEASURES, nan)
        if human.any() and not human.all():
            weights = balanced_weights(human)
            curves[by.kind] = reliability(probability, human, weights)
            right = (probability > HALF) == human
            values = {
                "balanced accuracy": float(np.average(right, weights=weights)),
                "AUC": area_under_curve(probability, human),
                "Brier score": brier_score(probability, human, weights),
                "calibration error": curves[by.kind].error,
            }
        about = {"evaluator": name, "kind": by.kind}
        n = len(np.unique(by.outputs[known]))
        missing = len(data) - n
        reason = NO_INTERVAL if by.kind in curves else "no text of one of the classes has a score"
        numbers += [
            Number(measure, value, n, signature, missing, reason=reason, about=about)
            for measure, value in values.items()
        ]
        rows.append((by.kind, n, *values.values()))
    plain = plain_name(name)
    note = "Human and generated texts weigh the same. The calibration error is over ten bins of equal weight."
    return Part(
        title="",
        summary="",
        numbers=tuple(numbers),
        tables=(
            Table(f"quality-{plain}", f"Probabilities of {name}", ("kind", "texts", *MEASURES), tuple(rows), note),
        ),
        pictures=(Picture.of(f"reliability-{plain}", _figure(name, curves), _caption(name)),),
    )


def _figure(name: str, curves: dict[str, Reliability]) -> Figure:
    figure = Figure(
        f"Reliability of {name}",
        "probability that a human wrote the text",
        "share of human texts",
        x_range=(0.0, 1.0),
        y_range=(0.0, 1.0),
        description=f"Share of human texts by the probability that {name} gives, in ten bins.",
    )
    figure.line([0, 1], [0, 1], name="calibrated", dash="4 4", width=1, color=len(curves))
    for color, (kind, curve) in enumerate(curves.items()):
        figure.line(curve.probability, curve.share, name=kind, color=color)
        tips = [f"{kind}: {n:,} texts" for n in curve.n.tolist()]
        figure.points(curve.probability, curve.share, name=kind, color=color, tooltips=tips)
    return figure


def _caption(name: str) -> str:
    return f"Of the texts that {name} gives a probability, how many a human wrote; both classes weigh the same."
