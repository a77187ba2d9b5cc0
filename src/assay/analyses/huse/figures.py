"""The figures of HUSE (Hashimoto, Zhang and Liang, 2019, figures 2 to 5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.analyses.huse.stability import Curve
from assay.evaluators.huse.measure import Rules, feature_scale, first_rating, tolerance, voting_features
from assay.evaluators.huse.problem import Problem
from assay.kernels.points.neighbors import around
from assay.plot import Figure

Floats = NDArray[np.float64]
COLUMNS, LINES = 72, 48
# Small multiples: a figure per system, three in a row of a page.
WIDTH, HEIGHT = 360, 340
# Marks of each kind in such a figure, and characters of a text: a page may hold dozens of figures.
MOST_MARKS, MOST_LETTERS = 400, 280
NAMES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D"}


def decision_figure(problem: Problem, rules: Rules, system: str, ids: Sequence[str], texts: Sequence[str]) -> Figure:
    """Draw outputs by log-probability and quality over the neighbors' vote (figure 4); two features only."""
    assert problem.logprob is not None
    x, y = problem.logprob, problem.quality[:, 0]
    figure = Figure(
        f"{system} and people",
        "log-probability per token",
        "quality (mean judgment)",
        description=f"Outputs of {system} and of people by log-probability and quality, over the share of people "
        f"among the {rules.k} nearest outputs.",
        x_range=_widened(x),
        y_range=_widened(y),
        width=WIDTH,
        height=HEIGHT,
    )
    if problem.quality.shape[1] == 1:
        _add_surface(figure, problem, rules, _widened(x), _widened(y))
    for name, chosen in (("people", problem.human), (system, ~problem.human)):
        rows = np.flatnonzero(chosen)
        figure.points(
            x[rows],
            y[rows],
            name=name,
            color=0 if name == "people" else 1,
            tooltips=[_told(texts[row], x[row], y[row], ids[row]) for row in rows.tolist()],
            data={"output": [ids[row] for row in rows.tolist()]},
            limit=MOST_MARKS,
            sampled=True,
        )
    if problem.floored.any():
        figure.rule(x=problem.floor, label=f"-inf ({np.count_nonzero(problem.floored)})")
    return figure


def plane_figure(
    systems: Sequence[str],
    huse_q: Sequence[float],
    huse_d: Sequence[float],
    intervals: Sequence[Mapping[str, tuple[float, float]]] = (),
) -> Figure:
    """Draw systems by diversity and quality, with lines of equal HUSE and the dominated region (figure 3)."""
    quality, diversity = np.asarray(huse_q, np.float64), np.asarray(huse_d, np.float64)
    rows = np.flatnonzero(np.isfinite(quality) & np.isfinite(diversity)).tolist()
    names, quality, diversity = [systems[row] for row in rows], quality[rows], diversity[rows]
    q_reach, d_reach = _reach(rows, intervals, "huse_q"), _reach(rows, intervals, "huse_d")
    right = _highest(1.02, diversity, d_reach[1]) + 0.03
    top = _highest(1.02, quality, q_reach[1]) + 0.03
    left = -_highest(0.0, -diversity, -d_reach[0])
    figure = Figure(
        "Quality and diversity",
        "HUSE-D (diversity)",
        "HUSE-Q (quality)",
        description="Systems by HUSE-D and HUSE-Q. Dashed lines have equal HUSE; in the shaded region another system "
        "is at least as good in both.",
        x_range=(left - 0.03, right + 0.2),
        y_range=(-0.02, top),
        height=440,
    )
    _add_dominated(figure, quality, diversity)
    for value in (0.2, 0.4, 0.6, 0.8, 1.0):
        # The line ends where its name fits: before the free strip at the right, or on the ground.
        x = np.array([value + 1 - top, min(right, value + 1)])
        figure.line(x, value + 1 - x, color=7, dash="3 4", width=1)
        figure.label(x[1], value + 1 - x[1], f"HUSE {value:g}", muted=True, shift=(4, 4))
    figure.intervals(diversity, *d_reach, positions=quality, color=0)
    figure.intervals(quality, *q_reach, positions=diversity, color=0, vertical=True)
    said_q, said_d = _with_intervals(quality, *q_reach), _with_intervals(diversity, *d_reach)
    tooltips = [f"{name}: HUSE-Q {q}, HUSE-D {d}" for name, q, d in zip(names, said_q, said_d, strict=True)]
    figure.points(diversity, quality, color=0, size=5, tooltips=tooltips)
    return figure.labels(diversity, quality, names, x_reach=d_reach, y_reach=q_reach)


def frequency_figure(quality: Floats, log_frequency: Floats, human: NDArray[np.bool_], column: str) -> Figure:
    """Draw quality against the logarithm of how often a text occurs in a corpus (figure 2)."""
    figure = Figure(
        "Judgment and frequency",
        f"{column} (log corpus frequency)",
        "quality (mean judgment)",
        description="Mean judgment of each output against the logarithm of its frequency in a corpus.",
    )
    for name, chosen, color in (("people", human, 0), ("systems", ~human, 1)):
        figure.points(log_frequency[chosen], quality[chosen], name=name, color=color)
    return figure


def stability_figure(curve: Curve, what: str, system: str) -> Figure:
    """Draw the convergence of the three measures with items or annotators (figure 5)."""
    figure = Figure(
        f"{system}: HUSE by number of {what}",
        what,
        "value",
        x_log=True,
        description=f"Mean over random subsamples of {what}; the band is one standard deviation to each side.",
    )
    for color, (measure, name) in enumerate(NAMES.items()):
        mean, deviation = curve.mean[measure], np.nan_to_num(curve.deviation[measure])
        figure.band(curve.sizes, mean - deviation, mean + deviation, color=color)
        figure.line(curve.sizes, mean, name=name, color=color)
        figure.points(curve.sizes, mean, color=color, size=3)
    return figure


def _add_dominated(figure: Figure, quality: Floats, diversity: Floats) -> None:
    """Shade the region where another system is at least as good in both."""
    edges = np.unique(np.r_[min(0.0, diversity.min(initial=0.0)), diversity])
    best = np.array([quality[diversity >= edge].max(initial=0) for edge in edges[1:]])
    if len(best):
        steps, heights = np.repeat(edges, 2)[1:-1], np.repeat(best, 2)
        figure.band(steps, np.zeros(len(steps)), heights, name="dominated by another system", color=7, opacity=0.12)


def _reach(
    rows: Sequence[int], intervals: Sequence[Mapping[str, tuple[float, float]]], measure: str
) -> tuple[Floats, Floats]:
    ends = [intervals[row][measure] if len(intervals) else (np.nan, np.nan) for row in rows]
    low, high = np.array(ends, np.float64).reshape(-1, 2).T
    return low, high


def _highest(least: float, *parts: Floats) -> float:
    return max(least, *(float(part[np.isfinite(part)].max(initial=least)) for part in parts))


def _with_intervals(values: Floats, low: Floats, high: Floats) -> list[str]:
    rows = zip(values.tolist(), low.tolist(), high.tolist(), strict=True)
    return [f"{value:.2f} ({a:.2f} to {b:.2f})" if a == a and b == b else f"{value:.2f}" for value, a, b in rows]


def _told(words: str, logprob: float, quality: float, output: str) -> str:
    cut = words if len(words) <= MOST_LETTERS else f"{words[:MOST_LETTERS]}…"
    return f"{cut}\nlog-probability {logprob:.2f}, quality {quality:.2f}, output {output}"


def _add_surface(
    figure: Figure, problem: Problem, rules: Rules, x_range: tuple[float, float], y_range: tuple[float, float]
) -> None:
    x_edges, y_edges = np.linspace(*x_range, COLUMNS + 1), np.linspace(*y_range, LINES + 1)
    x, y = np.meshgrid((x_edges[1:] + x_edges[:-1]) / 2, (y_edges[1:] + y_edges[:-1]) / 2)
    queries = np.column_stack([x.ravel(), y.ravel() + first_rating(rules)]) / feature_scale(problem, rules)
    points = voting_features(problem, rules, with_logprob=True)
    neighbors = around(queries, points, problem.human, rules.k, tolerance=tolerance(rules))
    people = neighbors.positive * problem.n_model
    share = people / (people + (neighbors.total - neighbors.positive) * problem.n_human)
    figure.grid(
        x_edges,
        y_edges,
        share.reshape(LINES, COLUMNS),
        name="people among neighbors",
        low=0.0,
        high=1.0,
        middle=0.5,
        strength=0.35,
    )


def _widened(values: Floats) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    pad = 0.06 * (high - low) or 0.5
    return low - pad, high + pad
