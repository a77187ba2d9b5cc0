"""How much may be asked for."""

MOST_COUNT = 1_000_000
"""Resamples, repeats and whatever else is counted: more is a slip of the keyboard, and would run until memory ends."""

LARGEST_SCORE = 1e75
"""Fourth powers of deviations, which a standard error is made of, end at 1e308."""
