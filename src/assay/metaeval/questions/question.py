"""A question about a score table as a record, printed as the signature of every answer and parsed back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal, cast

from assay import __version__
from assay.errors import AssayError
from assay.grammar import Call, Value, fits_of, parse_call, print_call
from assay.limits import MOST_COUNT, check_share
from assay.metaeval.questions.statistics import DEFAULT
from assay.scores import Column

Method = Literal["auto", "t", "percentile", "bca"]
METHODS = ("auto", "t", "percentile", "bca")


@dataclass(frozen=True)
class Resampling:
    """How uncertainty is estimated.

    Attributes:
        resamples: draws of the bootstrap, and swaps of a permutation test; 0 for none.
        factors: what is drawn: units, items, systems, annotators or combinations; empty for the default.
        interval: t (jackknife), percentile or bca (bootstrap); auto for the best in an analysis.
        confidence: confidence level of the interval.
        seed: seed of all randomness.
    """

    resamples: int = 1000
    factors: tuple[str, ...] = ()
    interval: Method = "auto"
    confidence: float = 0.95
    seed: int = 0

    def __post_init__(self) -> None:
        if self.resamples < 0:
            raise AssayError("the number of resamples must not be negative.")
        if self.resamples > MOST_COUNT:
            raise AssayError(f"{self.resamples} resamples are more than {MOST_COUNT:,}. Use fewer.")
        check_share("confidence", self.confidence)
        if self.interval not in METHODS:
            raise AssayError(f"unknown interval {self.interval!r}. Known: {', '.join(METHODS)}.")
        if self.seed < 0:
            raise AssayError("the seed must not be negative.")

    def with_factors(self, factors: Sequence[str]) -> Resampling:
        """The same with other factors."""
        return replace(self, factors=tuple(factors))

    def with_interval(self, default: Method, supported: Sequence[Method]) -> Resampling:
        """Resolve `auto` to an analysis's default; an error where the analysis lacks the method."""
        method = default if self.interval == "auto" else self.interval
        if method not in supported:
            raise AssayError(f"there is no interval {method!r} here. Known: {', '.join(('auto', *supported))}.")
        return replace(self, interval=method)


USUAL = Resampling()


@dataclass(frozen=True)
class Question:
    """Which statistics of which candidates, at which levels and groupings."""

    target: str
    candidates: tuple[str, ...] = ()
    statistics: tuple[str, ...] = DEFAULT
    levels: tuple[str, ...] = ()
    groupings: tuple[str, ...] = ("pooled",)
    resampling: Resampling = USUAL


def signature(name: str, **arguments: Any) -> str:
    """The signature of an answer. Columns become the calls that computed them, or their names in quotes.

    How columns were fitted is appended once, as in their own signatures.
    """
    values: dict[str, Value] = {}
    fits: dict[str, None] = {}
    for key, value in arguments.items():
        if isinstance(value, Resampling):
            values.update({field.name: getattr(value, field.name) for field in fields(value)})
        elif isinstance(value, list | tuple):
            values[key] = tuple(map(_value, value))
        else:
            values[key] = _value(value)
        for one in value if isinstance(value, list | tuple) else (value,):
            if isinstance(one, Column):
                fits.update(dict.fromkeys(_fits(one.signature)))
    return "|".join((print_call(Call(name, (), values)), f"assay:{__version__}", *fits))


def _value(value: Any) -> Value:
    if not isinstance(value, Column):
        return cast(Value, value)
    return _parsed(value.signature) if value.signature else value.name


# The signature of every pair names its whole family: each is parsed once.
_parsed = lru_cache(maxsize=1024)(parse_call)
_fits = lru_cache(maxsize=1024)(fits_of)


def resampling_of(call: Call) -> Resampling:
    """The resampling of a parsed signature."""
    names = {field.name for field in fields(Resampling)}
    values: dict[str, Any] = {key: value for key, value in call.kwargs.items() if key in names}
    return Resampling(**values)
