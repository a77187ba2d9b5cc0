"""Answers: each counts exactly once, however often and in whatever order it is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.annotate.events import record
from assay.annotate.operations.leases import ACCEPTED, OPEN, REJECTED, RELEASED, SUBMITTED, count
from assay.annotate.operations.people import ACTIVE, COMPLETE, answered_by, state_of
from assay.annotate.operations.study import terms
from assay.annotate.records import Body, Conflict, Expired, JudgmentRow, Receipt, StoreError
from assay.annotate.store.transaction import Transaction, hashed, to_json


@dataclass(frozen=True)
class Sent:
    """What an annotator sent: the posted fields, what they say, the checks passed, and how long the page was visible.

    `judgments` are by the id of the assignment.
    """

    body: Body
    judgments: Mapping[int, Sequence[JudgmentRow]]
    checks: Mapping[str, bool]
    ms_visible: int | None


def submit(tx: Transaction, number: int, nonce: str, sent: Sent, now: float) -> Receipt | Conflict | Expired:
    """Store the answer to a page."""
    row = tx.one("SELECT number, state FROM page WHERE nonce = ? AND annotator = ?", nonce, number)
    if row is None:
        return Expired("there is no such page")
    page, state = row
    if state not in (OPEN, RELEASED):
        return _again(tx, page, sent.body)
    _check(tx, page, sent.judgments)
    if state == RELEASED:
        if not _may_still_answer(tx, number) or not _has_room(tx, page, number):
            record(tx, "late", now, actor=number, page=page, body_sha=hashed(to_json(sent.body)))
            return Expired("the time for this page was over, and its texts were given to others")
        count(tx, page, live=1)
    _store(tx, number, page, 1, sent, now)
    # A late page may come after the next one: pages are numbered as they are answered.
    place = 1 + answered_by(tx, number)
    tx.run("UPDATE page SET state = 'submitted', draft = NULL, place = ? WHERE number = ?", place, page)
    tx.run("UPDATE assignment SET state = 'submitted' WHERE page = ?", page)
    count(tx, page, stored=1)
    return Receipt(now, 1, again=False)


def revise(tx: Transaction, number: int, nonce: str, base: int, sent: Sent, now: float) -> Receipt | Conflict | Expired:
    """Replace revision `base` of an answer, inside the window of the rules; the old one is kept.

    Sent again, it finds itself as the revision after `base`; any other answer there is a conflict.
    """
    row = tx.one(
        "SELECT p.number, p.state, a.revision, a.body, a.body_sha, a.at FROM page p "
        "JOIN answer a ON a.page = p.number WHERE p.nonce = ? AND p.annotator = ?",
        nonce,
        number,
    )
    if row is None:
        return Expired("there is no such answer")
    page, state, revision, body, sha, at = row
    if base != revision:
        later = (sha, at) if revision == base + 1 else tx.one(_OLD, page, base + 1) if base < revision else None
        if later is not None and later[0] == hashed(to_json(sent.body)):
            return Receipt(later[1], base + 1, again=True)
        return Conflict(json.loads(body), sent.body)
    first = tx.one("SELECT min(at) FROM answer_old WHERE page = ?", page)
    since = at if first is None or first[0] is None else first[0]
    has_left = state_of(tx, number) not in (ACTIVE, COMPLETE)
    if state != SUBMITTED or has_left or now > since + terms(tx).rules.revise_seconds:
        return Expired("the time for changes is over")
    _check(tx, page, sent.judgments)
    tx.run(
        "INSERT INTO answer_old (page, revision, body, body_sha, judgments, at) VALUES (?, ?, ?, ?, ?, ?)",
        page,
        revision,
        body,
        sha,
        to_json(stored_judgments(tx, page)),
        at,
    )
    tx.run("DELETE FROM judgment WHERE assignment IN (SELECT number FROM assignment WHERE page = ?)", page)
    tx.run("DELETE FROM answer WHERE page = ?", page)
    _store(tx, number, page, revision + 1, sent, now)
    return Receipt(now, revision + 1, again=False)


_OLD = "SELECT body_sha, at FROM answer_old WHERE page = ? AND revision = ?"


def decide(tx: Transaction, pages: Sequence[int], accepted: bool, reason: str, now: float) -> int:
    """Accept or reject submitted pages; what is rejected counts no more, and its units are given to others."""
    changed = 0
    for page in pages:
        row = tx.one("SELECT state, annotator FROM page WHERE number = ?", page)
        if row is None or row[0] in (OPEN, RELEASED):
            raise StoreError(f"page {page} has no answer to accept or reject.")
        state, annotator = row
        wanted = ACCEPTED if accepted else REJECTED
        if state == wanted:
            continue
        if REJECTED in (state, wanted):
            if wanted == ACCEPTED and not _has_room(tx, page, annotator):
                raise StoreError(f"page {page} was rejected, and its units have all their judgments by now.")
            step = 1 if state == REJECTED else -1
            count(tx, page, live=step, stored=step)
        tx.run("UPDATE page SET state = ? WHERE number = ?", wanted, page)
        tx.run("UPDATE assignment SET state = ? WHERE page = ?", wanted, page)
        record(tx, wanted, now, actor=annotator, page=page, reason=reason)
        changed += 1
    return changed


def stored_judgments(tx: Transaction, page: int) -> list[tuple[Any, ...]]:
    """The judgments of a page in order, as they are hashed; value and columns as JSON."""
    return tx.all(
        "SELECT j.assignment, j.kind, j.unit, j.other, j.criterion, j.value, j.columns FROM judgment j "
        "JOIN assignment a ON a.number = j.assignment WHERE a.page = ? ORDER BY a.slot, j.place",
        page,
    )


def _again(tx: Transaction, page: int, body: Body) -> Receipt | Conflict:
    """The receipt of an answer that came before, whichever revision it was; another answer is a conflict."""
    row = tx.one("SELECT body, body_sha, revision, at FROM answer WHERE page = ?", page)
    assert row is not None
    stored, sha, revision, at = row
    sent_sha = hashed(to_json(body))
    if sent_sha == sha:
        return Receipt(at, revision, again=True)
    old = tx.one("SELECT at, revision FROM answer_old WHERE page = ? AND body_sha = ?", page, sent_sha)
    return Receipt(old[0], old[1], again=True) if old else Conflict(json.loads(stored), body)


def _may_still_answer(tx: Transaction, annotator: int) -> bool:
    """Whether somebody takes part and has pages left, for an answer after the lease: nobody answers after leaving."""
    most = terms(tx).rules.max_pages_per_annotator
    return state_of(tx, annotator) == ACTIVE and (most is None or answered_by(tx, annotator) < most)


def _has_room(tx: Transaction, page: int, annotator: int) -> bool:
    """Whether the units of a page that was given up can be taken back: below their cap, and not on another page."""
    row = tx.one(
        "SELECT count(*) FROM assignment a JOIN unit u ON u.number = a.unit WHERE a.page = ? AND ("
        "(u.gold IS NULL AND u.live >= ?) OR EXISTS (SELECT 1 FROM assignment b WHERE b.annotator = ? "
        "AND b.unit = a.unit AND b.page <> a.page AND b.state <> 'released'))",
        page,
        terms(tx).rules.judgments_per_unit,
        annotator,
    )
    return row is not None and row[0] == 0


def _check(tx: Transaction, page: int, judgments: Mapping[int, Sequence[JudgmentRow]]) -> None:
    """Judgments belong to units of this page that are no checks; a ValueError otherwise."""
    counted = {
        row[0]
        for row in tx.all(
            "SELECT a.number FROM assignment a JOIN unit u ON u.number = a.unit WHERE a.page = ? AND u.gold IS NULL",
            page,
        )
    }
    foreign = {assignment for assignment, rows in judgments.items() if rows} - counted
    if foreign:
        raise ValueError(f"judgments of assignments {sorted(foreign)}, which are checks or on another page")


def _written(row: JudgmentRow) -> tuple[str, str | None, str]:
    return to_json(row.value), row.other, to_json(dict(row.columns))


def _store(tx: Transaction, number: int, page: int, revision: int, sent: Sent, now: float) -> None:
    tx.many(
        "INSERT INTO judgment (assignment, place, kind, unit, criterion, value, other, columns) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (assignment, place, row.kind, row.unit, row.criterion, *_written(row))
            for assignment, rows in sent.judgments.items()
            for place, row in enumerate(rows)
        ],
    )
    body, judgments = to_json(sent.body), to_json(stored_judgments(tx, page))
    tx.run(
        "INSERT INTO answer (page, revision, body, body_sha, judgments_sha, checks, ms_visible, at) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        page,
        revision,
        body,
        hashed(body),
        hashed(judgments),
        to_json(sent.checks),
        sent.ms_visible,
        now,
    )
    record(
        tx,
        "submitted" if revision == 1 else "revised",
        now,
        actor=number,
        page=page,
        revision=revision,
        body_sha=hashed(body),
        judgments_sha=hashed(judgments),
    )
