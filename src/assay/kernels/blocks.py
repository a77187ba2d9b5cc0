"""Work on a matrix block of rows by block of rows: bounded memory, several threads, one order of results."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import SimpleQueue
from typing import TypeVar

Workspace = TypeVar("Workspace")
Result = TypeVar("Result")

ENTRIES = 1 << 23  # entries a block may hold at most: 100 MB as sparse rows, 67 MB as a dense block
ROWS = 512  # rows a block may hold, so that a small matrix too is shared between workers


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
    """Yield (start, work(start, stop, workspace)) in the order of `blocks`, `workers` of them at a time.

    A block depends on nothing but its rows, so the number of workers changes no bit of the results.
    """
    if workers <= 1 or len(blocks) < 2:
        own = workspace()
        for start, stop in blocks:
            yield start, work(start, stop, own)
        return
    free: SimpleQueue[Workspace] = SimpleQueue()
    for _ in range(workers):
        free.put(workspace())

    def run(start: int, stop: int) -> Result:
        own = free.get()
        try:
            return work(start, stop, own)
        finally:
            free.put(own)

    with ThreadPoolExecutor(workers) as pool:
        under_way: deque[tuple[int, Future[Result]]] = deque()
        for start, stop in blocks:
            if len(under_way) == workers:
                first, done = under_way.popleft()
                yield first, done.result()
            under_way.append((start, pool.submit(run, start, stop)))
        for first, done in under_way:
            yield first, done.result()
