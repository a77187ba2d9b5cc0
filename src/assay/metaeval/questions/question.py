"""What is asked of a score table, as a record: it is printed as the signature of every answer and parsed back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Literal, cast

from assay import __version__
from assay.errors import AssayError
from assay.grammar import Call, Value, fits_of, parse_call, print_call
from assay.limits import MOST_COUNT
from assay.metaeval.questions.statistics import DEFAULT
from assay.scores import Column

Method = Literal["auto", "t", "percentile", "bca"]
METHODS = ("auto", "t", "percentile", "bca")


@dataclass(frozen=True)
class Resampling:
    """How uncertainty is found.

    Attributes:
        resamples: draws of the bootstrap, and swaps of a permutation test; 0 for none.
        factors: what is drawn: units, items, systems, annotators or combinations; empty for the usual choice.
        interval: t (a jackknife), percentile or bca (resamples); auto for the best in an analysis.
        confidence: of the interval.
        seed: of everything random.
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
            raise AssayError(f"{self.resamples} resamples are more than {MOST_COUNT:,}. Ask for fewer.")
        if not 0 < self.confidence < 1:
            raise AssayError("the confidence must lie between 0 and 1, such as 0.95.")
        if self.interval not in METHODS:
            raise AssayError(f"no interval {self.interval!r}. Known: {', '.join(METHODS)}.")
        if self.seed < 0:
            raise AssayError("the seed must not be negative.")

    def with_factors(self, factors: Sequence[str]) -> Resampling:
        """The same with the factors that were used."""
        return replace(self, factors=tuple(factors))

    def with_interval(self, usual: Method, known: Sequence[Method]) -> Resampling:
        """The same with the interval that `auto` stands for in an analysis; an error where it has no such interval."""
        method = usual if self.interval == "auto" else self.interval
        if method not in known:
            raise AssayError(f"there is no interval {method!r} here. Known: {', '.join(('auto', *known))}.")
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


def signature(name: str, **parts: Any) -> str:
    """Print how an answer was made. Columns become the calls that made them, or their name in quotes.

    How columns were fitted stands once at the end, as in their own signatures.
    """
    values: dict[str, Value] = {}
    fits: dict[str, None] = {}
    for key, part in parts.items():
        if isinstance(part, Resampling):
            values.update({field.name: getattr(part, field.name) for field in fields(part)})
        elif isinstance(part, list | tuple):
            values[key] = tuple(map(_value, part))
        else:
            values[key] = _value(part)
        for one in part if isinstance(part, list | tuple) else (part,):
            if isinstance(one, Column):
                fits.update(dict.fromkeys(_fits(one.signature)))
    return "|".join((print_call(Call(name, (), values)), f"assay:{__version__}", *fits))


def _value(part: Any) -> Value:
    if not isinstance(part, Column):
        return cast(Value, part)
    return _call(part.signature) if part.signature else part.name


@lru_cache(maxsize=1024)
def _call(text: str) -> Call:
    """A family of evaluators is named in the signature of every pair; each is read once."""
    return parse_call(text)


_fits = lru_cache(maxsize=1024)(fits_of)


def resampling_of(call: Call) -> Resampling:
    """Read the resampling back from a signature."""
    known = {field.name for field in fields(Resampling)}
    values: dict[str, Any] = {key: value for key, value in call.kwargs.items() if key in known}
    return Resampling(**values)
