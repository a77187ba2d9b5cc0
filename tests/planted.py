"""Data of a planted world, and a judge over HTTP whose biases are known.

Everything is drawn from a hash of the seed and the form, so that answers do not depend on the order of requests.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import floor, log2

from assay import Dataset
from tests.loopback import texts_in

WORDS = "blue green river stone bread letter garden winter music window paper candle".split()
OWN, OTHER = "own", "other"


@dataclass(frozen=True)
class Planted:
    """What a judge adds to what it should say: for the first text shown, per doubling of length, for its own system."""

    position: float = 0.0
    length: float = 0.0
    own: float = 0.0


def outputs(seed: int, n_items: int) -> Dataset:
    """Texts of two systems of 4 to 32 words, rated by two people who like longer texts a little."""
    return Dataset.from_records(list(_records(seed, n_items)))


def _records(seed: int, n_items: int) -> Iterator[dict[str, object]]:
    rng = random.Random(seed)
    for item in range(n_items):
        for system in (OWN, OTHER):
            text = " ".join([system, *rng.choices(WORDS, k=rng.randint(3, 31))])
            quality = 2.0 + 0.25 * log2(len(text.split())) + rng.uniform(-0.5, 0.5)
            judgments = [
                {"annotator": f"p{person}", "criterion": "rating", "value": _rounded(quality, rng)} for person in (1, 2)
            ]
            yield {
                "id": f"{system}{item}",
                "item": f"i{item}",
                "context": f"Seed {seed}, question {item}?",
                "system": system,
                "text": text,
                "judgments": judgments,
            }


def preferring(bias: Planted, seed: int) -> Callable[[str], str]:
    """A judge of two texts: a preference of the planted size, drawn anew for each order."""

    def answer(form: str) -> str:
        first, second = texts_in(form)
        toward = bias.position + bias.length * log2(len(first.split()) / len(second.split()))
        toward += bias.own * (first.startswith(OWN) - second.startswith(OWN))
        return "A" if random.Random(f"{seed}/{form}").random() < (1 + toward) / 2 else "B"

    return answer


def rating(bias: Planted, seed: int) -> Callable[[str], str]:
    """A judge of one text: people's slope, what is planted beyond it, and the noise of rounding at random."""

    def answer(form: str) -> str:
        (text,) = texts_in(form)
        value = 2.0 + (0.25 + bias.length) * log2(len(text.split())) + bias.own * text.startswith(OWN)
        return f"{_rounded(value, random.Random(f'{seed}/{form}')):.0f}"

    return answer


def noisy(share: float, seed: int) -> Callable[[str], str]:
    """A judge that says 4 in a share of its answers to any question, and else 3; asked again, it draws anew."""
    asked: Counter[str] = Counter()

    def answer(form: str) -> str:
        asked[form] += 1
        return "4" if random.Random(f"{seed}/{form}/{asked[form]}").random() < share else "3"

    return answer


def _rounded(value: float, rng: random.Random) -> float:
    """Up or down at random, so that the mean is the value."""
    value = min(max(value, 1.0), 5.0)
    return float(floor(value) + (rng.random() < value - floor(value)))
