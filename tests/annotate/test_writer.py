"""The thread that does all writing: a request that is canceled takes nobody else's answer with it."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from assay.annotate.store.transaction import Transaction
from assay.annotate.store.writer import Writer


class _Connection:
    """Counts commits; a transaction is nothing."""

    def __init__(self) -> None:
        self.n_commits = 0

    def begin(self) -> Any:
        return None

    def commit(self) -> None:
        self.n_commits += 1

    def rollback(self) -> None:
        pass

    def explained(self, error: Exception) -> Exception:
        return error

    def close(self) -> None:
        pass


@pytest.mark.parametrize("started", [False, True])
def test_a_canceled_operation_leaves_the_others_alone(started: bool) -> None:
    connection, began, go_on = _Connection(), Event(), Event()
    writer = Writer(lambda: connection)
    ran = []

    def waiting(_: Transaction) -> str:
        ran.append("first")
        began.set()
        assert go_on.wait(10)
        return "first"

    def named(name: str) -> Any:
        return lambda _: ran.append(name) or name

    first = writer.submit(waiting)
    assert began.wait(10)
    second, third = writer.submit(named("second")), writer.submit(named("third"))
    assert (first if started else second).cancel() is not started  # what has begun is finished
    go_on.set()
    assert third.result(10) == "third"
    assert first.result(10) == "first"
    assert writer.submit(named("fourth")).result(10) == "fourth"
    writer.close()
    assert ran == ["first", *([] if not started else ["second"]), "third", "fourth"]
