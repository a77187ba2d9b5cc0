"""Neighbor counts against plain Python and SciPy: ties, duplicates, skew, any number of dimensions."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial import cKDTree

from assay.kernels.points.neighbors import PointNeighbors, around, leave_one_out
from tests.oracles import neighbors as oracle

# Sixteenths are exact in floating point, so equal distances are equal; sevenths are not.
exact = st.integers(-8, 8).map(lambda value: value / 16)
inexact = st.integers(0, 21).map(lambda value: value / 7)
smooth = st.floats(-3, 3, allow_subnormal=False)


@st.composite
def labeled(draw: st.DrawFn) -> tuple[list[list[float]], list[bool], int]:
    dimensions = draw(st.integers(1, 4))
    value = draw(st.sampled_from([exact, inexact, smooth]))
    points = draw(st.lists(st.lists(value, min_size=dimensions, max_size=dimensions), min_size=2, max_size=60))
    labels = draw(st.lists(st.booleans(), min_size=len(points), max_size=len(points)))
    return points, labels, draw(st.integers(1, len(points) - 1))


def rows(result: PointNeighbors) -> list[tuple[int, int, int, int]]:
    columns = result.inner, result.inner_positive, result.total, result.positive
    return list(zip(*(column.tolist() for column in columns), strict=True))


@settings(max_examples=300, deadline=None)
@given(labeled())
def test_equals_plain_python(case: tuple[list[list[float]], list[bool], int]) -> None:
    points, labels, k = case
    assert rows(leave_one_out(np.array(points), np.array(labels), k)) == oracle.leave_one_out(points, labels, k)


@settings(max_examples=100, deadline=None)
@given(labeled(), st.data())
def test_queries_that_are_not_points(case: tuple[list[list[float]], list[bool], int], data: st.DataObject) -> None:
    points, labels, k = case
    query = st.lists(st.one_of(exact, smooth), min_size=len(points[0]), max_size=len(points[0]))
    queries = data.draw(st.lists(query, min_size=1, max_size=8))
    result = around(np.array(queries), np.array(points), np.array(labels), k)
    assert rows(result) == oracle.around(queries, points, labels, k)


@settings(max_examples=100, deadline=None)
@given(labeled())
@example(([[0.0], [0.0], [1.9485474947685187e-301]], [False, False, False], 1))
def test_without_tolerance(case: tuple[list[list[float]], list[bool], int]) -> None:
    points, labels, k = case
    if len(points[0]) == 1:  # one dimension needs no square root, so both are bit-identical
        result = leave_one_out(np.array(points), np.array(labels), k, tolerance=0.0)
        assert rows(result) == oracle.leave_one_out(points, labels, k, 0.0)


def gaussian(n: int) -> NDArray[np.float64]:
    return np.random.default_rng(0).normal(size=(n, 2))


def ratings(n: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    return np.stack([np.round(rng.normal(size=n), 1), rng.integers(0, 101, n) / 20], axis=1)


@pytest.mark.parametrize(
    "points",
    [
        gaussian(3000),
        np.exp(3 * gaussian(3000)),
        ratings(3000),
        np.repeat(gaussian(300), 10, axis=0),
        np.c_[np.zeros(3000), gaussian(3000)[:, 0]],
        np.random.default_rng(2).normal(size=(3000, 3)),
    ],
    ids=["gaussian", "skewed", "ratings", "tenfold", "line in a plane", "three dimensions"],
)
def test_equals_scipy(points: NDArray[np.float64]) -> None:
    positive = np.random.default_rng(3).random(len(points)) < 0.4
    result = leave_one_out(points, positive, 16)
    tree = cKDTree(points)
    kth = tree.query(points, 17)[0][:, 16]
    np.testing.assert_allclose(result.kth, kth, atol=1e-12)
    within = tree.query_ball_point(points, kth + 1e-9)
    assert result.total.tolist() == [len(rows) - 1 for rows in within]
    assert result.positive.tolist() == [positive[rows].sum() - positive[i] for i, rows in enumerate(within)]


@pytest.mark.parametrize("points", [gaussian(500), ratings(500), ratings(500)[:, 1:]])
def test_the_order_of_rows_is_irrelevant(points: NDArray[np.float64]) -> None:
    positive = np.random.default_rng(4).random(len(points)) < 0.5
    shuffled = np.random.default_rng(5).permutation(len(points))
    whole, mixed = (
        leave_one_out(points, positive, 16),
        leave_one_out(points[shuffled], positive[shuffled], 16),
    )
    assert rows(mixed) == [rows(whole)[row] for row in shuffled]
    assert (whole.kth[shuffled] == mixed.kth).all()


@pytest.mark.parametrize("dimensions", [1, 2])
def test_all_points_identical(dimensions: int) -> None:
    positive = np.arange(100) < 30
    result = leave_one_out(np.ones((100, dimensions)), positive, 16)
    assert (result.kth == 0).all() and (result.inner == 0).all() and (result.total == 99).all()
    assert result.positive.tolist() == [29] * 30 + [30] * 70


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak of memory as Linux tells it")
@pytest.mark.parametrize("kind", ["gaussian", "ratings"])
def test_a_million_points_stay_below_two_gigabytes(kind: str) -> None:
    code = f"""
import numpy as np
from assay.kernels.points.neighbors import leave_one_out

rng, n = np.random.default_rng(0), 1_000_000
rated = rng.binomial(5, rng.random((n, 1)), (n, 20)).mean(axis=1)
points = np.column_stack([rng.normal(size=n), rated if "{kind}" == "ratings" else rng.normal(size=n)])
leave_one_out(points, np.arange(n) % 2 == 0, 16)
# Not getrusage: its maximum may be that of the process that started this one.
print(next(int(line.split()[1]) / 1e6 for line in open("/proc/self/status") if line.startswith("VmHWM")))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 2
