"""All rates, a file of them per subject: every module of this folder that has a list RATES."""

from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from bench.rates.rate import Rate

FILES = sorted(path.stem for path in Path(__file__).parent.glob("of_*.py"))


def rates(files: Iterable[str] = FILES) -> list[Rate]:
    """The rates of some files, in the order they stand there."""
    return [rate for name in files for rate in import_module(f"bench.rates.{name}").RATES]
