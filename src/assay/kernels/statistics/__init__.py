"""Correlations, resampling, intervals, tests and power."""
