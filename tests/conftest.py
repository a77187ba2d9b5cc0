"""What all tests share: the folder of real data, and hypothesis without a clock."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("assay", deadline=None)  # the first example may have to compile a kernel
settings.load_profile("assay")


@pytest.fixture(scope="session")
def data() -> Path:
    """Return the folder of real data named by ASSAY_DATA; skip without it."""
    folder = os.environ.get("ASSAY_DATA")
    if not folder or not Path(folder).is_dir():
        pytest.skip("needs real data: set ASSAY_DATA to a folder that holds it")
    return Path(folder)
