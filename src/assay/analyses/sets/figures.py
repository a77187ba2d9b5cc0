"""Figures of the diversity tests: histograms with the threshold, scatters, how rho settles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import isfinite

import numpy as np

from assay.analyses.names import plain_name
from assay.kernels.statistics.correlation import spearman
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.sets.contest import ConTestResult
from assay.metaeval.sets.dectest import Stability
from assay.part import Picture
from assay.plot import Figure

BINS = 24


def histograms(study: Inquiry, result: ConTestResult) -> Iterable[Picture]:
    """Draw for each metric its scores of both classes and the best threshold (Tevet and Berant 2021, Figure 4)."""
    label = study.target.values
    kinds = np.unique(label[~np.isnan(label)])
    for column, rho, best in zip(study.candidates, result.correlations, result.thresholds, strict=True):
        scored = ~np.isnan(column.values)
        edges = np.histogram_bin_edges(column.values[scored], BINS) if scored.any() else np.array([0.0, 1.0])
        title = f"{column.name}: rho {rho.value:.2f}, OCA {best.oca:.2f}"
        figure = Figure(title, column.name, "sets")
        for kind, name in zip(kinds, ("low diversity", "high diversity"), strict=True):
            heights = np.histogram(column.values[scored & (label == kind)], edges)[0]
            figure.bars(edges, heights, name=name, opacity=0.6)
        if isfinite(best.threshold):
            figure.rule(x=best.threshold, label="best threshold")
        caption = "Scores of sets of high and low diversity."
        yield Picture.of(f"contest-{plain_name(column.name)}", figure, caption)


def scatters(study: Inquiry, parameter: str) -> Iterable[Picture]:
    """Draw for each metric its scores against the decoding parameter (Tevet and Berant 2021, Figure 3)."""
    for column in study.candidates:
        scored = ~np.isnan(column.values) & ~np.isnan(study.target.values)
        x, y = study.target.values[scored], column.values[scored]
        title = f"{column.name}: rho {spearman(x, y):.2f}"
        figure = Figure(title, parameter, column.name).points(x, y)
        yield Picture.of(f"dectest-{plain_name(column.name)}", figure, f"Scores of sets by {parameter}.")


def stability_picture(name: str, curves: Sequence[Stability], of: str) -> Picture:
    """Draw how rho settles with more sets, or more ratings per set (Tevet and Berant 2021, Figure 5)."""
    figure = Figure(f"How rho settles with more {of}", of, "Spearman's rho", x_log=True)
    for number, curve in enumerate(curves):
        mean, sd = np.array(curve.mean), np.array(curve.sd)
        figure.band(curve.sizes, mean - sd, mean + sd, color=number)
        figure.line(curve.sizes, mean, name=curve.evaluator, color=number)
    return Picture.of(name, figure, f"Mean of rho over random draws, give or take a standard deviation, by {of}.")
