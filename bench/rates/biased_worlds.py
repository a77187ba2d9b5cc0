"""Judges whose biases and noise are known: ratings that are repeated, and preferences in both orders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay import Dataset

Answers = NDArray[np.int64]
WORD = "word"


@dataclass(frozen=True)
class Repeated:
    """Outputs that a judge rated `answers` times each; `says` draws an array of answers of a given shape.

    Items have `outputs` texts each, or 1 to 12, on average 2.5, where it is 0. `highest` ends the scale, from 0. Every
    `own_each`-th output is of the judge's own system.
    """

    name: str
    says: Callable[[np.random.Generator, tuple[int, ...]], Answers]
    highest: int
    items: int
    outputs: int = 1
    answers: int = 2
    own_each: int = 2

    @property
    def sizes(self) -> str:
        """Items, outputs and answers in words."""
        outputs = f" of {self.outputs or '1 to 12'} outputs" if self.outputs != 1 else ""
        times = f", {self.answers} answers each" if self.answers > 2 else ""
        own = f", one in {self.own_each} its own" if self.own_each > 2 else ""
        return f"{self.items} items{outputs}{times}{own}"

    def judged(self, rng: np.random.Generator) -> Dataset:
        """A study of these items."""
        sizes = np.full(self.items, self.outputs) if self.outputs else np.minimum(rng.geometric(0.4, self.items), 12)
        item = np.repeat(np.arange(self.items), sizes)
        given = self.says(rng, (len(item), self.answers))
        words = rng.integers(4, 33, len(item))
        declared: dict[str, Any] = {"low": 0, "high": self.highest}
        return Dataset.from_records(
            {
                "item": f"i{at}",
                "system": "other" if row % self.own_each else "own",
                "text": " ".join([WORD] * int(words[row])),
                "criteria": {"rating": declared},
                "judgments": [{"annotator": "judge", "criterion": "rating", "value": int(one)} for one in given[row]],
            }
            for row, at in enumerate(item.tolist())
        )

    def true_difference(self) -> float:
        """The mean absolute difference of two answers, of a million."""
        given = self.says(np.random.default_rng(99), (1_000_000, 2))
        return float(np.abs(given[:, 0] - given[:, 1]).mean())

    def true_mode(self) -> float:
        """The share of the most frequent answer, of a million."""
        return float(np.bincount(self.says(np.random.default_rng(99), (1_000_000,))).max() / 1_000_000)


@dataclass(frozen=True)
class Ordered:
    """Pairs of an own and another text, judged in both orders. The judge knows which text is better, but for accidents.

    In a share `first` of pairs it prefers the first text in both orders, in a share `own` its own text.
    """

    name: str
    pairs: int
    first: float = 0.0
    own: float = 0.0

    def judged(self, rng: np.random.Generator) -> Dataset:
        """A study of these pairs, one per item."""
        records = []
        for at in range(self.pairs):
            accident, better = rng.random(), bool(rng.random() < 0.5)
            ids = (f"own{at}", f"other{at}")
            always_first, always_own = accident < self.first, accident > 1 - self.own
            for turn, shown in enumerate((ids, ids[::-1])):
                is_first = always_first or (turn == 0 if always_own else better == (turn == 0))
                answer = {"annotator": "judge", "criterion": "better", "value": 1 if is_first else -1}
                text = " ".join([WORD] * int(rng.integers(4, 33)))
                system = "own" if turn == 0 else "other"
                record = {"id": shown[0], "item": f"i{at}", "system": system, "text": text}
                records.append(record | {"judgments": [answer | {"other": shown[1]}]})
        return Dataset.from_records(records)


def steps(base: int, share: float) -> Callable[[np.random.Generator, tuple[int, ...]], Answers]:
    """One answer, and in a share of cases one more."""
    return lambda rng, shape: base + (rng.random(shape) < share)


def redraws(base: int, share: float, highest: int) -> Callable[[np.random.Generator, tuple[int, ...]], Answers]:
    """One answer, and in a share of cases any answer."""
    return lambda rng, shape: np.where(rng.random(shape) < share, rng.integers(0, highest + 1, shape), base)


def leaps(step: float, leap: float, highest: int) -> Callable[[np.random.Generator, tuple[int, ...]], Answers]:
    """The lowest answer or one more, and in a few cases the highest."""
    return lambda rng, shape: np.where(rng.random(shape) < leap, highest, rng.random(shape) < step)


def favoring(shares: tuple[float, ...]) -> Callable[[np.random.Generator, tuple[int, ...]], Answers]:
    """Answers from 0 up with these probabilities."""
    return lambda rng, shape: rng.choice(len(shares), shape, p=shares)
