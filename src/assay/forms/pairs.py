"""Forms about two texts: which is better, and how similar they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

from assay.forms.pages import Card, Field, Option, Shown
from assay.forms.questionnaire import Payload, Questionnaire, Row, Subject, order_text, shuffled
from assay.forms.questions import FIRST, SECOND, TIE, question_of
from assay.records import Dataset


@dataclass(frozen=True)
class Preference(Questionnaire):
    """Which of two texts, in an order drawn by lot, does a criterion prefer?

    Attributes:
        ties: whether "neither" is an answer.
        context: whether the context is shown.
    """

    ties: bool = True
    context: bool = True

    ABOUT: ClassVar[str] = "pair"
    SHOWS: ClassVar[Mapping[str, Any]] = {"texts": tuple[str, ...]}

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Two outputs of two systems for one item: the first of one with the first of the other, and so on."""
        for item, by_system in _outputs_by_item(dataset):
            for one, other in combinations(sorted(by_system), 2):
                for left, right in zip(by_system[one], by_system[other], strict=False):
                    yield _pair(dataset, item, left, right, f"{one}|{other}", with_context=self.context)

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """Both texts, then the question."""
        asked = [choice_of_two(one.name, one.question, self.words, ties=self.ties) for one in self.criteria]
        return Card(tuple(asked), (*self.context_of(payload), *_two(payload, order_seed, self.words)), prefix)

    def as_given(self, order_seed: int, answers: Mapping[str, Any]) -> Mapping[str, Any]:
        """A is the first text of the payload."""
        return swapped_back(order_seed, answers)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """1 for the first output of the unit, -1 for the other, 0 for neither, whatever the order on the page."""
        return rows_of_two("output", payload["outputs"], order_seed, answers, [one.name for one in self.criteria])


@dataclass(frozen=True)
class Similarity(Questionnaire):
    """How similar are two texts of one set? In an order drawn by lot.

    Attributes:
        context: whether the context is shown.
    """

    context: bool = True

    ABOUT: ClassVar[str] = "pair"
    SHOWS: ClassVar[Mapping[str, Any]] = {"texts": tuple[str, ...]}

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Every two outputs of a set."""
        for row in range(len(dataset.sets)):
            for left, right in combinations(dataset.outputs_by_set[row].tolist(), 2):
                item = int(dataset.outputs.item[left])
                systems = {dataset.systems.id[int(dataset.outputs.system[one])] for one in (left, right)}
                yield _pair(dataset, item, left, right, "|".join(sorted(systems)), with_context=self.context)

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """Both texts, then one scale per criterion."""
        asked = tuple(question_of(one) for one in self.criteria)
        return Card(asked, (*self.context_of(payload), *_two(payload, order_seed, self.words)), prefix)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """A number per criterion about the two outputs."""
        one, other = payload["outputs"]
        columns = {"shown": order_text(shuffled(2, order_seed))}
        return [Row("output", one, asked.name, float(answers[asked.name]), other, columns) for asked in self.criteria]


def choice_of_two(name: str, question: str, words: Mapping[str, str], *, ties: bool) -> Field:
    """The question which of two things it is."""
    options = [Option(FIRST, words["choose_a"]), Option(SECOND, words["choose_b"])]
    options += [Option(TIE, words["choose_tie"])] if ties else []
    return Field(name, "choice", question, tuple(options))


def swapped_back(order_seed: int, answers: Mapping[str, Any]) -> Mapping[str, Any]:
    """Choices of two things as if the first had been shown first."""
    if shuffled(2, order_seed)[0] == 0:
        return answers
    other = {FIRST: SECOND, SECOND: FIRST}
    return {name: other.get(answer, answer) for name, answer in answers.items()}


def rows_of_two(
    kind: str, ids: list[str], order_seed: int, answers: Mapping[str, Any], criteria: list[str]
) -> list[Row]:
    """Preferences for the first of two units, from what was chosen on the page."""
    order = shuffled(2, order_seed)
    as_shown = {FIRST: 1.0, SECOND: -1.0, TIE: 0.0}
    sign = 1.0 if order[0] == 0 else -1.0
    columns = {"shown": order_text(order)}
    return [Row(kind, ids[0], name, sign * as_shown[answers[name]] + 0.0, ids[1], columns) for name in criteria]


def _two(payload: Payload, order_seed: int, words: Mapping[str, str]) -> tuple[Shown, Shown]:
    first, second = (payload["texts"][place] for place in shuffled(2, order_seed))
    return Shown(first, words["text_a"]), Shown(second, words["text_b"])


def _outputs_by_item(dataset: Dataset) -> Iterator[tuple[int, dict[str, list[int]]]]:
    for item in range(len(dataset.items)):
        by_system: dict[str, list[int]] = {}
        for row in dataset.outputs_by_item[item].tolist():
            by_system.setdefault(dataset.systems.id[int(dataset.outputs.system[row])], []).append(row)
        yield item, by_system


def _pair(dataset: Dataset, item: int, left: int, right: int, stratum: str, *, with_context: bool) -> Subject:
    ids = [dataset.outputs.id[row] for row in (left, right)]
    payload: dict[str, Any] = {"outputs": ids, "texts": [dataset.outputs.text[row] for row in (left, right)]}
    if with_context and dataset.items.context[item]:
        payload["context"] = dataset.items.context[item]
    return Subject("pair", "|".join(ids), payload, dataset.items.id[item], stratum)
