"""Open pages that end without an answer, and the counters of units."""

from __future__ import annotations

from typing import Any

from assay.annotate.events import record
from assay.annotate.store.transaction import Transaction

# The states of an assignment, and of the page it is on.
OPEN, RELEASED, SUBMITTED, ACCEPTED, REJECTED = "open", "released", "submitted", "accepted", "rejected"


def release(tx: Transaction, which: str, values: tuple[Any, ...], reason: str, now: float) -> int:
    """Release the open pages that satisfy a condition: kept, not counted. Return how many."""
    pages = tx.all(f"SELECT number, annotator FROM page WHERE state = 'open' AND {which}", *values)
    for page, annotator in pages:
        tx.run("UPDATE page SET state = 'released' WHERE number = ?", page)
        count(tx, page, live=-1)
        tx.run("UPDATE assignment SET state = 'released' WHERE page = ?", page)
        record(tx, "released", now, actor=annotator, page=page, reason=reason)
    return len(pages)


def release_expired(tx: Transaction, now: float, *, but: int = 0) -> int:
    """Release pages whose lease is over, except those of one annotator, who is here and may go on."""
    return release(tx, "lease_until < ? AND annotator <> ?", (now, but), "lease over", now)


def count(tx: Transaction, page: int, *, live: int = 0, stored: int = 0) -> None:
    """Change the counters of the units of a page."""
    tx.run(
        "UPDATE unit SET live = live + ?, stored = stored + ? WHERE number IN "
        "(SELECT unit FROM assignment WHERE page = ?)",
        live,
        stored,
        page,
    )


COUNTED = (
    "SELECT u.number, "
    "count(CASE WHEN a.state IN ('open', 'submitted', 'accepted') THEN 1 END), "
    "count(CASE WHEN a.state IN ('submitted', 'accepted') THEN 1 END), u.live, u.stored "
    "FROM unit u LEFT JOIN assignment a ON a.unit = u.number GROUP BY u.number, u.live, u.stored"
)


def rebuild_counters(tx: Transaction) -> int:
    """Count all assignments again; return how many units had other counts."""
    wrong = [row for row in tx.all(COUNTED) if row[1:3] != row[3:5]]
    tx.many("UPDATE unit SET live = ?, stored = ? WHERE number = ?", [(row[1], row[2], row[0]) for row in wrong])
    return len(wrong)
