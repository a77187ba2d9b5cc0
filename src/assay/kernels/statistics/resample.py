"""Resampling: bootstrap counts and permutation swaps, reproducible for any number of workers.

Resamples come in blocks of fixed size. Each block, purpose and factor has its own generator, identified by a spawn
key, so a draw depends only on the seed and its position: not on which other factors are resampled, how many resamples
follow, or which worker computes the block.
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
        """The random generator of this block for one purpose."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(*purpose, self.start // BLOCK)))


def blocks(n_resamples: int, seed: int) -> list[Block]:
    """Split n resamples into blocks."""
    return [Block(seed, start, min(BLOCK, n_resamples - start)) for start in range(0, n_resamples, BLOCK)]


def map_blocks(
    task: Callable[[Block], Result],
    n_resamples: int,
    seed: int,
    *,
    workers: int = 1,
) -> list[Result]:
    """Run `task` on every block in `workers` threads (kernels release the GIL); results in order."""
    parts = blocks(n_resamples, seed)
    if workers < 2 or len(parts) < 2:
        return [task(block) for block in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(task, parts))


def bootstrap_counts(rng: np.random.Generator, n_rows: int, n: int) -> NDArray[np.int32]:
    """Counts of n draws with replacement from n members, for `n_rows` resamples."""
    if n == 0:
        return np.zeros((n_rows, 0), np.int32)
    counts: NDArray[np.int32] = _count(rng.integers(0, n, (n_rows, n), np.int32), n)
    return counts


def swaps(rng: np.random.Generator, n_rows: int, n_cells: int) -> NDArray[np.int32]:
    """A fair coin per cell and row: 1 swaps the pair."""
    n_bytes = (n_cells + 7) // 8
    random_bytes = np.frombuffer(rng.bytes(n_rows * n_bytes), np.uint8).reshape(n_rows, n_bytes)
    return np.unpackbits(random_bytes, axis=1, count=n_cells).astype(np.int32)


def without_replacement(rng: np.random.Generator, n_rows: int, n: int, k: int) -> NDArray[np.int32]:
    """Indicators of k of n members drawn without replacement, for `n_rows` draws."""
    chosen: NDArray[np.int32] = _choose(rng.random((n_rows, k)), n)
    return chosen


def leave_one_out(codes: NDArray[Any], n_codes: int, start: int, stop: int) -> NDArray[np.int32]:
    """Jackknife weights (stop - start, n): row i drops the units of group start + i."""
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
def _choose(uniforms: NDArray[np.float64], n: int) -> NDArray[np.int32]:
    """Partial Fisher-Yates shuffle: each uniform number picks the next of the remaining members."""
    chosen = np.zeros((len(uniforms), n), np.int32)
    order = np.empty(n, np.int64)
    for b in range(len(uniforms)):
        for i in range(n):
            order[i] = i
        for i in range(uniforms.shape[1]):
            other = i + int(uniforms[b, i] * (n - i))
            order[i], order[other] = order[other], order[i]
            chosen[b, order[i]] = 1
    return chosen
