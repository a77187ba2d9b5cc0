"""Leave-one-out neighbor counts by brute force."""

from math import dist


def leave_one_out(
    points: list[list[float]], positive: list[bool], k: int, tolerance: float = 1e-9
) -> list[tuple[int, int, int, int]]:
    """Return (inner, inner positive, total, positive) for each point."""
    counts = []
    for i, point in enumerate(points):
        others = [j for j in range(len(points)) if j != i]
        counts.append(_counted(point, [points[j] for j in others], [positive[j] for j in others], k, tolerance))
    return counts


def around(
    queries: list[list[float]],
    points: list[list[float]],
    positive: list[bool],
    k: int,
    tolerance: float = 1e-9,
) -> list[tuple[int, int, int, int]]:
    return [_counted(query, points, positive, k, tolerance) for query in queries]


def _counted(
    query: list[float], points: list[list[float]], positive: list[bool], k: int, tolerance: float
) -> tuple[int, int, int, int]:
    distances = [dist(query, point) for point in points]  # math.dist avoids overflow and underflow
    kth = sorted(distances)[k - 1]
    inner = [label for d, label in zip(distances, positive, strict=True) if d < kth - tolerance]
    within = [label for d, label in zip(distances, positive, strict=True) if d <= kth + tolerance]
    return len(inner), sum(inner), len(within), sum(within)
