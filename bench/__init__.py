"""Benchmarks against comparable libraries: `python -m bench`."""
