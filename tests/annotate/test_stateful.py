"""Anything in any order, over both kinds of store, against a model in a few dictionaries."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from assay.annotate.records import POLICIES
from assay.annotate.service import Conflict, Done, Expired, Page, Receipt, Rules, Service
from tests.annotate.studies import Clock, rows, units

LEASE, WINDOW = 60.0, 30.0


class StudyMachine(RuleBasedStateMachine):
    fresh: Callable[[], str]

    people = Bundle("people")
    pages = Bundle("pages")

    @initialize(policy=st.sampled_from(POLICIES), cap=st.integers(1, 3), size=st.integers(1, 4), checks=st.booleans())
    def begin(self, policy: str, cap: int, size: int, checks: bool) -> None:
        self.clock = Clock()
        self.rules = Rules(cap, size, LEASE, WINDOW, policy=policy, checks_per_page=checks, max_pages_per_annotator=3)
        self.url = self.fresh()
        self.service = Service.create(self.url, "protocol", "0" * 64, self.rules, units(2, checks=3), clock=self.clock)
        self.given: dict[str, Page] = {}  # the open page of each annotator
        self.answers: dict[str, list[float]] = {}  # nonce -> the answers stored, one per revision
        self.first_at: dict[str, float] = {}
        self.owners: dict[str, tuple[str, Page]] = {}
        self.gone: set[str] = set()  # withdrawn or forgotten
        self.rejected: set[str] = set()

    @rule(target=people)
    def enroll(self) -> str:
        return self.service.enroll().annotator

    @rule(target=pages, person=people)
    def open_page(self, person: str) -> Any:
        if person in self.gone:
            return None
        page = self.service.next_page(person)
        if isinstance(page, Done):
            assert page.reason in ("complete", "no work left") and page.completion_code is None
            return None
        units_on_page = [one.unit.id for one in page.assignments]
        assert len(set(units_on_page)) == len(units_on_page)
        assert all(0 < one.probability <= 1 for one in page.assignments)
        counted = [one for one in page.assignments if one.unit.gold is None]
        assert 1 <= len(counted) <= self.rules.page_size
        if self.rules.policy == "blocks":
            assert len({one.unit.item for one in counted}) == len(counted)
        before = self.given.get(person)
        if before is not None and page.nonce != before.nonce:
            assert self.clock.now > 1000.0 + LEASE  # only a lease that was over can have been taken away
        self.given[person] = page
        self.owners[page.nonce] = (person, page)
        return page.nonce

    @rule(nonce=pages, value=st.sampled_from([1.0, 2.0]))
    def submit(self, nonce: str | None, value: float) -> None:
        if nonce is None or self.owners[nonce][0] in self.gone:
            return
        person, page = self.owners[nonce]
        result = self.service.submit(person, nonce, {"value": value}, rows(page, value), {}, 10)
        stored = self.answers.get(nonce)
        if stored is None:
            if isinstance(result, Receipt):
                assert (result.revision, result.again) == (1, False)
                self.answers[nonce], self.first_at[nonce] = [value], self.clock.now
                self.given.pop(person, None)
            else:
                assert isinstance(result, Expired) and self.clock.now > 1000.0 + LEASE
        elif value in stored:
            assert isinstance(result, Receipt) and result.again
        else:
            assert result == Conflict({"value": stored[-1]}, {"value": value})

    @rule(nonce=pages, value=st.sampled_from([3.0, 4.0]), stale=st.booleans())
    def revise(self, nonce: str | None, value: float, stale: bool) -> None:
        if nonce not in self.answers or self.owners[nonce][0] in self.gone:
            return
        person, page = self.owners[nonce]
        stored = self.answers[nonce]
        base = len(stored) - 1 if stale else len(stored)
        result = self.service.revise(person, nonce, base, {"value": value}, rows(page, value))
        if stale:
            assert (
                (isinstance(result, Receipt) and result.again)
                if value == stored[-1] and base
                else (isinstance(result, Conflict) or (isinstance(result, Receipt) and value == stored[base]))
            )
        elif nonce in self.rejected or self.clock.now > self.first_at[nonce] + WINDOW:
            assert isinstance(result, Expired)
        else:
            assert result == Receipt(self.clock.now, len(stored) + 1, again=False)
            stored.append(value)

    @rule(seconds=st.sampled_from([1.0, WINDOW + 1, LEASE + 1]))
    def wait(self, seconds: float) -> None:
        self.clock.now += seconds

    @rule(nonce=pages)
    def reject(self, nonce: str | None) -> None:
        if nonce in self.answers and nonce not in self.rejected and self.owners[nonce][0] not in self.gone:
            number = next(page.number for page in self.service.pages() if page.nonce == nonce)
            assert self.service.decide([number], accepted=False) == 1
            self.rejected.add(nonce)

    @rule(person=people)
    def withdraw(self, person: str) -> None:
        if person not in self.gone:
            self.service.withdraw(person)
            assert self.service.next_page(person) == Done("withdrawn")
            self.given.pop(person, None)
            self.gone.add(person)

    @rule(person=consumes(people))
    def forget(self, person: str) -> None:
        self.service.forget(person)
        self.gone.add(person)
        self.given.pop(person, None)
        for nonce, (owner, _) in self.owners.items():
            if owner == person:
                self.answers.pop(nonce, None)

    @rule()
    def restart(self) -> None:
        self.service.close()
        self.service = Service.open(self.url, clock=self.clock)

    @rule()
    def amend(self) -> None:
        version = self.service.terms().version
        assert self.service.amend("protocol", f"{version:064d}", self.rules) == (version + 1, 0)

    @invariant()
    def nothing_is_wrong(self) -> None:
        if not hasattr(self, "service"):
            return
        assert self.service.verify() == []
        progress = self.service.progress()
        assert all(stored <= live <= self.rules.judgments_per_unit for _, _, live, stored in progress.units)
        expected = sorted(
            (self.owners[nonce][0], row.unit, values[-1], len(values))
            for nonce, values in self.answers.items()
            if nonce not in self.rejected
            for found in rows(self.owners[nonce][1], values[-1]).values()
            for row in found
        )
        assert sorted((j.annotator, j.unit, j.value, j.revision) for j in self.service.judgments()) == expected

    def teardown(self) -> None:
        if hasattr(self, "service"):
            self.service.close()


def run(fresh: Callable[[], str], examples: int, steps: int) -> None:
    class Machine(StudyMachine):
        pass

    Machine.fresh = staticmethod(fresh)
    checks = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    run_state_machine_as_test(
        Machine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            derandomize=True,
            suppress_health_check=checks,
        ),
    )


def test_anything_in_any_order(fresh_store: Callable[[], str]) -> None:
    run(fresh_store, 8, 25)


@pytest.mark.slow
def test_much_more_in_any_order(fresh_store: Callable[[], str]) -> None:
    run(fresh_store, 30, 40)
