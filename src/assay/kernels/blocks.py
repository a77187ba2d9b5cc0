"""Process a matrix in blocks of rows: bounded memory, several threads, results in a fixed order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

Workspace = TypeVar("Workspace")
Result = TypeVar("Result")

ENTRIES = 1 << 23  # maximum entries per block: 100 MB as sparse rows, 67 MB dense
ROWS = 512  # maximum rows per block, so that even a small matrix is split between workers


def row_blocks(n_rows: int, n_columns: int, entries: int = ENTRIES) -> list[tuple[int, int]]:
    """Cut rows into blocks of at most `entries` entries, at least one row each."""
    size = max(1, min(ROWS, entries // max(n_columns, 1)))
    return [(start, min(start + size, n_rows)) for start in range(0, n_rows, size)]


def in_order(
    work: Callable[[int, int, Workspace], Result],
    blocks: Sequence[tuple[int, int]],
    workspace: Callable[[], Workspace],
    workers: int = 1,
) -> Iterator[tuple[int, Result]]:
    """Yield (start, work(start, stop, workspace)) in the order of `blocks`, at most `workers` of them in flight.

    A block depends only on its rows, so results are bit-identical for any number of workers.
    """
    if workers <= 1 or len(blocks) < 2:
        scratch = workspace()
        for start, stop in blocks:
            yield start, work(start, stop, scratch)
        return
    free: SimpleQueue[Workspace] = SimpleQueue()
    for _ in range(workers):
        free.put(workspace())

    def run(start: int, stop: int) -> Result:
        scratch = free.get()
        try:
            return work(start, stop, scratch)
        finally:
            free.put(scratch)

    with ThreadPoolExecutor(workers) as pool:
        in_flight: deque[tuple[int, Future[Result]]] = deque()
        for start, stop in blocks:
            if len(in_flight) == workers:
                first, future = in_flight.popleft()
                yield first, future.result()
            in_flight.append((start, pool.submit(run, start, stop)))
        for first, future in in_flight:
            yield first, future.result()
