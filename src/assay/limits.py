"""Upper limits on user input."""

MOST_COUNT = 1_000_000
"""Resamples, repeats and other counts: more is a typo, and would exhaust memory."""

LARGEST_SCORE = 1e75
"""Standard errors need fourth powers of deviations, which overflow above 1e308."""

MOST_WORKERS = 1024
"""Threads or processes."""
