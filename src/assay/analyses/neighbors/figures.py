"""Figures of neighbor estimates and of the studies about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.analyses.neighbors.check import Checked
from assay.analyses.neighbors.neighborhood import EstimateAgreement
from assay.analyses.neighbors.studies import CoveredAndNot, KernelRow, SizePoint
from assay.analyses.neighbors.tuning import SweepPoint
from assay.plot import Figure

NAMES = {"tau": "similarity at least tau", "min_neighbors": "at least a neighbors", "max_fraction": "at most b of all"}

FEWEST = 10


def check_figure(checked: Checked) -> Figure:
    """Estimates against quality, an output each."""
    known = checked.estimates.covered & ~np.isnan(checked.test.quality)
    quality, estimates = checked.test.quality[known], checked.estimates.values[known]
    ids = [checked.test.ids[row] for row in np.flatnonzero(known).tolist()]
    title = f"Quality from neighbors, {known.sum():,} of {len(known):,} outputs"
    about = "Estimated against judged quality of the outputs that have an estimate."
    figure = Figure(title, "judged quality", "estimate", y_range=(0.0, 1.0), description=about)
    return figure.points(quality, estimates, name="output", tooltips=ids).line(
        [0, 1], [0, 1], name="equal", dash="4 4", width=1
    )


def sweep_figure(points: Sequence[SweepPoint]) -> Figure:
    """Coverage against correlation as one threshold at a time is changed; rho of few texts is noise and left out."""
    about = (
        f"Rho against coverage for each threshold in turn; settings that cover fewer than {FEWEST} texts are left out."
    )
    figure = Figure(
        "What thresholds cost and gain", "coverage", "Spearman's rho", x_range=(0.0, 1.0), description=about
    )
    for varied, name in NAMES.items():
        shown = [point for point in points if point.varied == varied and _is_sound(point.agreement)]
        tips = [f"{varied} = {getattr(point.rule, varied):g}" for point in shown]
        coverage, rho = [p.agreement.coverage for p in shown], [p.agreement.rho for p in shown]
        figure.line(coverage, rho, name=name)
        figure.points(coverage, rho, name=name, color=list(NAMES).index(varied), tooltips=tips)
    return figure


def sizes_figure(points: Sequence[SizePoint]) -> Figure:
    """Correlation and coverage against the number of training texts, with the spread over draws."""
    n = np.array([point.n_train for point in points], np.float64)
    figure = Figure("How many training texts it takes", "training texts", "Spearman's rho, coverage")
    for color, name in enumerate(("rho", "coverage")):
        values = np.array([getattr(point, name) for point in points])
        spread = np.nan_to_num(np.array([getattr(point, f"{name}_sd") for point in points]))
        figure.band(n, values - spread, values + spread, color=color)
        figure.line(n, values, name=name, color=color)
    return figure


def matrix_figure(cells: Mapping[tuple[str, str], EstimateAgreement]) -> Figure:
    """Rho for every pair of training and test task."""
    tasks = list(dict.fromkeys(train for train, _ in cells))
    values = [[cells[train, test].rho for test in tasks] for train in tasks]
    figure = Figure(
        "Training on one task, estimating another", "estimated", "trained on", x_categories=tasks, y_categories=tasks
    )
    edges = np.arange(len(tasks) + 1) - 0.5
    return figure.grid(edges, edges, values, name="rho", low=-1, high=1, middle=0, cell_text=".2f")


def kernels_figure(rows: Sequence[KernelRow]) -> Figure:
    """Rho and coverage of each similarity."""
    names = [row.similarity.kernel for row in rows]
    places = np.arange(len(rows), dtype=np.float64)
    figure = Figure("Similarities compared", "kernel", "Spearman's rho, coverage", x_categories=names)
    figure.points(places - 0.1, [row.agreement.rho for row in rows], name="rho", size=5)
    return figure.points(places + 0.1, [row.agreement.coverage for row in rows], name="coverage", size=5)


def fruit_figure(annotators: CoveredAndNot) -> Figure:
    """Squared error of annotators where there is an estimate and where there is none."""
    names = [f"with an estimate ({annotators.n_covered})", f"without ({annotators.n_uncovered})"]
    places = np.arange(2, dtype=np.float64)
    figure = Figure("Are covered texts easier for people?", "outputs", "MSE of annotators", x_categories=names)
    sides = (annotators.covered, annotators.uncovered)
    figure.points(places - 0.1, [side.average_mse for side in sides], name="average annotator", size=5)
    return figure.points(places + 0.1, [side.best_mse for side in sides], name="best annotator", size=5)


def _is_sound(agreement: EstimateAgreement) -> bool:
    return agreement.n_covered >= FEWEST and not np.isnan(agreement.rho)
