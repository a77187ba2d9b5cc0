"""Writing sets of texts: some that differ in what they say, then one of them said in other ways."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.forms.pages import Card, Field, Shown
from assay.forms.questionnaire import WRITTEN, Payload, Questionnaire, Row, Subject
from assay.records import Dataset

HIGH, LOW = "high", "low"


@dataclass(frozen=True)
class Writing(Questionnaire):
    """Texts for a context. A copy, but for case, punctuation and spaces, is refused.

    Attributes:
        texts: how many of each kind.
        sets: the kinds: `high`, texts that say different things, and `low`, one of them in other words.
    """

    texts: int = 5
    sets: tuple[str, ...] = (HIGH, LOW)

    SHOWS: ClassVar[Mapping[str, Any]] = {"context": str}

    def __post_init__(self) -> None:
        if not self.sets or not set(self.sets) <= {HIGH, LOW} or len(set(self.sets)) < len(self.sets):
            raise ValueError(f"sets are {list(self.sets)}. Write 'high', 'low' or both.")
        if not 2 <= self.texts <= 20:
            raise ValueError(f"texts is {self.texts}. Give a number from 2 to 20.")

    def units(self, dataset: Dataset) -> Iterator[Subject]:
        """Every item that has a context."""
        for row, context in enumerate(dataset.items.context):
            if context:
                name = dataset.items.id[row]
                yield Subject("item", name, {"item": name, "context": context}, name, "")

    def card(self, payload: Payload, order_seed: int, prefix: str = "") -> Card:
        """The context, and a line for every text."""
        asked = tuple(
            Field(
                f"{kind}{place}",
                "area",
                f"{self.words[f'{kind}_text']} {place}",
                group=kind,
                help=self._help(kind, place),
            )
            for kind in self.sets
            for place in range(1, self.texts + 1)
        )
        return Card(asked, (Shown(payload["context"], self.words["context"]),), prefix)

    def judgments(self, payload: Payload, order_seed: int, answers: Mapping[str, Any]) -> list[Row]:
        """A new text per answer; those of one kind are a set."""
        return [
            Row(WRITTEN, payload["item"], kind, answers[f"{kind}{place}"], columns={"place": place})
            for kind in self.sets
            for place in range(1, self.texts + 1)
        ]

    def _help(self, kind: str, place: int) -> str:
        """What a kind of text is stands above the first of them."""
        return self.words[f"{kind}_help"] if place == 1 else ""
