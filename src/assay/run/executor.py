"""Where chunks of work run: one after the other, or in threads. The results come in order either way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Task = TypeVar("Task")
Done = TypeVar("Done")


def map_in_order(function: Callable[[Task], Done], tasks: Sequence[Task], workers: int) -> Iterator[Done]:
    """Call a function on every task, in threads where there are several workers."""
    if workers == 1 or len(tasks) == 1:
        yield from map(function, tasks)
        return
    with ThreadPoolExecutor(workers) as pool:
        yield from pool.map(function, tasks)
