"""Simulated annotators: honest ones, who see the quality of a unit through noise, and spammers, who do not look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import exp
from random import Random
from typing import Any

from assay.annotate.records import Unit
from assay.errors import AssayError
from assay.forms import Card, Field, Questionnaire
from assay.forms.games import Listener
from assay.forms.questions import FIRST, SECOND, TIE
from assay.forms.random_answers import MOST_MARKED, number_within, random_answers, random_spans

TIE_WIDTH = 0.1
"""Two texts that seem closer than this share of the scale are a tie, where that is an answer."""

BLOCK = 20
"""So many annotators who come one after the other have their share of spammers and of leavers."""

COMPARED = ({FIRST, SECOND}, {FIRST, SECOND, TIE})


# The limits of what can be assumed.
MOST_ANNOTATORS = 100_000
MOST_SD = 3.0
LEAST_ARRIVALS, MOST_ARRIVALS = 0.01, 1e6


@dataclass(frozen=True)
class Assumptions:
    """What a rehearsal assumes about people. Standard deviations are shares of the width of a scale.

    Attributes:
        annotators: who would come, at most.
        spammers: the share of them who answer at random.
        leave: the share who leave with a page open.
        noise: the standard deviation of one answer around what the annotator thinks of the unit.
        annotator_sd: of how lenient annotators are.
        unit_sd: of the quality of units.
        item_sd: of the quality of items.
        system_sd: of the quality of systems.
        slips: the probability that an honest annotator misses a question with a known answer.
        hurry: the time of a spammer per unit, as a share of the time of others.
        speed_sd: the standard deviation of the logarithm of seconds, of annotators and again of units.
        arrivals: annotators who come per hour.
        seed: of everything random.
    """

    annotators: int = 200
    spammers: float = 0.1
    leave: float = 0.1
    noise: float = 0.15
    annotator_sd: float = 0.1
    unit_sd: float = 0.15
    item_sd: float = 0.1
    system_sd: float = 0.1
    slips: float = 0.05
    hurry: float = 0.5
    speed_sd: float = 0.3
    arrivals: float = 60.0
    seed: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.annotators <= MOST_ANNOTATORS:
            raise AssayError(f"annotators is {self.annotators}. Give 1 to {MOST_ANNOTATORS:,}.")
        for name in ("spammers", "leave", "slips"):
            if not 0 <= getattr(self, name) <= 1:
                raise AssayError(f"{name} is {getattr(self, name):g}. Give a share from 0 to 1.")
        for name in ("noise", "annotator_sd", "unit_sd", "item_sd", "system_sd", "speed_sd"):
            if not 0 <= getattr(self, name) <= MOST_SD:
                raise AssayError(f"{name} is {getattr(self, name):g}. Give a standard deviation from 0 to {MOST_SD:g}.")
        if not 0 < self.hurry <= 1:
            raise AssayError(f"hurry is {self.hurry:g}. Give a share above 0, to 1.")
        if not LEAST_ARRIVALS <= self.arrivals <= MOST_ARRIVALS:
            raise AssayError(
                f"arrivals is {self.arrivals:g}. Give {LEAST_ARRIVALS:g} to {MOST_ARRIVALS:,.0f} annotators per hour."
            )
        if self.seed < 0:
            raise AssayError(f"seed is {self.seed}. Give 0 or more.")


class World:
    """What is true of systems, items and units: drawn by name, so that it does not depend on who comes."""

    def __init__(self, assumed: Assumptions) -> None:
        self._assumed = assumed
        self._drawn = cache(lambda *names: Random(repr((assumed.seed, *names))).gauss(0.0, 1.0))

    def quality(self, criterion: str, unit: Unit) -> float:
        """The quality of a unit by a criterion: a share of the scale, around its middle."""
        assumed = self._assumed
        return (
            0.5
            + assumed.system_sd * self._drawn("system", criterion, unit.stratum)
            + assumed.item_sd * self._drawn("item", criterion, unit.item)
            + assumed.unit_sd * self._drawn("unit", criterion, unit.id)
        )

    def advantage(self, criterion: str, unit: Unit) -> float:
        """By how much the first of two texts or sets is better: what they share, such as the item, cancels."""
        ids = unit.payload.get("outputs") or unit.payload.get("sets") or (f"{unit.id} 1", f"{unit.id} 2")
        first, _, second = unit.stratum.partition("|")
        systems = self._drawn("system", criterion, first) - self._drawn("system", criterion, second)
        units = self._drawn("unit", criterion, ids[0]) - self._drawn("unit", criterion, ids[1])
        return self._assumed.system_sd * systems + self._assumed.unit_sd * units


class Person:
    """One annotator: everything they do depends on the seed and their number alone."""

    def __init__(self, number: int, assumed: Assumptions, world: World, *, spams: bool, leaves: bool) -> None:
        self.number, self.spams = number, spams
        self._assumed, self._world = assumed, world
        self._draw = Random(repr((assumed.seed, "person", number)))
        self._lenient = assumed.annotator_sd * self._draw.gauss(0.0, 1.0)
        self._speed = self._vary() * (assumed.hurry if spams else 1.0)
        patience = 1
        while self._draw.random() < 0.5:
            patience += 1
        self.leaves_at = patience if leaves else None
        self.given = 0  # pages
        self.pages = 0  # answered

    def take(self, usual: float, units: int) -> float:
        """The seconds for some units, which take `usual` seconds each on average."""
        return usual * self._speed * sum(self._vary() for _ in range(units))

    def leaves_now(self, most: int | None) -> bool:
        """Whether they leave the page that they were just given, at the latest the last that they may answer."""
        return self.leaves_at is not None and self.pages + 1 >= min(self.leaves_at, most or self.leaves_at)

    def answers(self, form: Questionnaire, unit: Unit, order_seed: int, card: Card) -> Mapping[str, Any]:
        """What they answer on a card. Where the answers are known, an honest annotator gives them, or slips."""
        answers = random_answers(card, self._draw)
        if self.spams or (unit.gold is not None and self._draw.random() < self._assumed.slips):
            return answers
        for asked in card.fields:
            answers[asked.name] = self._opinion(form, unit, asked, answers[asked.name])
        for name, accepted in (unit.gold or {}).items():
            answers[name] = accepted[0]
        # Sides of a pair are exchanged on the page or not, so that the same step leads there and back.
        return form.as_given(order_seed, answers)

    def _opinion(self, form: Questionnaire, unit: Unit, asked: Field, otherwise: Any) -> Any:
        """The answer to one question; `otherwise` to a question that has no scale."""
        values = [option.value for option in asked.options]
        if asked.kind == "choice" and set(values) in COMPARED:
            return self._preferred(unit, asked.name, ties=TIE in values)
        if asked.kind not in ("choice", "number", "spans"):
            return otherwise
        seen = self._world.quality(asked.name, unit) + self._lenient + self._noise()
        if isinstance(form, Listener):
            return str(unit.payload["target"]) if seen > 1 / len(values) else otherwise
        share = min(1.0, max(0.0, seen))
        if asked.kind == "number":
            return number_within(asked, share)
        if asked.kind == "spans":
            return random_spans(asked, self._draw, round((1 - share) * MOST_MARKED))
        return values[round(share * (len(values) - 1))]

    def _preferred(self, unit: Unit, criterion: str, *, ties: bool) -> str:
        difference = self._world.advantage(criterion, unit) + self._noise() - self._noise()
        if ties and abs(difference) < TIE_WIDTH:
            return TIE
        return FIRST if difference > 0 else SECOND

    def _noise(self) -> float:
        return self._assumed.noise * self._draw.gauss(0.0, 1.0)

    def _vary(self) -> float:
        """A factor with mean 1."""
        spread = self._assumed.speed_sd
        return exp(spread * self._draw.gauss(0.0, 1.0) - spread * spread / 2)


def crowd_of(assumed: Assumptions) -> list[Person]:
    """All annotators in the order in which they come."""
    world = World(assumed)
    spammers = _spread(assumed.spammers, "spammers", assumed)
    leavers = _spread(assumed.leave, "leave", assumed)
    return [
        Person(one, assumed, world, spams=one in spammers, leaves=one in leavers) for one in range(assumed.annotators)
    ]


def _spread(share: float, name: str, assumed: Assumptions) -> set[int]:
    """A share of all annotators, at random places, yet about as many among the first as among the last.

    A study often ends before all have come; so it meets the share that was asked for, not the luck of a few draws.
    """
    draw, found = Random(repr((assumed.seed, name))), set[int]()
    for start in range(0, assumed.annotators, BLOCK):
        block = range(start, min(start + BLOCK, assumed.annotators))
        found |= set(draw.sample(block, round(share * block.stop) - round(share * start)))
    return found
