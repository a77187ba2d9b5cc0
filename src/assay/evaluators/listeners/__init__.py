"""Listeners: evaluators that ask whether a reader recovers what was meant."""
