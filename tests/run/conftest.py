"""Fixtures of tests that run evaluators."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.backends.cluster import Cluster, connect
from assay.run.executor import Executor


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("assay.run.requests.FIRST_WAIT", 0.001)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="module")
def engine_of() -> Iterator[Callable[[str], str | Executor]]:
    """What scores somewhere, by name. Clusters are started once, and end with the tests of a file."""
    clusters: dict[str, Cluster] = {}

    def find(name: str) -> str | Executor:
        if not name.startswith("local"):
            return name
        if name not in clusters:
            clusters[name] = connect(name)
        return clusters[name]

    yield find
    for cluster in clusters.values():
        cluster.close()
