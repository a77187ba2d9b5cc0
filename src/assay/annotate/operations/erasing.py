"""`forget`: a person is deleted, and the chain of events can still be verified."""

from __future__ import annotations

from assay.annotate.events import record
from assay.annotate.operations.leases import count
from assay.annotate.operations.people import state_of
from assay.annotate.store.transaction import Transaction

OF_PERSON = "(SELECT number FROM page WHERE annotator = ?)"


def forget(tx: Transaction, number: int, now: float) -> int:
    """Delete an annotator with all answers; return how many pages. Their units are given to others.

    Of the events only time, kind and hash stay. The salt in each body was deleted with it, so the hashes cannot be used
    to find out what it said.
    """
    state_of(tx, number)
    pages = tx.all("SELECT number, state FROM page WHERE annotator = ?", number)
    for page, state in pages:
        if state in ("open", "submitted", "accepted"):
            count(tx, page, live=-1, stored=0 if state == "open" else -1)
    for sql in (
        f"DELETE FROM judgment WHERE assignment IN (SELECT number FROM assignment WHERE page IN {OF_PERSON})",
        f"DELETE FROM answer_old WHERE page IN {OF_PERSON}",
        f"DELETE FROM answer WHERE page IN {OF_PERSON}",
        f"DELETE FROM assignment WHERE page IN {OF_PERSON}",
        "DELETE FROM page WHERE annotator = ?",
        "DELETE FROM stage WHERE annotator = ?",
        "DELETE FROM session WHERE annotator = ?",
        "DELETE FROM annotator WHERE number = ?",
    ):
        tx.run(sql, number)
    n_events = tx.run("UPDATE event SET body = NULL, actor = NULL WHERE actor = ?", number)
    record(tx, "forgotten", now, events=n_events)
    return len(pages)
