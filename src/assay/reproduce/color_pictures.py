"""Pictures of the color study."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from assay.part import Picture
from assay.plot import Figure

Floats = NDArray[np.float64]

BINS = 24
REACH = 0.42
"""Half the height of the widest violin, where categories are 1 apart."""


def category_picture(scores: Mapping[str, Floats], grade: Floats, names: Mapping[float, str]) -> Picture:
    """Violins of every evaluator's scores by category, scaled from its lowest to its highest score (Figure 2)."""
    rows = [f"{evaluator}: {kind}" for evaluator in scores for kind in names.values()]
    figure = Figure(
        "Scores by kind of utterance",
        "score, from the evaluator's lowest to its highest",
        y_categories=rows,
        x_range=(0.0, 1.0),
        height=60 + 26 * len(rows),
        description="Violins: the distribution of each evaluator's scores of descriptive, ambiguous and misleading "
        "utterances",
    )
    place = 0
    for values in scores.values():
        low, high = np.nanmin(values), np.nanmax(values)
        scaled = (values - low) / (high - low)
        for color, number in enumerate(names):
            counts, edges = np.histogram(scaled[grade == number], BINS, (0.0, 1.0))
            middle, half = (edges[:-1] + edges[1:]) / 2, REACH * counts / max(counts.max(), 1)
            figure.band(middle, place - half, place + half, color=color, opacity=0.6)
            place += 1
    return Picture.of("categories", figure, "Scores of descriptive, ambiguous and misleading utterances.")
