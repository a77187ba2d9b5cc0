"""Figures of the diversity tests: histograms with the threshold, scatters, how rho settles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.analyses.names import plain_name
from assay.kernels.statistics.correlation import spearman
from assay.metaeval.sets.contest import Contest
from assay.metaeval.sets.dectest import Curve
from assay.plot import Figure
from assay.scores import ScoreTable

BINS = 24


def draw_histograms(table: ScoreTable, label: NDArray[np.float64], result: Contest) -> dict[str, Figure]:
    """Draw for each metric its scores of both classes and the best threshold (Tevet and Berant 2021, Figure 4)."""
    kinds = np.unique(label[~np.isnan(label)])
    figures = {}
    for row in result.results:
        values = table[row.evaluator].values
        known = ~np.isnan(values)
        edges = np.histogram_bin_edges(values[known], BINS) if known.any() else np.array([0.0, 1.0])
        title = f"{row.evaluator}: rho {row.rho:.2f}, OCA {row.oca:.2f}"
        figure = Figure(title, row.evaluator, "sets")
        for kind, name in zip(kinds, ("low diversity", "high diversity"), strict=True):
            heights = np.histogram(values[known & (label == kind)], edges)[0]
            figure.bars(edges, heights, name=name, opacity=0.6)
        if np.isfinite(row.threshold):
            figure.rule(x=row.threshold, label="best threshold")
        figures[f"contest-{plain_name(row.evaluator)}"] = figure
    return figures


def draw_scatters(table: ScoreTable, parameter: NDArray[np.float64], name: str) -> dict[str, Figure]:
    """Draw for each metric its scores against the decoding parameter (Tevet and Berant 2021, Figure 3)."""
    figures = {}
    for evaluator, column in table.columns.items():
        known = ~np.isnan(column.values) & ~np.isnan(parameter)
        x, y = parameter[known], column.values[known]
        figure = Figure(f"{evaluator}: rho {spearman(x, y):.2f}", name, evaluator)
        figures[f"dectest-{plain_name(evaluator)}"] = figure.points(x, y)
    return figures


def draw_curves(curves: Sequence[Curve], of: str) -> Figure:
    """Draw how rho settles with more sets, or more ratings per set (Tevet and Berant 2021, Figure 5)."""
    figure = Figure(f"How rho settles with more {of}", of, "Spearman's rho", x_log=True)
    for number, curve in enumerate(curves):
        mean, sd = np.array(curve.mean), np.array(curve.sd)
        figure.band(curve.sizes, mean - sd, mean + sd, color=number)
        figure.line(curve.sizes, mean, name=curve.evaluator, color=number)
    return figure
