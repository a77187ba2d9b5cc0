"""What a reader of scores should know about the scored data, counted so that parts add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.applied import Met, Saved, met_texts
from assay.evaluator import UNEQUAL_SETS, Evaluator
from assay.units import MOST_MATCHUPS, Units


@dataclass(frozen=True)
class Facts:
    """Counts of scored data: its units, the smallest and largest of them, and what is odd about their texts."""

    kind: str
    n_units: int = 0
    smallest: int = 0
    largest: int = 0
    n_left_out: int = 0
    n_outputs: int = 0
    n_empty: int = 0
    met: dict[Met, int] = field(default_factory=dict)

    @classmethod
    def of(cls, units: Units, saved: Saved) -> Facts:
        """Count. `saved` are the models in evaluators."""
        sizes = units.members.lengths if units.kind in ("set", "system") else np.ones(1, np.int64)
        outputs = units.dataset.outputs
        return cls(
            units.kind,
            len(units),
            int(sizes.min(initial=sizes.max(initial=0))),
            int(sizes.max(initial=0)),
            units.n_left_out,
            len(outputs),
            int(np.count_nonzero(outputs.text.lengths == 0)),
            met_texts(units, saved),
        )

    def __add__(self, other: Facts) -> Facts:
        """The facts of two parts together; units do not span them."""
        return Facts(
            self.kind,
            self.n_units + other.n_units,
            min(self.smallest, other.smallest),
            max(self.largest, other.largest),
            self.n_left_out + other.n_left_out,
            self.n_outputs + other.n_outputs,
            self.n_empty + other.n_empty,
            dict(Counter(self.met) + Counter(other.met)),
        )

    def continued(self, more: Facts) -> Facts:
        """The facts of one unit, of which another part has more outputs."""
        size = self.largest + more.largest
        return Facts(
            self.kind,
            1,
            size,
            size,
            0,
            self.n_outputs + more.n_outputs,
            self.n_empty + more.n_empty,
            dict.fromkeys([*self.met, *more.met], 1),
        )

    def notes(self, evaluators: Mapping[str, Evaluator]) -> Iterator[str]:
        """Cautions that apply to this data, met texts and empty texts, in words."""
        for name, evaluator in evaluators.items():
            cautions = evaluator.about.cautions
            if self.kind in cautions:
                yield f"{name}: {cautions[self.kind]}"
            if UNEQUAL_SETS in cautions and self.kind == "set" and self.n_units and self.largest == 1:
                yield f"{name}: every set has one text, so it measures repetition within a text, not among texts"
            if UNEQUAL_SETS in cautions and self.smallest < self.largest:
                yield (
                    f"{name}: {self.kind}s have {self.smallest} to {self.largest} texts, and {cautions[UNEQUAL_SETS]}"
                )
        if self.n_left_out:
            yield (
                f"{self.n_units} of {self.n_units + self.n_left_out} matchups are scored: at most {MOST_MATCHUPS} of "
                "an item, the judged ones, then others by a hash of their ids"
            )
        for name, folder in dict.fromkeys((met.name, met.folder) for met in self.met):
            counts = [f"the {met.what}s of {n}" for met, n in self.met.items() if met[:2] == (name, folder)]
            yield (
                f"{name}: {folder} was fitted on {' and '.join(counts)} of the {self.n_units} {self.kind}s; their "
                "scores say little about new texts"
            )
        if self.n_empty:
            yield f"{self.n_empty} of {self.n_outputs} outputs have an empty text"

    def as_json(self) -> dict[str, Any]:
        """The facts as JSON values."""
        return {**vars(self), "met": [[*met, n] for met, n in self.met.items()]}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> Facts:
        """The inverse of `as_json`."""
        return cls(**{**content, "met": {Met(*names): n for *names, n in content["met"]}})
