"""What a step of a study hands to the report: answers, numbers, tables and pictures, all of them plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isnan, nan
from typing import Any

from assay.plot import Drawing

Cell = str | float | int | None

# The questions of the first screen. A step may answer any of them with sentences.
# Beside each stands what to say where no step has an answer.
QUESTIONS = {
    "best": ("Which generator is best, and how sure is that?", "No step of this study ranks generators."),
    "wrong": ("What does each get wrong?", "No step of this study looks for failures."),
    "trust": ("Which evaluators can be trusted here?", "No step of this study holds evaluators against a target."),
    "missing": ("What is missing from the data?", "Nothing that a step of this study looked for."),
    "next": ("What to measure next?", "Nothing stands out."),
}


@dataclass(frozen=True)
class Number:
    """One number and what is needed to trust it: how many it rests on, its 95% interval, and how it was made.

    `about` says what it is a number of: a system, an evaluator, a level. `reason` says why there is no value, or why
    a value has no interval.
    """

    name: str
    value: float
    n: int
    signature: str
    n_missing: int = 0
    low: float = nan
    high: float = nan
    reason: str = ""
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Number:
        """Make a number again from its fields, in which NaN is null and an infinity is a text."""
        numbers = {key: _number(stored[key]) for key in ("value", "low", "high")}
        return cls(**{**stored, **numbers})

    def told(self, seed: int) -> dict[str, Any]:
        """Return the number as results tell it; one that has no interval has null there."""
        bare = isnan(self.low) or isnan(self.high)
        return {
            "name": self.name,
            **self.about,
            "value": self.value,
            "n": self.n,
            "n_missing": self.n_missing,
            "interval": None if bare else [self.low, self.high],
            "reason": self.reason,
            "signature": self.signature,
            "seed": seed,
        }


def _number(stored: float | str | None) -> float:
    """A number as it was before it was JSON; a count stays whole."""
    if stored is None:
        return nan
    return float(stored) if isinstance(stored, str) else stored


@dataclass(frozen=True)
class Table:
    """Rows under a header; `name` becomes a file name, a long table can be searched."""

    name: str
    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""


@dataclass(frozen=True)
class Picture:
    """A figure with a caption that says what to see in it; `name` becomes a file name, and an id where it stands."""

    name: str
    drawing: Drawing
    caption: str


@dataclass(frozen=True)
class Part:
    """The result of one step: a section of the report. `scores` are tables of single units as CSV, by name."""

    title: str
    summary: str
    answers: Mapping[str, list[str]] = field(default_factory=dict)
    numbers: tuple[Number, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    methods: tuple[str, ...] = ()
    scores: Mapping[str, str] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the part as JSON values."""
        return asdict(self)

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Part:
        """Make a part again from what `to_json` gave."""
        return cls(
            title=stored["title"],
            summary=stored["summary"],
            answers=stored["answers"],
            numbers=tuple(map(Number.from_json, stored["numbers"])),
            scores=stored["scores"],
            tables=tuple(
                Table(t["name"], t["title"], tuple(t["header"]), tuple(map(tuple, t["rows"])), t["note"])
                for t in stored["tables"]
            ),
            pictures=tuple(
                Picture(p["name"], Drawing.from_json(p["drawing"]), p["caption"]) for p in stored["pictures"]
            ),
            methods=tuple(stored["methods"]),
        )
