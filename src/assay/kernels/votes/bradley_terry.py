"""Strengths of systems from pairwise preferences: Bradley & Terry (1952), ties as in Davidson (1970).

With strength e^s: P(i beats j) = e^si / D, P(tie) = t e^((si + sj) / 2) / D, D = e^si + e^sj + t e^((si + sj) / 2).
Without ties t = 0, which is the Bradley-Terry model.
"""

from dataclasses import dataclass
from math import exp, nan

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class Strengths:
    """Log-strengths with mean 0, their covariance from the information matrix, and Davidson's tie parameter.

    `strengths` is all NaN when the data do not identify them: see `undecided`.
    """

    strengths: Floats
    covariance: Floats
    tie: float
    n_iterations: int
    with_tie: Floats
    """Covariance of the strengths with the log of the tie parameter."""


def bradley_terry(
    wins: Floats,
    ties: Floats,
    *,
    prior_wins: float = 0.0,
    tolerance: float = 1e-12,
    max_iterations: int = 100,
) -> Strengths:
    """Maximum likelihood by Newton's method; the log-likelihood is concave.

    `wins[i, j]` counts the comparisons that i won against j, `ties[i, j] = ties[j, i]` those without a winner.
    `prior_wins` adds that many wins in both directions to each pair of systems, which keeps the strength of an
    undefeated or unconnected system finite and shrinks all of them.
    """
    n_systems = len(wins)
    wins = wins + prior_wins * (1.0 - np.eye(n_systems))
    if undecided(wins, ties):
        unknown = np.full((n_systems, n_systems), nan)
        return Strengths(np.full(n_systems, nan), unknown, nan, 0, unknown[0])
    has_ties = bool(ties.any())
    parameters = np.zeros(n_systems + has_ties)
    likelihood, gradient, information = _derivatives(wins, ties, parameters, has_ties)
    n_iterations = 0
    while n_iterations < max_iterations:
        step = _inverse(information, has_ties) @ gradient
        size = 1.0
        while True:
            moved = parameters + size * step
            proposal = _derivatives(wins, ties, moved, has_ties)
            # Rounding may make a full step lower the likelihood slightly: do not halve it forever.
            if proposal[0] >= likelihood - 1e-12 * abs(likelihood) or size < 1e-6:
                break
            size /= 2.0
        parameters, (likelihood, gradient, information) = moved, proposal
        n_iterations += 1
        if size * np.abs(step).max(initial=0.0) < tolerance:
            break
    strengths, covariance = parameters[:n_systems], _inverse(information, has_ties)
    return Strengths(
        strengths - strengths.mean(),
        covariance[:n_systems, :n_systems],
        exp(parameters[-1]) if has_ties else 0.0,
        n_iterations,
        covariance[:n_systems, n_systems] if has_ties else np.zeros(n_systems),
    )


def influences(left: Integers, right: Integers, outcome: Integers, cluster: Integers, fitted: Strengths) -> Floats:
    """First-order influence of each cluster of comparisons on the strengths: (clusters, systems).

    The scores of its comparisons (points of the left system, 1, 1/2 or 0, minus the expected points, and tie minus its
    probability) times the covariance of the parameters.
    """
    half = np.exp((fitted.strengths[left] - fitted.strengths[right]) / 2.0)
    total = half + 1.0 / half + fitted.tie
    points = np.where(outcome > 0, 1.0, np.where(outcome == 0, 0.5, 0.0)) - (half + fitted.tie / 2.0) / total
    scores = np.zeros((int(cluster.max(initial=-1)) + 1, len(fitted.strengths)))
    np.add.at(scores, (cluster, left), points)
    np.add.at(scores, (cluster, right), -points)
    tied = np.bincount(cluster, (outcome == 0) - fitted.tie / total, len(scores))
    return np.asarray(scores @ fitted.covariance + tied[:, None] * fitted.with_tie, dtype=np.float64)


def undecided(wins: Floats, ties: Floats) -> bool:
    """Whether some parameter would be infinite: the likelihood does not decrease in some direction.

    This happens when the systems split into two groups such that no system of one won or tied against the other (Ford
    1957); and, with ties, when strengths can be laid out such that each win spans a length of at least 1 and each tie
    at most 1: scaling up that layout together with the tie parameter makes ties and wins ever likelier.
    """
    if len(wins) < 2:
        return True
    beats = (wins + ties) > 0
    if not (_reaches_all(beats) and _reaches_all(beats.T)):
        return True
    return bool(ties.any()) and not _has_negative_cycle(_least_lengths(wins, ties))


def _reaches_all(edges: NDArray[np.bool_]) -> bool:
    reached = np.zeros(len(edges), np.bool_)
    reached[0] = True
    while True:
        grown = reached | edges[reached].any(axis=0)
        if (grown == reached).all():
            return bool(reached.all())
        reached = grown


def _least_lengths(wins: Floats, ties: Floats) -> Floats:
    """Bounds on s_j - s_i in a layout: -1 where i beat j, 1 where they tied, none elsewhere."""
    bounds = np.where(ties > 0, 1.0, np.inf)
    bounds[wins > 0] = -1.0
    np.fill_diagonal(bounds, 0.0)
    return bounds


def _has_negative_cycle(bounds: Floats) -> bool:
    """Whether the bounds contradict each other (Floyd-Warshall shortest paths)."""
    for middle in range(len(bounds)):
        bounds = np.minimum(bounds, bounds[:, middle, None] + bounds[None, middle, :])
        if (np.diagonal(bounds) < 0).any():
            return True
    return False


def _derivatives(wins: Floats, ties: Floats, parameters: Floats, has_ties: bool) -> tuple[float, Floats, Floats]:
    """Log-likelihood, its gradient and the information matrix in (strengths, log tie parameter)."""
    n_systems = len(wins)
    strengths = parameters[:n_systems]
    difference = (strengths[:, None] - strengths[None, :]) / 2.0
    # Relative to e^((si + sj) / 2), so that no exponent exceeds half a difference of strengths.
    first, second = np.exp(difference), np.exp(-difference)
    middle = exp(parameters[-1]) if has_ties else 0.0
    total = first + second + middle
    p_win, p_tie = first / total, middle / total
    n_compared = wins + wins.T + ties
    off_diagonal = 1.0 - np.eye(n_systems)
    likelihood = float((wins * np.log(p_win)).sum())
    score = wins + ties / 2.0 - n_compared * (p_win + p_tie / 2.0)
    half = p_win + p_tie / 2.0
    # Variance of a comparison's points for i (1, 1/2, 0), and their covariance with a tie.
    variance = n_compared * (p_win + p_tie / 4.0 - half**2) * off_diagonal
    information = np.diag(variance.sum(axis=1)) - variance
    gradient = (score * off_diagonal).sum(axis=1)
    if not has_ties:
        return likelihood, gradient, information
    upper = np.triu(np.ones_like(wins), 1)
    likelihood += float((ties * np.log(p_tie) * upper).sum())
    tie_score = float(((ties - n_compared * p_tie) * upper).sum())
    with_tie = (n_compared * p_tie * (0.5 - half) * off_diagonal).sum(axis=1)
    tie_variance = float((n_compared * p_tie * (1.0 - p_tie) * upper).sum())
    full = np.zeros((n_systems + 1, n_systems + 1))
    full[:n_systems, :n_systems] = information
    full[:n_systems, n_systems] = full[n_systems, :n_systems] = with_tie
    full[n_systems, n_systems] = tie_variance
    return likelihood, np.append(gradient, tie_score), full


def _inverse(information: Floats, has_ties: bool) -> Floats:
    """Inverse on the plane where the strengths sum to 0: only differences of strengths are identified."""
    n_systems = len(information) - has_ties
    fixed = information.copy()
    fixed[:n_systems, :n_systems] += 1.0 / n_systems
    inverse = np.linalg.inv(fixed).astype(np.float64)
    inverse[:n_systems, :n_systems] -= 1.0 / n_systems
    return inverse
