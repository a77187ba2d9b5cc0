"""Executors: where chunks run. In this thread, in threads, in processes, on Dask, or on another package's engine."""

from __future__ import annotations

import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence, Sized
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from queue import SimpleQueue
from time import perf_counter
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

from assay.errors import AssayError, EvaluatorError, did_you_mean, pass_on_interrupt
from assay.limits import MOST_WORKERS
from assay.named import load_named
from assay.run.worker import Worker

Task = TypeVar("Task")
Done = TypeVar("Done")

GROUP = "assay.executors"

LONG_WORK = 5.0
"""Seconds of work in Python from which processes end sooner: each takes about 1.5 to start and to get the data."""


@runtime_checkable
class Executor(Protocol):
    """An engine that maps a function over tasks and yields the results in order.

    Unless `in_process`, both are pickled. The function holds the data and is the same for all tasks, so an engine
    should send it to each worker once; a task is a small array of row numbers.
    """

    @property
    def in_process(self) -> bool:
        """Whether the work stays in this process, so that nothing is pickled."""
        ...

    def map(self, function: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Apply a function to every task."""
        ...


@dataclass(frozen=True)
class Serial:
    """Runs one chunk after the other."""

    in_process = True

    def map(self, function: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Apply a function to every task."""
        return map(function, tasks)


@dataclass(frozen=True)
class Threads:
    """Runs chunks in threads: kernels release the GIL. What holds it, `run` gives to `ForPython`."""

    n: int
    in_process = True

    def map(self, function: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Apply a function to every task."""
        if self.n == 1 or len(tasks) < 2:
            yield from map(function, tasks)
            return
        with ThreadPoolExecutor(min(self.n, len(tasks))) as pool:
            yield from _results(pool, function, tasks)


@dataclass(frozen=True)
class Processes:
    """Runs chunks in worker processes: for evaluators in pure Python, which hold the GIL."""

    n: int
    in_process = False

    def map(self, function: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Apply a function to every task."""
        if self.n == 1 or len(tasks) < 2:
            yield from map(function, tasks)
            return
        pickled, free = pickle.dumps(function), SimpleQueue[Worker]()
        with _interrupts_blocked():
            workers = [Worker(pickled) for _ in range(min(self.n, len(tasks)))]
        for worker in workers:
            free.put(worker)

        def apply(task: Task) -> Done:
            worker = free.get()
            try:
                done: Done = worker.apply(task)
                return done
            finally:
                free.put(worker)

        try:
            with ThreadPoolExecutor(len(workers)) as pool:
                yield from _results(pool, apply, tasks)
        finally:
            for worker in workers:
                worker.stop()


@dataclass(frozen=True)
class ForPython:
    """Runs functions that hold the GIL: the first two chunks here, the others in processes where that ends sooner.

    The first chunk warms up, the second is timed. Tasks must have a length. Threads would not end sooner.
    """

    n: int
    in_process = True

    def map(self, function: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
        """Apply a function to every task."""
        per_unit = 0.0
        for task in tasks[:2]:
            start = perf_counter()
            done = function(task)
            per_unit = (perf_counter() - start) / len(cast(Sized, task))
            yield done
        rest = tasks[2:]
        if rest:
            n = min(self.n, os.cpu_count() or 1)
            is_long = per_unit * sum(len(cast(Sized, task)) for task in rest) > LONG_WORK
            engine: Executor = Processes(n) if is_long and n > 1 else Serial()
            yield from engine.map(function, rest)


def _results(pool: ThreadPoolExecutor, function: Callable[[Task], Done], tasks: Sequence[Task]) -> Iterator[Done]:
    """Yield results in order; on Ctrl-C or an error, cancel tasks that have not started."""
    try:
        with _interrupts_blocked():
            results = pool.map(function, tasks)
        yield from results
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Start processes that never see Ctrl-C, which is the parent's business: they inherit what is blocked."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _count(argument: str, name: str) -> int:
    if not (argument.isdecimal() and 1 <= int(argument) <= MOST_WORKERS):
        raise EvaluatorError(f"{name} needs a number from 1 to {MOST_WORKERS}, as in {name}:4. Got {argument!r}.")
    return int(argument)


def _serial(argument: str) -> Executor:
    if argument:
        raise EvaluatorError(f"serial takes no argument. Got {argument!r}; write threads:N or processes:N.")
    return Serial()


def _dask(argument: str) -> Executor:
    from assay.backends.cluster import connect

    return connect(argument)


# Each makes an executor from the text after the colon.
BUILTIN: dict[str, Callable[[str], Executor]] = {
    "serial": _serial,
    "threads": lambda argument: Threads(_count(argument, "threads")),
    "processes": lambda argument: Processes(_count(argument, "processes")),
    "dask": _dask,
}


def executor(name: str | Executor) -> Executor:
    """Look up an executor: `serial`, `threads:4`, `processes:4`, `dask:local:4`, or one of another package.

    The latter is an entry point of the group `assay.executors` (`ray:auto`), or `module:name`: a function of the text
    after the next colon, which may be empty.
    """
    engine = _by_name(name) if isinstance(name, str) else name
    if not isinstance(engine, Executor):
        raise EvaluatorError(f"{name} is a {type(engine).__name__}, no Executor: it lacks map or in_process.")
    return engine


def _by_name(name: str) -> Any:
    head, _, rest = name.partition(":")
    if head in BUILTIN:
        return BUILTIN[head](rest)
    points = {point.name: point for point in entry_points(group=GROUP)}
    attribute, _, argument = rest.partition(":")
    try:
        make = points[head].load() if head in points else load_named(f"{head}:{attribute}")
    except Exception as error:
        pass_on_interrupt(error)
        if head in points:
            raise EvaluatorError(f"the executor {head!r} of another package cannot be loaded: {error}.") from error
        hint = did_you_mean(head, [*BUILTIN, *points])
        raise EvaluatorError(f"no executor {name!r}.{hint} Or name your own as module:name.") from error
    try:
        return make(rest if head in points else argument)
    except AssayError:
        raise
    except Exception as error:
        pass_on_interrupt(error)
        raise EvaluatorError(
            f"the executor {name!r} cannot be made: {type(error).__name__}: {error}. It must be a function of the text "
            "after the next colon that returns an Executor."
        ) from error
