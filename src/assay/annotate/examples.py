"""Units with known answers in a protocol: checks of attention, practice and the test before the study."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from assay.annotate.protocol import Example
from assay.annotate.tables import TableReader
from assay.errors import did_you_mean
from assay.forms import Questionnaire
from assay.forms.posted import posted_of
from assay.io.toml_lines import Place
from assay.limits import MOST_COUNT
from assay.typed_values import WholeNumbers

Positive = Annotated[int, WholeNumbers(1, MOST_COUNT)]


class ExampleReader(TableReader):
    """Reads tables such as `[[checks]]`, what they show by the form and their answers by its questions."""

    def qualification(self, form: Questionnaire | None) -> tuple[tuple[Example, ...], float, int]:
        """The units of the test, the share that must be right, and how often it may be tried."""
        table = self.given("qualification")
        kinds: Mapping[str, Any] = {"pass": float, "attempts": Positive}
        values = self.values(("qualification",), {key: table[key] for key in table if key != "units"}, kinds)
        units = table.get("units", [])
        if table and (not isinstance(units, list) or not units):
            self.problem(("qualification",), "[qualification] has no units. Write [[qualification.units]] for each.")
            units = []
        share = values.get("pass", 1.0)
        if share is not None and not 0 < share <= 1:
            self.problem(("qualification", "pass"), f"[qualification] pass is {share:g}. Give a share above 0, to 1.")
        examples = [self._example(form, ("qualification", "units", place), one) for place, one in enumerate(units)]
        return tuple(one for one in examples if one is not None), share, values.get("attempts", 1)

    def examples(self, form: Questionnaire | None, name: str) -> tuple[Example, ...]:
        """The examples of a list of tables."""
        tables = self.content.get(name, [])
        if not isinstance(tables, list):
            return ()
        found = [self._example(form, (name, place), table) for place, table in enumerate(tables)]
        return tuple(one for one in found if one is not None)

    def _example(self, form: Questionnaire | None, place: Place, table: Any) -> Example | None:
        if form is None or not isinstance(table, dict):
            return None
        before, name = len(self.problems), str(place[0])
        kinds: dict[str, Any] = {"context": str, **form.SHOWS, "why": str}
        for key in form.SHOWS:
            if key not in table:
                self.problem(place, f"[[{name}]] needs the key {key!r}, what is shown.")
        plain = {key: value for key, value in table.items() if key != "answers"}
        values = self.values(place, plain, kinds)
        why = values.pop("why", "")
        payload = {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}
        answers = table.get("answers")
        if not isinstance(answers, dict) or not answers:
            self.problem(place, f"[[{name}]] needs answers. Write answers = {{ {self._first_field(form)} = ... }}.")
        if len(self.problems) > before:
            return None
        accepted = self._accepted(form, place, payload, answers or {})
        return Example(payload, accepted, why) if len(self.problems) == before else None

    def _accepted(
        self, form: Questionnaire, place: Place, payload: Mapping[str, Any], answers: Mapping[str, Any]
    ) -> dict[str, tuple[str, ...]]:
        """The accepted answers as they are posted; words of a criterion stand for their numbers."""
        try:
            card = form.card(payload, 0)
        except (LookupError, ValueError, TypeError) as error:
            self.problem(place, f"[[{place[0]}]] cannot be shown: {error}.")
            return {}
        asked = {one.name: one for one in card.fields if one.kind in ("choice", "number")}
        accepted: dict[str, tuple[str, ...]] = {}
        for key, given in answers.items():
            if key not in asked:
                self.problem((*place, "answers", key), f"[[{place[0]}]] no answer {key!r}.{did_you_mean(key, asked)}")
                continue
            several = given if isinstance(given, list) else [given]
            words = {option.label: option.value for option in asked[key].options}
            posted = [words.get(str(one), str(one)) for one in several]
            wrong = [one for one in posted if form.parse(payload, 0, _with(card, asked[key], one))[1].get(key)]
            if wrong or not posted:
                known = [option.label for option in asked[key].options]
                self.problem((*place, "answers", key), f"[[{place[0]}]] {wrong} is no answer.{did_you_mean('', known)}")
            accepted[key] = tuple(posted)
        return accepted

    def _first_field(self, form: Questionnaire) -> str:
        return form.criteria[0].name if form.criteria else "NAME"


def _with(card: Any, asked: Any, answer: str) -> dict[str, list[str]]:
    """A posted card on which one question is answered."""
    return posted_of(replace(card, fields=(asked,)), {asked.name: answer})
