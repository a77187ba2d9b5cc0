"""Drawing resamples, counts for the bootstrap and swaps for permutations, alike for any number of workers.

Resamples are made in blocks of a fixed size. Each block, purpose and factor has its own generator, named by a
spawn key, so a draw depends on the seed and its place alone: not on which other factor is resampled, on how
many resamples follow, or on who computes the block.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Result = TypeVar("Result")
BLOCK = 64
"""Resamples per block: 64 rows of counts for 20,000 units are 5 MB."""


class Block(NamedTuple):
    """Resamples `start` to `start + size`."""

    seed: int
    start: int
    size: int

    def rng(self, *purpose: int) -> np.random.Generator:
        """The generator of this block for one purpose."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(*purpose, self.start // BLOCK)))


def blocks(n_resamples: int, seed: int) -> list[Block]:
    """Cut n resamples into blocks."""
    return [Block(seed, start, min(BLOCK, n_resamples - start)) for start in range(0, n_resamples, BLOCK)]


def map_blocks(
    task: Callable[[Block], Result],
    n_resamples: int,
    seed: int,
    *,
    workers: int = 1,
) -> list[Result]:
    """Run `task` on every block, in `workers` threads (kernels release the lock), results in order."""
    parts = blocks(n_resamples, seed)
    if workers < 2 or len(parts) < 2:
        return [task(block) for block in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(task, parts))


def bootstrap_counts(rng: np.random.Generator, n_rows: int, n: int) -> NDArray[np.int32]:
    """How often each of n things is drawn in n draws with replacement, for `n_rows` resamples."""
    if n == 0:
        return np.zeros((n_rows, 0), np.int32)
    counts: NDArray[np.int32] = _count(rng.integers(0, n, (n_rows, n), np.int32), n)
    return counts


def swaps(rng: np.random.Generator, n_rows: int, n_cells: int) -> NDArray[np.int32]:
    """A fair coin per cell and row: 1 where the two things compared change places."""
    n_bytes = (n_cells + 7) // 8
    drawn = np.frombuffer(rng.bytes(n_rows * n_bytes), np.uint8).reshape(n_rows, n_bytes)
    return np.unpackbits(drawn, axis=1, count=n_cells).astype(np.int32)


def without_replacement(rng: np.random.Generator, n_rows: int, n: int, k: int) -> NDArray[np.int32]:
    """1 for k of n things drawn without replacement, 0 for the others, for `n_rows` draws."""
    chosen: NDArray[np.int32] = _choose(rng.random((n_rows, k)), n)
    return chosen


def leave_one_out(codes: NDArray[Any], n_codes: int, start: int, stop: int) -> NDArray[np.int32]:
    """Weights (stop - start, n) that drop the units of group start, start + 1, ...: the jackknife."""
    groups = np.arange(start, min(stop, n_codes))
    return np.asarray(codes[None, :] != groups[:, None], np.int32)


@jit
def _count(draws: NDArray[np.int32], n: int) -> NDArray[np.int32]:
    counts = np.zeros((len(draws), n), np.int32)
    for b in range(len(draws)):
        for i in range(draws.shape[1]):
            counts[b, draws[b, i]] += 1
    return counts


@jit
def _choose(shares: NDArray[np.float64], n: int) -> NDArray[np.int32]:
    """The first steps of a shuffle: each share says which of the things that are left comes next."""
    chosen = np.zeros((len(shares), n), np.int32)
    order = np.empty(n, np.int64)
    for b in range(len(shares)):
        for i in range(n):
            order[i] = i
        for i in range(shares.shape[1]):
            other = i + int(shares[b, i] * (n - i))
            order[i], order[other] = order[other], order[i]
            chosen[b, order[i]] = 1
    return chosen
