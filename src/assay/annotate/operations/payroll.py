"""Who did how much: what payments are made from."""

from __future__ import annotations

from dataclasses import dataclass

from assay.annotate.operations.people import state_of
from assay.annotate.store.transaction import Transaction
from assay.io.special.judgment_stores import pseudonym

PAGES = (
    "SELECT a.number, a.state, "
    "sum(CASE WHEN p.state = 'submitted' THEN 1 ELSE 0 END), "
    "sum(CASE WHEN p.state = 'accepted' THEN 1 ELSE 0 END), "
    "sum(CASE WHEN p.state = 'rejected' THEN 1 ELSE 0 END) "
    "FROM annotator a LEFT JOIN page p ON p.annotator = a.number GROUP BY a.number, a.state ORDER BY a.number"
)


@dataclass(frozen=True)
class Payee:
    """An annotator with the number of pages by what was decided about them."""

    annotator: str
    state: str
    undecided: int
    accepted: int
    rejected: int


def payroll(tx: Transaction) -> tuple[Payee, ...]:
    """Every annotator, in the order of enrollment."""
    return tuple(
        Payee(pseudonym(number), state, *(int(count or 0) for count in counts))
        for number, state, *counts in tx.all(PAGES)
    )


def answered_pages(tx: Transaction, annotator: int) -> list[int]:
    """The numbers of the pages that an annotator saved."""
    state_of(tx, annotator)
    pages = "SELECT number FROM page WHERE annotator = ? AND state NOT IN ('open', 'released') ORDER BY number"
    return [int(number) for (number,) in tx.all(pages, annotator)]
