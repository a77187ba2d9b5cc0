"""Fixtures of tests that run evaluators."""

from pathlib import Path

import pytest


@pytest.fixture
def no_waiting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("assay.run.requests.FIRST_WAIT", 0.001)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
