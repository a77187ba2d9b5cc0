"""Earth mover's distances between weighted points, exactly: shortest augmenting paths over whole weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit


@jit
def transport_cost(costs: NDArray[np.float64], supply: NDArray[np.int64], demand: NDArray[np.int64]) -> float:
    """The least cost of moving `supply` to `demand`, whose sums are equal; costs are not negative.

    Every path is the shortest by reduced costs (Dijkstra on the dense graph), so every flow on the way is optimal.
    """
    n, m = costs.shape
    flow = np.zeros((n, m), np.int64)
    left, wanted = supply.copy(), demand.copy()
    of_row, of_column = np.zeros(n), np.zeros(m)
    distance = np.empty(n + m)
    before = np.empty(n + m, np.int64)
    settled = np.empty(n + m, np.bool_)
    while wanted.sum() > 0:
        distance[:] = np.inf
        before[:] = -1
        settled[:] = False
        for row in range(n):
            if left[row] > 0:
                distance[row] = 0.0
        end = -1
        while end < 0:
            node = -1
            for other in range(n + m):
                if not settled[other] and (node < 0 or distance[other] < distance[node]):
                    node = other
            settled[node] = True
            if node >= n and wanted[node - n] > 0:
                end = node
            elif node < n:
                for column in range(m):
                    reached = distance[node] + max(0.0, costs[node, column] + of_row[node] - of_column[column])
                    if not settled[n + column] and reached < distance[n + column]:
                        distance[n + column] = reached
                        before[n + column] = node
            else:
                column = node - n
                for row in range(n):
                    if flow[row, column] > 0 and not settled[row]:
                        reached = distance[node] + max(0.0, of_column[column] - costs[row, column] - of_row[row])
                        if reached < distance[row]:
                            distance[row] = reached
                            before[row] = node
        for row in range(n):
            of_row[row] += min(distance[row], distance[end])
        for column in range(m):
            of_column[column] += min(distance[n + column], distance[end])
        amount = wanted[end - n]
        node = end
        while before[node] >= 0:
            if node < n:
                amount = min(amount, flow[node, before[node] - n])
            node = before[node]
        amount = min(amount, left[node])
        left[node] -= amount
        wanted[end - n] -= amount
        node = end
        while before[node] >= 0:
            if node >= n:
                flow[before[node], node - n] += amount
            else:
                flow[node, before[node] - n] -= amount
            node = before[node]
    total = 0.0
    for row in range(n):
        for column in range(m):
            total += flow[row, column] * costs[row, column]
    return total


@jit
def mover_distances(
    vectors: NDArray[np.float64],
    points: NDArray[np.int64],
    weights: NDArray[np.int64],
    offsets: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The earth mover's distance of each pair of texts, by the Euclidean distances of their points.

    Text i has the points `vectors[points[offsets[i]:offsets[i + 1]]]` with whole weights, relative to their sum. A text
    without points has no distance: NaN.
    """
    found = np.full(len(left), np.nan)
    for pair in range(len(left)):
        a = points[offsets[left[pair]] : offsets[left[pair] + 1]]
        b = points[offsets[right[pair]] : offsets[right[pair] + 1]]
        if len(a) == 0 or len(b) == 0:
            continue
        costs = np.empty((len(a), len(b)))
        for row in range(len(a)):
            for column in range(len(b)):
                square = 0.0
                for axis in range(vectors.shape[1]):
                    square += (vectors[a[row], axis] - vectors[b[column], axis]) ** 2
                costs[row, column] = np.sqrt(square)
        mine = weights[offsets[left[pair]] : offsets[left[pair] + 1]]
        other = weights[offsets[right[pair]] : offsets[right[pair] + 1]]
        found[pair] = transport_cost(costs, mine * other.sum(), other * mine.sum()) / (mine.sum() * other.sum())
    return found
