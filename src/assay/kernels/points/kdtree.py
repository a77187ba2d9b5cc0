"""A balanced k-d tree over weighted points, and exact k-nearest-neighbor counts that include all ties.

The tree is implicit: node j of level l holds the points n*j >> l to n*(j + 1) >> l in tree order, so only the order
and one bounding box per node are stored (Bentley 1975; Friedman, Bentley and Finkel 1977). Splits are at medians, so
the depth is log2 n for any data; the caller merges equal points into one with a weight, so heavy ties cost nothing.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

LEAF = 12
STACK = 128


@jit
def build(points: Floats, levels: int) -> tuple[Floats, Counts, Floats, Floats]:
    """Return the points in tree order, that order, and the lower and upper corner of every node's box.

    Nodes are numbered as in a heap from 1; entry 0 is unused.
    """
    n, d = points.shape
    points, order = points.copy(), np.arange(n)
    lower, upper = np.full((2 << levels, d), np.inf), np.full((2 << levels, d), -np.inf)
    for level in range(levels + 1):
        for j in range(1 << level):
            node, start, stop = (1 << level) + j, (n * j) >> level, (n * (j + 1)) >> level
            widest, width = 0, -1.0
            for axis in range(d):
                low, high = np.inf, -np.inf
                for i in range(start, stop):
                    low, high = min(low, points[i, axis]), max(high, points[i, axis])
                lower[node, axis], upper[node, axis] = low, high
                if high - low > width:
                    widest, width = axis, high - low
            if level < levels:
                _split(points, widest, order, start, stop, (n * (2 * j + 1)) >> (level + 1))
    return points, order, lower, upper


@jit
def _split(points: Floats, axis: int, order: Counts, start: int, stop: int, middle: int) -> None:
    """Partition the rows from start to stop around the value at `middle`: quickselect (Hoare 1961)."""
    first, last = start, stop - 1
    while first < last:
        a, b, c = points[first, axis], points[(first + last) // 2, axis], points[last, axis]
        pivot = max(min(a, b), min(max(a, b), c))
        i, j = first, last
        while i <= j:
            while points[i, axis] < pivot:
                i += 1
            while points[j, axis] > pivot:
                j -= 1
            if i <= j:
                order[i], order[j] = order[j], order[i]
                for other in range(points.shape[1]):
                    points[i, other], points[j, other] = points[j, other], points[i, other]
                i += 1
                j -= 1
        if middle <= j:
            last = j
        elif middle >= i:
            first = i
        else:
            return


@jit
def neighbor_counts(
    points: Floats,
    totals: Counts,
    positives: Counts,
    lower: Floats,
    upper: Floats,
    levels: int,
    queries: Floats,
    own: Counts,
    k: int,
    tolerance: float,
) -> tuple[Floats, Counts]:
    """Return, for each query, the k-th distance and counts of the points around it.

    Points lie in tree order. `totals` and `positives` are running sums of weights in that order, from 0 on.
    `own[i]` is the tree position of query i, which is excluded and counted as weight - 1 points at distance 0; -1 if
    the query is not a point of the tree. The four counts: points (all, positive) closer than the k-th distance -
    tolerance, and points (all, positive) within the k-th distance + tolerance.
    """
    n = len(queries)
    kth, counts = np.empty(n), np.empty((n, 4), np.int64)
    near, near_points = np.empty(k + 1), np.empty(k + 1, np.int64)
    nodes, gaps = np.empty(STACK, np.int64), np.empty(STACK)
    for i in range(n):
        query = queries[i]
        needed = k if own[i] < 0 else k - (totals[own[i] + 1] - totals[own[i]] - 1)
        filled, missed = 0, np.inf
        if needed > 0:
            filled, missed = _nearest(
                points,
                totals,
                lower,
                upper,
                levels,
                query,
                own[i],
                needed,
                tolerance,
                near,
                near_points,
                nodes,
                gaps,
            )
        radius = np.sqrt(near[filled - 1]) if filled else 0.0
        kth[i] = radius
        outer, inner = (radius + tolerance) ** 2, max(radius - tolerance, 0.0) ** 2
        if radius == 0.0 or tolerance == 0.0:
            # Without tolerance, compare squared distances exactly as computed.
            inner = near[filled - 1] if filled else 0.0
            outer = max(outer, inner)
        if filled and missed > outer:
            counts[i] = 0
            for slot in range(filled):
                position = near_points[slot]
                weight = totals[position + 1] - totals[position]
                positive = positives[position + 1] - positives[position]
                counts[i, 2] += weight
                counts[i, 3] += positive
                if near[slot] < inner:
                    counts[i, 0] += weight
                    counts[i, 1] += positive
        else:
            args = (points, totals, positives, lower, upper, levels, query, own[i])
            counts[i, 0], counts[i, 1] = _within(*args, inner, True, nodes)
            counts[i, 2], counts[i, 3] = _within(*args, outer, False, nodes)
    return kth, counts


@jit
def _nearest(
    points: Floats,
    totals: Counts,
    lower: Floats,
    upper: Floats,
    levels: int,
    query: Floats,
    own: int,
    needed: int,
    tolerance: float,
    near: Floats,
    near_points: Counts,
    nodes: Counts,
    gaps: Floats,
) -> tuple[int, float]:
    """Fill `near` (squared distances) and `near_points` with the nearest points until they weigh `needed`.

    Returns how many were filled and the smallest squared distance of the points that did not fit.
    """
    n, d = points.shape
    filled, weight, missed = 0, 0, np.inf
    bound = np.inf  # no point beyond it matters; slightly loose, to avoid a square root
    # A point of the tree starts at its own leaf and climbs: most of its neighbors are there.
    climbed = 1 if own < 0 else (1 << levels) + _leaf_of(own, n, levels)
    nodes[0], gaps[0], depth = climbed, 0.0, 1
    while depth or climbed > 1:
        if not depth:
            sibling = climbed ^ 1
            climbed >>= 1
            nodes[0], gaps[0], depth = sibling, _box_distance(lower, upper, sibling, query), 1
        depth -= 1
        if gaps[depth] > bound:
            continue
        node = nodes[depth]
        if node < (1 << levels):
            left = _box_distance(lower, upper, 2 * node, query)
            right = _box_distance(lower, upper, 2 * node + 1, query)
            closer = left <= right
            if max(left, right) <= bound:
                nodes[depth], gaps[depth] = (2 * node + 1, right) if closer else (2 * node, left)
                depth += 1
            nodes[depth], gaps[depth] = (2 * node, left) if closer else (2 * node + 1, right)
            depth += 1
            continue
        j = node - (1 << levels)
        for position in range((n * j) >> levels, (n * (j + 1)) >> levels):
            distance = 0.0
            for axis in range(d):
                step = points[position, axis] - query[axis]
                distance += step * step
            if distance > bound or position == own:
                continue
            if weight >= needed and distance >= near[filled - 1]:
                missed = min(missed, distance)
                continue
            slot = filled
            while slot and near[slot - 1] > distance:
                near[slot], near_points[slot] = near[slot - 1], near_points[slot - 1]
                slot -= 1
            near[slot], near_points[slot] = distance, position
            filled += 1
            weight += totals[position + 1] - totals[position]
            while True:
                last = totals[near_points[filled - 1] + 1] - totals[near_points[filled - 1]]
                if weight - last < needed:
                    break
                filled -= 1
                weight -= last
                missed = min(missed, near[filled])
            if weight >= needed:
                bound = near[filled - 1]
                bound += tolerance * (1.0 + bound + tolerance)
    return filled, missed


@jit
def _leaf_of(position: int, n: int, levels: int) -> int:
    """Return the leaf that holds a position: the last one that starts at or before it."""
    leaf = (position << levels) // n
    while (n * (leaf + 1)) >> levels <= position:
        leaf += 1
    return leaf


@jit
def _within(
    points: Floats,
    totals: Counts,
    positives: Counts,
    lower: Floats,
    upper: Floats,
    levels: int,
    query: Floats,
    own: int,
    reach: float,
    strictly: bool,
    nodes: Counts,
) -> tuple[int, int]:
    """Count weight and positives within a squared distance, excluding `own`; whole boxes at once."""
    n, d = points.shape
    total, positive = 0, 0
    nodes[0], depth = 1, 1
    while depth:
        depth -= 1
        node = nodes[depth]
        nearest = _box_distance(lower, upper, node, query)
        if nearest > reach or (strictly and nearest >= reach):
            continue
        level = 0
        while (2 << level) <= node:
            level += 1
        j = node - (1 << level)
        start, stop = (n * j) >> level, (n * (j + 1)) >> level
        farthest = 0.0
        for axis in range(d):
            step = max(query[axis] - lower[node, axis], upper[node, axis] - query[axis])
            farthest += step * step
        if farthest < reach or (farthest == reach and not strictly):
            total += totals[stop] - totals[start]
            positive += positives[stop] - positives[start]
            if start <= own < stop:
                total -= totals[own + 1] - totals[own]
                positive -= positives[own + 1] - positives[own]
        elif level < levels:
            nodes[depth], nodes[depth + 1] = 2 * node, 2 * node + 1
            depth += 2
        else:
            for position in range(start, stop):
                distance = 0.0
                for axis in range(d):
                    step = points[position, axis] - query[axis]
                    distance += step * step
                if position != own and (distance < reach or (distance == reach and not strictly)):
                    total += totals[position + 1] - totals[position]
                    positive += positives[position + 1] - positives[position]
    return total, positive


@jit
def _box_distance(lower: Floats, upper: Floats, node: int, query: Floats) -> float:
    """Return the squared distance from a point to a node's box."""
    distance = 0.0
    for axis in range(len(query)):
        step = max(lower[node, axis] - query[axis], query[axis] - upper[node, axis], 0.0)
        distance += step * step
    return distance
