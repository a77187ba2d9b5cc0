"""Evaluators compared with each other: correlation, significance, agreement, ranking, power."""
