"""A study through its service: pages, answers, leases, caps, people, over an SQLite store."""

import asyncio
from pathlib import Path

import pytest

from assay.annotate.service import Conflict, Done, Expired, JudgmentRow, Page, Receipt, Rules, Service, StoreError
from tests.annotate.studies import Clock, answer, answer_all, enrolled, page_of, rows, study, units

RULES = Rules(judgments_per_unit=2, page_size=3, lease_seconds=60, revise_seconds=30)


def test_the_same_page_until_it_is_answered(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service:
        one = enrolled(service)
        page = page_of(service, one)
        assert page == page_of(service, one) and len(page.assignments) == 3 and page.number == 1
        answer(service, one, page)
        later = page_of(service, one)
        assert later.number == 2
        assert not {a.unit.id for a in page.assignments} & {a.unit.id for a in later.assignments}


def test_an_answer_counts_once(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service:
        one = enrolled(service)
        page = page_of(service, one)
        assert answer(service, one, page) == Receipt(1000.0, 1, again=False)
        assert answer(service, one, page) == Receipt(1000.0, 1, again=True)
        other = service.submit(one, page.nonce, {"value": 5.0}, rows(page, 5.0))
        assert other == Conflict({"value": 3.0}, {"value": 5.0})
        assert [j.value for j in service.judgments()] == [3.0] * 3
        assert service.verify() == []


def test_a_page_of_another_annotator_cannot_be_answered(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service:
        one, two = enrolled(service), enrolled(service)
        page = page_of(service, one)
        assert isinstance(service.submit(two, page.nonce, {}, {}), Expired)
        mine = page_of(service, two)
        foreign = {page.assignments[0].id: [JudgmentRow("output", "o0a", "quality", 1.0)]}
        with pytest.raises(ValueError, match="another page"):
            service.submit(two, mine.nonce, {}, foreign)
        assert not list(service.judgments())


def test_revisions(tmp_path: Path) -> None:
    clock = Clock()
    with study(tmp_path / "s.sqlite", RULES, clock=clock) as service:
        one = enrolled(service)
        page = page_of(service, one)
        answer(service, one, page, 1.0)
        revise = lambda base, value: service.revise(one, page.nonce, base, {"value": value}, rows(page, value))  # noqa: E731
        clock.now += 10
        assert revise(1, 2.0) == Receipt(1010.0, 2, again=False)
        assert revise(1, 2.0) == Receipt(1010.0, 2, again=True)
        assert revise(1, 3.0) == Conflict({"value": 2.0}, {"value": 3.0})
        assert revise(2, 1.0) == Receipt(1010.0, 3, again=False)  # back to the first answer
        assert revise(1, 2.0) == Receipt(1010.0, 2, again=True)  # arrives late
        assert answer(service, one, page, 1.0).again
        clock.now += 21
        assert revise(3, 4.0) == Expired("the time for changes is over")
        assert {(j.value, j.revision) for j in service.judgments()} == {(1.0, 3)}
        assert service.verify() == []


def test_a_lease_that_is_over_goes_to_others(tmp_path: Path) -> None:
    clock = Clock()
    with study(tmp_path / "s.sqlite", Rules(judgments_per_unit=1, page_size=3, lease_seconds=60), 1, clock=clock) as s:
        one, two = enrolled(s), enrolled(s)
        page = page_of(s, one)
        assert s.next_page(two) == Done("no work left")
        clock.now += 61
        assert page_of(s, one) == page  # nobody else came: the lease is renewed
        clock.now += 61
        taken = page_of(s, two)
        assert isinstance(s.submit(one, page.nonce, {"value": 3.0}, rows(page)), Expired)
        answer(s, two, taken)
        assert s.progress().complete and s.next_page(one) == Done("no work left")
        assert s.verify() == []


def test_a_late_answer_counts_if_nobody_took_its_place(tmp_path: Path) -> None:
    clock = Clock()
    with study(tmp_path / "s.sqlite", RULES, 1, clock=clock) as service:
        one, two = enrolled(service), enrolled(service)
        page = page_of(service, one)
        clock.now += 61
        page_of(service, two)  # releases the lease, and there is room for both
        assert service.progress().pages == {"open": 1, "released": 1}
        assert not answer(service, one, page).again
        assert service.verify() == []


@pytest.mark.parametrize("policy", ["balanced", "blocks", "pages"])
def test_every_unit_gets_its_number(tmp_path: Path, policy: str) -> None:
    with study(tmp_path / "s.sqlite", Rules(judgments_per_unit=2, page_size=3, policy=policy)) as service:
        while answer_all(service, enrolled(service)):
            pass
        progress = service.progress()
        assert progress.complete and {stored for *_, stored in progress.units} == {2}
        assert service.verify() == []


def test_checks_are_no_judgments(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", Rules(page_size=4, checks_per_page=1), checks=3) as service:
        one = enrolled(service)
        assert answer_all(service, one) == 3
        assert len(list(service.judgments())) == 12 and sum(len(page.checks or {}) for page in service.pages()) == 3
        page = page_of(service, enrolled(service))
        check = next(a for a in page.assignments if a.unit.gold is not None)
        with pytest.raises(ValueError, match="checks"):
            service.submit("a2", page.nonce, {}, {check.id: [JudgmentRow("output", "check0", "quality", 1.0)]})


def test_people(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service:
        enrolment = service.enroll({"panel": "prolific", "person": "P-1", "session": "S-1"})
        found = service.annotator(enrolment.token)
        assert found is not None and (found.state, found.consented, found.stage) == ("active", None, "")
        assert service.annotator("another token") is None
        service.consent("a1")
        service.save_stage("a1", "qualification", {"score": 3})
        again = service.enroll({"panel": "prolific", "person": "P-1", "session": "S-1"})
        assert (again.annotator, again.session) == (enrolment.annotator, enrolment.session)
        assert service.annotator(enrolment.token) is None  # the token was replaced
        found = service.annotator(again.token)
        assert found is not None and found.stages == {"qualification": {"score": 3}} and found.consented == 1000.0
        page_of(service, "a1")
        service.withdraw("a1")
        assert service.next_page("a1") == Done("withdrawn") and service.progress().pages == {"released": 1}
        assert service.panel_map.people() == {"a1": {"panel": "prolific", "person": "P-1", "session": "S-1"}}
        stored = (tmp_path / "s.sqlite").read_bytes() + (tmp_path / "s.sqlite-wal").read_bytes()
        assert b"P-1" not in stored and again.token.encode() not in stored


def test_a_code_only_after_completion(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", Rules(judgments_per_unit=1, page_size=12)) as service:
        one = enrolled(service)
        answer_all(service, one)
        assert service.next_page(one) == Done("complete", None)
        code = service.finish(one).completion_code
        assert code and service.finish(one) == Done("complete", code) == service.next_page(one)


def test_forget(tmp_path: Path) -> None:
    path = tmp_path / "s.sqlite"
    with study(path, Rules(judgments_per_unit=1, page_size=12)) as service:
        one = service.enroll({"panel": "p", "person": "Ada"}).annotator
        service.save_stage(one, "exit", {"comment": "unforgettable"})
        answer_all(service, one)
        assert service.progress().complete
        assert service.forget(one) == 1
        assert not list(service.judgments()) and not service.progress().complete and not service.panel_map.people()
        assert service.verify() == []
        with pytest.raises(StoreError, match="no annotator 'a1'"):
            service.next_page(one)
        assert enrolled(service) == "a2"  # a pseudonym is never used again
        service.backup(tmp_path / "backup.sqlite")
    for file in (path, tmp_path / "backup.sqlite"):
        assert b"unforgettable" not in file.read_bytes()


def test_protocol_versions(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service:
        one = enrolled(service)
        answer(service, one, page_of(service, one))
        assert service.amend("the protocol", "0" * 64, RULES) == (1, 0)
        assert service.amend("another wording", "1" * 64, RULES) == (2, 0)
        answer(service, one, page_of(service, one))
        assert [j.version for j in service.judgments()] == [1] * 3 + [2] * 3
        with pytest.raises(StoreError, match="policy was 'balanced' when the study began"):
            service.amend("a design", "2" * 64, Rules(policy="blocks"))
        assert service.verify() == []


def test_rejected_pages_are_given_to_others(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", Rules(judgments_per_unit=1, page_size=12)) as service:
        one = enrolled(service)
        answer_all(service, one)
        assert service.decide([1], accepted=False, reason="spam") == 1 and not list(service.judgments())
        assert isinstance(service.next_page(one), Done)
        two = enrolled(service)
        assert answer_all(service, two) == 1 and service.decide([2], accepted=True) == 1
        with pytest.raises(StoreError, match="all their judgments"):
            service.decide([1], accepted=True)
        assert service.verify() == []


def test_units_added_later(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES, 2) as service:
        assert service.amend("more", "1" * 64, RULES, units(3)) == (2, 3)
        assert service.amend("as many", "2" * 64, RULES, units(3)) == (3, 0)
        changed = [type(one)(one.id, one.kind, {"text": "changed"}, one.item, one.stratum) for one in units(1)]
        with pytest.raises(StoreError, match="with another content"):
            service.amend("changed", "3" * 64, RULES, changed)
        assert service.terms().version == 3 and len(service.progress().units) == 9


def test_pause(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service:
        one, two = enrolled(service), enrolled(service)
        page = page_of(service, one)
        service.pause()
        assert service.next_page(two) == Done("paused") and page_of(service, one) == page
        answer(service, one, page)
        service.pause(False)
        assert isinstance(service.next_page(two), Page)


def test_one_server_per_store(tmp_path: Path) -> None:
    with study(tmp_path / "s.sqlite", RULES), pytest.raises(StoreError, match="another process"):
        Service.open(tmp_path / "s.sqlite")
    with Service.open(tmp_path / "s.sqlite") as service:
        assert service.verify() == []
    with pytest.raises(StoreError, match="exists"):
        Service.create(tmp_path / "s.sqlite", "", "", RULES, [])
    with pytest.raises(StoreError, match="no such store"):
        Service.open(tmp_path / "none.sqlite")
    (tmp_path / "text.sqlite").write_text("not a database " * 100)
    with pytest.raises(StoreError, match="not an SQLite file"):
        Service.open(tmp_path / "text.sqlite")


def test_calls_from_an_event_loop(tmp_path: Path) -> None:
    async def many(service: Service) -> set[str]:
        enrolments = await asyncio.gather(*(service.call(service.enroll, {}) for _ in range(50)))
        return {one.annotator for one in enrolments}

    with study(tmp_path / "s.sqlite", RULES) as service:
        assert asyncio.run(many(service)) == {f"a{n}" for n in range(1, 51)}


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("UPDATE judgment SET value = '5.0' WHERE assignment = 1", "judgments of page 1 of a1 were changed"),
        ("UPDATE answer SET body = '{}'", "answer to page 1 of a1 was changed"),
        ("UPDATE event SET at = at + 1 WHERE seq = 3", "event 3"),
        ("DELETE FROM event WHERE seq = 3", "events 3 to 3 are missing"),
        ("UPDATE event SET body = NULL WHERE seq = 3", "1 events have no content"),
        ("UPDATE unit SET payload = '{}' WHERE number = 2", "content of unit 'o0b' was changed"),
        ("UPDATE unit SET live = 7 WHERE number = 2", "counters of unit 2 are wrong"),
        ("UPDATE protocol SET sha = 'x'", "version 1 of the protocol"),
    ],
)
def test_verify_finds_what_was_changed(tmp_path: Path, sql: str, message: str) -> None:
    with study(tmp_path / "s.sqlite", RULES) as service:
        one = enrolled(service)
        answer(service, one, page_of(service, one))
        service._store.write(lambda tx: tx.run(sql)).result()
        assert any(message in problem for problem in service.verify())
