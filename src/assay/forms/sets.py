"""Forms about sets of texts: how diverse one is, in all or in an aspect, and which of two is more diverse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from assay.forms.pages import Card, Shown
from assay.forms.pairs import choice_of_two, rows_of_two, swapped_back
from assay.forms.questionnaire import Payload, Questionnaire, Row, Subject, order_text, shuffled
from assay.forms.questions import question_of
from assay.records import Dataset


@dataclass(frozen=True)
class Diversity(Questionnaire):
    """How different are the texts of a set? A criterion for all of it, or one per aspect.

    Attributes:
        context: whether the context is shown.
    """

    context: bool = True

    ABOUT: ClassVar[str] = "set"
    SHOWS: ClassVar[Mapping[str, Any]] = {"texts": tuple[str, ...]}

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Every set of two or more outputs."""
        for row in range(len(dataset.sets)):
            members = dataset.outputs_by_set[row].tolist()
            if len(members) > 1:
                payload = {"set": dataset.sets.id[row], "texts": [dataset.outputs.text[one] for one in members]}
                yield _subject(dataset, "set", dataset.sets.id[row], payload, row, (row,), with_context=self.context)

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """The texts in an order drawn by lot, then one scale per criterion."""
        texts, order = payload["texts"], shuffled(len(payload["texts"]), order_seed)
        shown = [Shown(texts[at], f"{self.words['text']} {place}") for place, at in enumerate(order, 1)]
        asked = tuple(question_of(one) for one in self.criteria)
        return Card(asked, (*self.context_of(payload), *shown), prefix)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """A number per criterion about the set."""
        columns = {"shown": order_text(shuffled(len(payload["texts"]), order_seed))}
        return [
            Row("set", payload["set"], one.name, float(answers[one.name]), columns=columns) for one in self.criteria
        ]


@dataclass(frozen=True)
class Ranking(Questionnaire):
    """Which of two sets for one item is more diverse? In an order drawn by lot.

    Attributes:
        ties: whether "neither" is an answer.
        context: whether the context is shown.
    """

    ties: bool = False
    context: bool = True

    ABOUT: ClassVar[str] = "set pair"
    SHOWS: ClassVar[Mapping[str, Any]] = {"first": tuple[str, ...], "second": tuple[str, ...]}

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Every two sets of one item, each of two or more outputs."""
        members = [dataset.outputs_by_set[row].tolist() for row in range(len(dataset.sets))]
        by_item: dict[int, list[int]] = {}
        for row, item in enumerate(dataset.sets.item.tolist()):
            if len(members[row]) > 1:
                by_item.setdefault(item, []).append(row)
        for rows in by_item.values():
            for pair in combinations(rows, 2):
                ids = [dataset.sets.id[row] for row in pair]
                texts = [[dataset.outputs.text[one] for one in members[row]] for row in pair]
                payload = {"sets": ids, "first": texts[0], "second": texts[1]}
                yield _subject(dataset, "set pair", "|".join(ids), payload, pair[0], pair, with_context=self.context)

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """Both sets, then the question."""
        names = self.words["set_a"], self.words["set_b"]
        shown = [
            Shown(text, f"{name}, {place}")
            for name, at in zip(names, shuffled(2, order_seed), strict=True)
            for place, text in enumerate(payload[("first", "second")[at]], 1)
        ]
        asked = [choice_of_two(one.name, one.question, self.words, ties=self.ties) for one in self.criteria]
        return Card(tuple(asked), (*self.context_of(payload), *shown), prefix)

    def as_given(self, order_seed: int, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """A is the first set of the payload."""
        return swapped_back(order_seed, answers)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """1 for the first set of the unit, -1 for the other, 0 for neither, whatever the order on the page."""
        return rows_of_two("set", payload["sets"], order_seed, answers, [one.name for one in self.criteria])


def _subject(
    dataset: Dataset,
    kind: str,
    name: str,
    payload: dict[str, Any],
    row: int,
    sets: tuple[int, ...],
    *,
    with_context: bool,
) -> Subject:
    item = int(dataset.sets.item[row])
    if with_context and dataset.items.context[item]:
        payload["context"] = dataset.items.context[item]
    systems = [int(dataset.set_system[one]) for one in sets]
    stratum = "|".join(dataset.systems.id[one] if one >= 0 else "" for one in systems)
    return Subject(kind, name, payload, dataset.items.id[item], stratum)
