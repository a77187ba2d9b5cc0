"""Limits on user input."""

from assay.errors import AssayError

MOST_COUNT = 1_000_000
"""Resamples, repeats and other counts: more is a typo, and would exhaust memory."""

LARGEST_SCORE = 1e75
"""Standard errors need fourth powers of deviations, which overflow above 1e308."""

MOST_WORKERS = 1024
"""Threads or processes."""


def check_share(name: str, value: float) -> None:
    """Raise unless a value, such as a confidence, lies between 0 and 1."""
    if not 0 < value < 1:
        raise AssayError(f"{name} must lie between 0 and 1, not {value:g}.")
