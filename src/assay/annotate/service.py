"""The service behind the annotation application: what the web, bots and the researcher call, over any store.

Every method that changes something returns after its commit. Methods block; in an event loop use
`await service.call(service.submit, ...)`.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar

from assay.annotate.operations import answers, erasing, leases, pages, payroll, people, results, study, verifying
from assay.annotate.operations.answers import Sent
from assay.annotate.operations.study import Material, Terms
from assay.annotate.panel_map import PanelMap
from assay.annotate.records import (
    Annotator,
    Assigned,
    Body,
    Conflict,
    Done,
    Enrolled,
    Expired,
    GivenPage,
    JudgmentRow,
    NotSaved,
    Page,
    PageRecord,
    Progress,
    Receipt,
    Rules,
    StoredJudgment,
    StoreError,
    Unit,
)
from assay.annotate.store import Store, Transaction, create_store, open_store
from assay.annotate.store.migrate import migrate
from assay.io.special.judgment_stores import is_database, pseudonym
from assay.records import Criterion, Dataset
from assay.records.unflat import flat_records

__all__ = [
    "Annotator",
    "Assigned",
    "Conflict",
    "Done",
    "Enrolled",
    "Expired",
    "JudgmentRow",
    "NotSaved",
    "Page",
    "PageRecord",
    "Progress",
    "Receipt",
    "Rules",
    "Service",
    "StoreError",
    "StoredJudgment",
    "Unit",
]

P = ParamSpec("P")
T = TypeVar("T")

# Requests that wait for the writer at the same time; what comes together is committed together.
THREADS = 64


class Service:
    """A study that annotators take part in. Close it, or use it as a context manager."""

    def __init__(self, store: Store, panel_map: PanelMap, clock: Callable[[], float] = time.time) -> None:
        self._store = store
        self.panel_map = panel_map
        self._clock = clock
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="assay-service")
        try:
            self._write(migrate, clock())
            self._write(leases.release_expired, clock())
            self._write(leases.rebuild_counters)
        except BaseException:
            self.close()
            raise

    @classmethod
    def create(
        cls,
        store_url: str | Path,
        protocol_text: str,
        protocol_sha: str,
        rules: Rules,
        units: Sequence[Unit],
        *,
        data: Dataset | None = None,
        criteria: Iterable[Criterion] = (),
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Make a new study in a store that does not exist yet, and open it.

        Args:
            store_url: the path of an SQLite file, or `postgresql://...`.
            protocol_text: the protocol file, word for word.
            protocol_sha: its content hash.
            rules: how units are assigned.
            units: what is asked about; those with `gold` are checks.
            data: what is judged; it is kept in the store, without its judgments, and comes back with those of the
                study when the store is loaded as data.
            criteria: what is asked.
            clock: the time, as a Unix timestamp.
        """
        declared = {one.name: one.as_record() for one in criteria}
        material = Material(units, _records(data), declared)
        fill = partial(
            study.create,
            study=secrets.token_hex(8),
            text=protocol_text,
            sha=protocol_sha,
            rules=rules,
            material=material,
            now=clock(),
        )
        create_store(str(store_url), fill)
        return cls.open(store_url, clock=clock)

    @classmethod
    def open(cls, store_url: str | Path, *, clock: Callable[[], float] = time.time) -> Self:
        """Open a study: the file is checked, leases that are over are released, counters are rebuilt.

        What panels say about people is kept beside an SQLite file; with PostgreSQL in the current folder, in files
        named after the study.
        """
        store = open_store(str(store_url))
        try:
            beside = store.read(study.identity) if is_database(store.url) else store.url
        except BaseException:
            store.close()
            raise
        return cls(store, PanelMap(Path(beside)), clock)

    async def call(self, method: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a method without blocking the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, partial(method, *args, **kwargs))

    def close(self) -> None:
        """Finish what is being written, and release the store."""
        self._threads.shutdown()
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # People

    def enroll(self, panel: Mapping[str, str] | None = None) -> Enrolled:
        """Enroll a person, or one that a panel sent before, who gets another token.

        Args:
            panel: what the panel passed: `panel` (its name), `person` and `session` (its ids), and anything else.
                Ids are stored as keyed hashes; as they are they stand only in the map beside the store.
        """
        given = dict(panel or {})
        name = given.get("panel", "")
        person, session = (self._panel_hash(name, given.get(key)) for key in ("person", "session"))
        token = secrets.token_urlsafe(32)
        number, session_number = self._write(people.enroll, token, name, person, session, self._clock())
        annotator = pseudonym(number)
        if person is not None:
            self.panel_map.add(annotator, given)
        return Enrolled(annotator, f"s{session_number}", token)

    def annotator(self, token: str) -> Annotator | None:
        """The annotator with this token, None if there is none."""
        return self._store.read(lambda tx: people.find(tx, token))

    def consent(self, annotator: str) -> None:
        """Record that an annotator consents."""
        self._write(people.consent, people.number_of(annotator), self._clock())

    def save_stage(self, annotator: str, stage: str, answers: Body) -> None:
        """Store the answers of instructions, a qualification or an exit survey."""
        self._write(people.save_stage, people.number_of(annotator), stage, answers, self._clock())

    def withdraw(self, annotator: str) -> None:
        """End a participation at the annotator's wish; open pages are released. `forget` deletes the answers too."""
        self._write(people.leave, people.number_of(annotator), people.WITHDRAWN, self._clock())

    def disqualify(self, annotator: str) -> None:
        """End the participation of an annotator who did not pass the qualification."""
        self._write(people.leave, people.number_of(annotator), people.NOT_QUALIFIED, self._clock())

    def finish(self, annotator: str) -> Done:
        """Complete a participation. Only then is there a completion code, and it stays the same."""
        code = secrets.token_hex(4).upper()
        return self._write(people.finish, people.number_of(annotator), code, self._clock())

    def forget(self, annotator: str) -> int:
        """Delete a person with all answers; return the number of pages. Events keep time, kind and hash."""
        n_pages = self._write(erasing.forget, people.number_of(annotator), self._clock())
        self.panel_map.forget(annotator)
        return n_pages

    # Pages

    def next_page(self, annotator: str) -> Page | Done:
        """The open page of an annotator, the same until it is answered or its lease is over, or a new one."""
        return self.queue_next_page(annotator).result()

    def queue_next_page(self, annotator: str) -> Future[Page | Done]:
        """As `next_page`, without waiting for the commit."""
        nonce = secrets.token_urlsafe(16)
        return self._queue(pages.next_page, people.number_of(annotator), nonce, self._clock())

    def visit(self, token: str, nonce: str) -> tuple[Annotator | None, GivenPage | None]:
        """The annotator with this token, and the page with this nonce, open or answered, if it is theirs."""

        def read(tx: Transaction) -> tuple[Annotator | None, GivenPage | None]:
            found = people.find(tx, token)
            return found, None if found is None else pages.given(tx, people.number_of(found.id), nonce)

        return self._store.read(read)

    def save_draft(self, annotator: str, nonce: str, draft: Body) -> bool:
        """Keep what is filled in so far; False if the page is not open any more."""
        return self._write(pages.save_draft, people.number_of(annotator), nonce, draft)

    def submit(
        self,
        annotator: str,
        nonce: str,
        body: Body,
        judgments: Mapping[int, Sequence[JudgmentRow]],
        checks: Mapping[str, bool] | None = None,
        ms_visible: int | None = None,
    ) -> Receipt | Conflict | Expired:
        """Store the answer to a page, once: the same again gives the stored receipt, another one is a conflict.

        Args:
            annotator: who answers.
            nonce: of the page.
            body: what was posted, as JSON.
            judgments: what it says, by the id of the assignment; checks have none.
            checks: whether each check on the page was passed, by the id of its unit.
            ms_visible: how long the page was visible, in milliseconds.
        """
        return self.queue_submit(annotator, nonce, Sent(body, judgments, checks or {}, ms_visible)).result()

    def queue_submit(self, annotator: str, nonce: str, sent: Sent) -> Future[Receipt | Conflict | Expired]:
        """As `submit`, without waiting for the commit."""
        return self._queue(answers.submit, people.number_of(annotator), nonce, sent, self._clock())

    def revise(
        self,
        annotator: str,
        nonce: str,
        base: int,
        body: Body,
        judgments: Mapping[int, Sequence[JudgmentRow]],
        checks: Mapping[str, bool] | None = None,
        ms_visible: int | None = None,
    ) -> Receipt | Conflict | Expired:
        """Replace revision `base` of an answer, inside the window of the rules; the rest as in `submit`."""
        sent = Sent(body, judgments, checks or {}, ms_visible)
        return self._write(answers.revise, people.number_of(annotator), nonce, base, sent, self._clock())

    def decide(self, page_numbers: Sequence[int], *, accepted: bool, reason: str = "") -> int:
        """Accept or reject answers by the number of their page; return how many changed."""
        return self._write(answers.decide, page_numbers, accepted, reason, self._clock())

    # The study

    def terms(self) -> Terms:
        """The version of the protocol in force, its hash and rules, and whether the study is paused."""
        return self._store.read(study.terms)

    def protocol_text(self, version: int | None = None) -> str:
        """A version of the protocol, word for word; by default the one in force."""
        return self._store.read(lambda tx: study.protocol_text(tx, version))

    def amend(
        self,
        protocol_text: str,
        protocol_sha: str,
        rules: Rules,
        units: Sequence[Unit] = (),
        *,
        data: Dataset | None = None,
        criteria: Iterable[Criterion] = (),
    ) -> tuple[int, int]:
        """Put a changed protocol in force, with all it asks about; return its version and how many units are new.

        Pages remember the version they were given under. The arguments are those of `create`; nothing is taken away.
        """
        declared = {one.name: one.as_record() for one in criteria}
        material = Material(units, list(_records(data)), declared) if units else None
        return self._write(study.amend, protocol_text, protocol_sha, rules, self._clock(), material)

    def extend(self, judgments_per_unit: int) -> None:
        """Ask for another number of judgments of each unit, with nothing else changed."""
        self._write(study.extend, judgments_per_unit, self._clock())

    def pause(self, paused: bool = True) -> None:
        """Give no new pages, or give them again; open ones can be submitted."""
        self._write(study.pause, paused, self._clock())

    def progress(self) -> Progress:
        """How far the study is."""
        return self._store.read(results.progress)

    def judgments(self) -> Iterator[StoredJudgment]:
        """All judgments that count, in the order of pages."""
        return iter(self._store.read(results.judgments))

    def pages(self) -> list[PageRecord]:
        """All pages that were given, with their answers and checks, in order."""
        return self._store.read(results.pages)

    def checks(self) -> dict[str, list[tuple[str, bool]]]:
        """Per annotator, the checks answered and whether each was passed."""
        return results.checks_of(self.pages())

    def payroll(self) -> tuple[payroll.Payee, ...]:
        """Every annotator with the number of pages by what was decided about them."""
        return self._store.read(payroll.payroll)

    def answered_pages(self, annotator: str) -> list[int]:
        """The numbers of the pages that an annotator saved, for `decide`."""
        return self._store.read(lambda tx: payroll.answered_pages(tx, people.number_of(annotator)))

    def verify(self) -> list[str]:
        """What is wrong with the store, one sentence each; an empty list if nothing is."""
        return [*self._store.check(), *self._store.read(verifying.verify)]

    def backup(self, path: str | Path) -> None:
        """Write a consistent copy as an SQLite store, while annotators go on."""
        self._store.backup(Path(path))

    def _panel_hash(self, panel: str, identity: str | None) -> str | None:
        return None if identity is None else self.panel_map.hashed(panel, identity)

    def _write(self, operation: Callable[..., T], *args: Any) -> T:
        return self._queue(operation, *args).result()

    def _queue(self, operation: Callable[..., T], *args: Any) -> Future[T]:
        def work(tx: Transaction) -> T:
            return operation(tx, *args)

        return self._store.write(work)


def _records(data: Dataset | None) -> Iterator[Mapping[str, Any]]:
    for record in flat_records(data) if data is not None else ():
        yield {name: value for name, value in record.items() if name not in ("judgments", "criteria")}
