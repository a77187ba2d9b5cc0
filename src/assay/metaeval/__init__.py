"""Evaluators held against each other: correlation, significance, agreement, ranking, power."""
