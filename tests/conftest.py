"""What all tests share: the folder of real data, and hypothesis without a clock."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# The first example may have to compile a kernel. Continuous integration tries the same examples every time, so that
# a change is never blamed for what another day's luck found; at a desk every run looks for new ones.
settings.register_profile("assay", deadline=None, derandomize=os.environ.get("CI") == "true")
settings.load_profile("assay")


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real data named by ASSAY_DATA; skip without it."""
    folder = os.environ.get("ASSAY_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs real data: set ASSAY_DATA to a folder that holds it")
    return Path(folder)
