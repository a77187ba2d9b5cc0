"""One thread that does all writing of a process: a queue, and one commit for all that waits in it.

A commit is a disk sync, far longer than the statements of an answer. While one runs, others queue up, and the next
commit stores them all. Nobody is told of success before it.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, Protocol

from assay.annotate.store.transaction import T, Transaction
from assay.errors import AssayError

# So many operations are committed together at most: one that fails makes the rest of its batch run again.
MOST_TOGETHER = 256


class WritingConnection(Protocol):
    """The connection that the writer owns; it is made and used in the writer's thread."""

    def begin(self) -> Transaction:
        """Begin a transaction that nobody else writes beside."""

    def commit(self) -> None:
        """Commit, durably."""

    def rollback(self) -> None:
        """Undo the transaction, if one is open; connect again if the connection is lost."""

    def explained(self, error: Exception) -> Exception:
        """The error as a user should see it."""

    def close(self) -> None:
        """Close the connection."""


class _Job(NamedTuple):
    operation: Callable[[Transaction], Any]
    result: Future[Any]


class Writer:
    """The thread, started at once; an error in `connect` is raised here."""

    def __init__(self, connect: Callable[[], WritingConnection]) -> None:
        self._queue: SimpleQueue[_Job | None] = SimpleQueue()
        self._closed = False
        started: Future[None] = Future()
        self._thread = Thread(target=self._work, args=(connect, started), name="assay-writer", daemon=True)
        self._thread.start()
        started.result()

    def submit(self, operation: Callable[[Transaction], T]) -> Future[T]:
        """Queue an operation."""
        if self._closed:
            raise RuntimeError("the store is closed")
        result: Future[T] = Future()
        self._queue.put(_Job(operation, result))
        return result

    def close(self) -> None:
        """Finish what is queued, then end the thread."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
            self._thread.join()

    def _work(self, connect: Callable[[], WritingConnection], started: Future[None]) -> None:
        try:
            connection = connect()
        except BaseException as error:
            started.set_exception(error)
            return
        started.set_result(None)
        try:
            while jobs := self._waiting():
                try:
                    _commit_together(connection, jobs)
                except Exception:
                    # One of them is at fault, or the disk: each on its own, so that the others are stored.
                    connection.rollback()
                    for job in jobs:
                        _commit_alone(connection, job)
        finally:
            connection.close()

    def _waiting(self) -> list[_Job]:
        """All jobs in the queue, at least one; an empty list at the end. Those that were canceled are left out."""
        jobs: list[_Job] = []
        while len(jobs) < MOST_TOGETHER:
            try:
                job = self._queue.get_nowait() if jobs else self._queue.get()
            except Empty:
                break
            if job is None:
                self._queue.put(None)
                break
            if job.result.set_running_or_notify_cancel():  # from here on it cannot be canceled
                jobs.append(job)
        return jobs


def _commit_together(connection: WritingConnection, jobs: list[_Job]) -> None:
    transaction = connection.begin()
    results = [job.operation(transaction) for job in jobs]
    connection.commit()
    for job, result in zip(jobs, results, strict=True):
        job.result.set_result(result)


def _commit_alone(connection: WritingConnection, job: _Job) -> None:
    try:
        transaction = connection.begin()
        result = job.operation(transaction)
        connection.commit()
    except AssayError as error:
        connection.rollback()
        job.result.set_exception(error)
    except Exception as error:
        connection.rollback()
        job.result.set_exception(connection.explained(error))
    else:
        job.result.set_result(result)
