"""The earth mover's distance as a linear program."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog


def transport_cost(costs: NDArray[np.float64], supply: NDArray[np.int64], demand: NDArray[np.int64]) -> float:
    n, m = costs.shape
    of_rows = np.kron(np.eye(n), np.ones(m))
    of_columns = np.kron(np.ones(n), np.eye(m))
    solved = linprog(costs.ravel(), A_eq=np.vstack([of_rows, of_columns]), b_eq=np.concatenate([supply, demand]))
    return float(solved.fun)
