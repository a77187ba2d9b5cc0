"""Judge text generators, and judge the judges."""

__version__ = "0.1.0"
