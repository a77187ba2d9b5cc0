"""Stores of both kinds."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.annotate.postgres import Cluster, running


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with running() as one:
        yield one


@pytest.fixture(params=["sqlite", "postgres"])
def fresh_store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], str]:
    """A function that names a store which does not exist yet."""
    monkeypatch.chdir(tmp_path)
    if request.param == "postgres":
        cluster: Cluster = request.getfixturevalue("cluster")
        return cluster.fresh
    numbers = count(1)
    return lambda: str(tmp_path / f"study{next(numbers)}.sqlite")
