"""A real browser without a network, for tests of what is shown."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ARGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]


@contextmanager
def offline_browser() -> Iterator[Any]:
    """A browser context; the test is skipped where no browser is installed, unless one is required."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the package playwright")
    if CHROMIUM is None:
        # Continuous integration installs a browser and says so: there a missing one is a failure.
        (pytest.fail if os.environ.get("ASSAY_BROWSER") == "required" else pytest.skip)("no chromium is installed")
    with playwright.sync_playwright() as engine:
        opened = engine.chromium.launch(executable_path=CHROMIUM, args=ARGS)
        try:
            yield opened
        finally:
            opened.close()
