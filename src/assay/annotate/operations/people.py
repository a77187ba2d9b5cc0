"""Annotators: enrolled, consenting, moving through stages, leaving."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from assay.annotate.events import record
from assay.annotate.operations.leases import release
from assay.annotate.records import Annotator, Body, Done, StoreError
from assay.annotate.store.transaction import Transaction, numbers, to_json
from assay.io.special.judgment_stores import pseudonym

ACTIVE, COMPLETE, WITHDRAWN, NOT_QUALIFIED = "active", "complete", "withdrawn", "not qualified"


def token_hash(token: str) -> str:
    """What is stored of a token, which is random and long enough not to need a slow hash."""
    return sha256(token.encode()).hexdigest()


def number_of(annotator: str) -> int:
    """The number in a pseudonym."""
    if annotator[:1] != "a" or not annotator[1:].isdecimal() or len(annotator) > 18:
        raise StoreError(f"no annotator {annotator!r}. Pseudonyms are a1, a2, ...")
    return int(annotator[1:])


def enroll(
    tx: Transaction, token: str, panel: str, person: str | None, panel_session: str | None, now: float
) -> tuple[int, int]:
    """Enroll a person, or give a known one of a panel another token. Return the numbers of annotator and session.

    `person` and `panel_session` are keyed hashes of the panel's own ids.
    """
    known = None if person is None else tx.one("SELECT number FROM annotator WHERE panel_hmac = ?", person)
    if known is None:
        (number,) = numbers(tx, "annotator")
        tx.run(
            "INSERT INTO annotator (number, token_hash, panel, panel_hmac, state, enrolled) VALUES (?, ?, ?, ?, ?, ?)",
            number,
            token_hash(token),
            panel,
            person,
            ACTIVE,
            now,
        )
        record(tx, "enrolled", now, actor=number, panel=panel)
    else:
        number = int(known[0])
        tx.run("UPDATE annotator SET token_hash = ? WHERE number = ?", token_hash(token), number)
        record(tx, "returned", now, actor=number, panel=panel)
    same = tx.one("SELECT number FROM session WHERE panel_session = ?", panel_session)
    if same is not None:
        return number, int(same[0])
    (session,) = numbers(tx, "session")
    tx.run(
        "INSERT INTO session (number, annotator, panel_session, started) VALUES (?, ?, ?, ?)",
        session,
        number,
        panel_session,
        now,
    )
    return number, session


def find(tx: Transaction, token: str) -> Annotator | None:
    """The annotator with a token."""
    row = tx.one(
        "SELECT number, state, consented, stage, (SELECT count(*) FROM page p WHERE p.annotator = a.number "
        "AND p.state NOT IN ('open', 'released')) FROM annotator a WHERE token_hash = ?",
        token_hash(token),
    )
    if row is None:
        return None
    number, state, consented, stage, pages = row
    stages = {name: json.loads(body) for name, body in stages_of(tx, number)}
    return Annotator(pseudonym(number), state, consented, stage, stages, pages)


def stages_of(tx: Transaction, number: int) -> list[tuple[Any, ...]]:
    """Name and answers of each stage, in the order they were saved."""
    return tx.all("SELECT name, body FROM stage WHERE annotator = ? ORDER BY at, name", number)


def state_of(tx: Transaction, number: int) -> str:
    """The state of an annotator; an unknown one is an error."""
    row = tx.one("SELECT state FROM annotator WHERE number = ?", number)
    if row is None:
        raise StoreError(f"no annotator {pseudonym(number)!r} in this study.")
    return str(row[0])


def answered_by(tx: Transaction, number: int) -> int:
    """How many pages an annotator answered, whatever was decided about them."""
    sql = "SELECT count(*) FROM page WHERE annotator = ? AND state NOT IN ('open', 'released')"
    row = tx.one(sql, number)
    return 0 if row is None else int(row[0])


def consent(tx: Transaction, number: int, now: float) -> None:
    """Record consent, once."""
    state_of(tx, number)
    if tx.run("UPDATE annotator SET consented = ? WHERE number = ? AND consented IS NULL", now, number):
        record(tx, "consented", now, actor=number)


def save_stage(tx: Transaction, number: int, stage: str, answers: Body, now: float) -> None:
    """Store the answers of a stage; the last ones count."""
    state_of(tx, number)
    body = to_json(answers)
    tx.run(
        "INSERT INTO stage (annotator, name, body, at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (annotator, name) DO UPDATE SET body = excluded.body, at = excluded.at",
        number,
        stage,
        body,
        now,
    )
    tx.run("UPDATE annotator SET stage = ? WHERE number = ?", stage, number)
    record(tx, "stage", now, actor=number, stage=stage)


def leave(tx: Transaction, number: int, state: str, now: float) -> None:
    """Withdrawn or not qualified: open pages are released, and there are no more."""
    if state_of(tx, number) != state:
        tx.run("UPDATE annotator SET state = ? WHERE number = ?", state, number)
        release(tx, "annotator = ?", (number,), state, now)
        record(tx, state, now, actor=number)


def finish(tx: Transaction, number: int, code: str, now: float) -> Done:
    """Complete the participation; the code is the one that was stored first."""
    state = state_of(tx, number)
    if state not in (ACTIVE, COMPLETE):
        return Done(state)
    if state == ACTIVE:
        release(tx, "annotator = ?", (number,), "finished", now)
        tx.run("UPDATE annotator SET state = ?, completion_code = ? WHERE number = ?", COMPLETE, code, number)
        record(tx, "completed", now, actor=number)
    row = tx.one("SELECT completion_code FROM annotator WHERE number = ?", number)
    assert row is not None
    return Done(COMPLETE, row[0])
