"""A study from the first annotator to the last, in simulated time: bots that call the service as the web does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from assay.annotate.protocol import INSTRUCTIONS, PRACTICE, QUALIFICATION, SURVEY, Example, Protocol
from assay.annotate.records import Page, Progress, Receipt, StoredJudgment, Unit
from assay.annotate.service import Service
from assay.annotate.simulated.people import Assumptions, Person, crowd_of
from assay.annotate.web.answering import AS_WRITTEN, answered, examples_answered, page_of
from assay.forms.posted import posted_of
from assay.forms.random_answers import random_answers
from assay.forms.survey import survey_card
from assay.io import load
from assay.records import Dataset

HOUR = 3600.0


@dataclass
class Counts:
    """What became of those who came, and how the time went.

    Attributes:
        came: annotators who were enrolled.
        not_qualified: who did not pass the test.
        left: who left with a page open.
        late: pages sent when their lease was over and others had them.
        hours_of_work: of all annotators, without pages that were left open.
        hours_until_the_end: from the first arrival to the last answer.
    """

    came: int = 0
    not_qualified: int = 0
    left: int = 0
    late: int = 0
    hours_of_work: float = 0.0
    hours_until_the_end: float = 0.0


@dataclass(frozen=True)
class Rehearsed:
    """What a rehearsal leaves behind.

    Attributes:
        people: those who came, by pseudonym.
        counts: what became of them.
        progress: of the study at its end.
        judgments: all that count.
        checks: per annotator, the checks answered and whether each was passed.
        dataset: the data with these judgments, as an export gives it.
    """

    people: dict[str, Person]
    counts: Counts
    progress: Progress
    judgments: Sequence[StoredJudgment]
    checks: dict[str, list[tuple[str, bool]]]
    dataset: Dataset


def rehearse(protocol: Protocol, assumed: Assumptions) -> Rehearsed:
    """Run the study of a protocol in a temporary store, until it is complete or nobody else comes."""
    dataset = protocol.dataset()
    units = protocol.units(dataset)
    with TemporaryDirectory(prefix="assay-rehearsal-") as folder:
        store = Path(folder) / "rehearsal.sqlite"
        study = _Study(protocol, assumed)
        with Service.create(
            store,
            protocol.text,
            protocol.sha,
            protocol.rules,
            units,
            data=dataset,
            criteria=protocol.form.criteria,
            clock=lambda: study.now,
        ) as service:
            study.run(service, sum(unit.gold is None for unit in units) * protocol.rules.judgments_per_unit)
            progress, judgments, checks = service.progress(), list(service.judgments()), service.checks()
        return Rehearsed(study.people, study.counts, progress, judgments, checks, load(store))


@dataclass(order=True)
class _Event:
    at: float
    order: int
    person: Person = field(compare=False)
    annotator: str = field(compare=False, default="")
    page: Page | None = field(compare=False, default=None)
    seconds: float = field(compare=False, default=0.0)


class _Study:
    def __init__(self, protocol: Protocol, assumed: Assumptions) -> None:
        self.now = 0.0
        self.people: dict[str, Person] = {}
        self.counts = Counts()
        self._protocol, self._form = protocol, protocol.form
        self._to_come: list[_Event] = []
        self._scheduled = 0
        clock, at = Random(repr((assumed.seed, "arrivals"))), 0.0
        for person in crowd_of(assumed):
            self._schedule(at, person)
            at += clock.expovariate(assumed.arrivals / HOUR)

    def run(self, service: Service, wanted: int) -> None:
        """Let people come and answer until `wanted` answers are stored, or there is nobody left."""
        stored = 0
        while self._to_come and stored < wanted:
            event = heappop(self._to_come)
            self.now = event.at
            if event.page is None:
                self._arrive(service, event)
            else:
                stored += self._submit(service, event)

    def _schedule(self, seconds: float, person: Person, annotator: str = "", page: Page | None = None) -> None:
        """So many seconds from now: a person comes, asks for a first page, or sends one."""
        event = _Event(self.now + seconds, self._scheduled, person, annotator, page, seconds)
        self._scheduled += 1
        heappush(self._to_come, event)

    def _arrive(self, service: Service, event: _Event) -> None:
        person, annotator = event.person, event.annotator
        if annotator:  # after the stages before the first page, or to ask again for one
            self._go_on(service, person, annotator)
            return
        annotator = service.enroll().annotator
        service.consent(annotator)
        self.people[annotator] = person
        self.counts.came += 1
        seconds, qualified = self._prepare(service, person, annotator)
        self.counts.hours_of_work += seconds / HOUR
        if not qualified:
            self.counts.not_qualified += 1
            service.disqualify(annotator)
        elif seconds:
            self._schedule(seconds, person, annotator)
        else:
            self._go_on(service, person, annotator)

    def _prepare(self, service: Service, person: Person, annotator: str) -> tuple[float, bool]:
        """Instructions, practice and test; the seconds they take, and whether the test was passed."""
        protocol, seconds = self._protocol, 0.0
        if protocol.instructions:
            service.save_stage(annotator, INSTRUCTIONS, {"read": True})
        if protocol.practice:
            seconds += self._try(service, person, annotator, PRACTICE, protocol.practice)[0]
        if not protocol.qualification:
            return seconds, True
        for _ in range(protocol.attempts):
            taken, right = self._try(service, person, annotator, QUALIFICATION, protocol.qualification)
            seconds += taken
            if right >= protocol.pass_share * len(protocol.qualification):
                return seconds, True
        return seconds, False

    def _try(
        self, service: Service, person: Person, annotator: str, stage: str, examples: Sequence[Example]
    ) -> tuple[float, int]:
        page = self._form.page([one.payload for one in examples], [AS_WRITTEN] * len(examples))
        posted: dict[str, list[str]] = {}
        for place, (one, card) in enumerate(zip(examples, page.cards, strict=True), 1):
            unit = Unit(f"{stage} {place}", "check", one.payload, gold=one.answers)
            posted |= posted_of(card, person.answers(self._form, unit, AS_WRITTEN, card))
        answers, problems = examples_answered(self._form, examples, posted)
        assert not problems, problems
        right = [one.passed(given) for one, given in zip(examples, answers, strict=True)]
        service.save_stage(annotator, stage, {"answers": answers, "right": right})
        return person.take(self._protocol.seconds_per_unit, len(examples)), sum(right)

    def _go_on(self, service: Service, person: Person, annotator: str) -> None:
        """The next page, or the end."""
        page = service.next_page(annotator)
        if isinstance(page, Page):
            person.given += 1
            if person.leaves_now(self._protocol.rules.max_pages_per_annotator):
                self.counts.left += 1
                return
            seconds = person.take(self._protocol.seconds_per_unit, len(page.assignments))
            self._schedule(seconds, person, annotator, page)
        elif not person.given:  # all that is missing is on pages of others, which may leave them
            self._schedule(self._protocol.rules.lease_seconds, person, annotator)
        else:
            if self._protocol.survey:
                answers = random_answers(survey_card(self._protocol.survey), Random(person.number))
                service.save_stage(annotator, SURVEY, answers)
            service.finish(annotator)

    def _submit(self, service: Service, event: _Event) -> int:
        """Send a page; return how many answers were stored."""
        page, person = event.page, event.person
        assert page is not None
        cards = page_of(self._form, page.assignments).cards
        posted: dict[str, list[str]] = {}
        for one, card in zip(page.assignments, cards, strict=True):
            posted |= posted_of(card, person.answers(self._form, one.unit, one.order_seed, card))
        said = answered(self._form, page.assignments, posted)
        assert not said.problems, said.problems
        self.counts.hours_of_work += event.seconds / HOUR
        outcome = service.submit(
            event.annotator, page.nonce, said.body, said.judgments, said.checks, round(1000 * event.seconds)
        )
        if not isinstance(outcome, Receipt):
            self.counts.late += 1  # the work was in vain, and they go
            return 0
        person.pages += 1
        self.counts.hours_until_the_end = self.now / HOUR
        self._go_on(service, person, event.annotator)
        return len(said.judgments)
