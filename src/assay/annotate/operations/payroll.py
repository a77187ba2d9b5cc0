"""Who did how much: what payments are made from."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

from assay.annotate.operations.leases import ACCEPTED, REJECTED, SUBMITTED
from assay.annotate.operations.people import state_of
from assay.annotate.operations.study import prices
from assay.annotate.store.transaction import Transaction
from assay.io.special.judgment_stores import pseudonym

PAGES = "SELECT annotator, state, version, count(*) FROM page GROUP BY annotator, state, version"


@dataclass(frozen=True)
class Payee:
    """An annotator with the number of pages by what was decided about them.

    Attributes:
        annotator: the pseudonym.
        state: as of the annotator.
        undecided: pages saved and neither accepted nor rejected.
        accepted: pages accepted.
        rejected: pages rejected.
        earned: the price of accepted pages, each at that of the protocol it was given under.
    """

    annotator: str
    state: str
    undecided: int
    accepted: int
    rejected: int
    earned: Decimal = Decimal(0)


def payroll(tx: Transaction) -> tuple[Payee, ...]:
    """Every annotator, in the order of enrollment."""
    price = prices(tx)
    pages: Counter[tuple[int, str]] = Counter()
    earned: dict[int, Decimal] = {}
    for number, state, version, n in tx.all(PAGES):
        pages[number, state] += n
        if state == ACCEPTED:
            earned[number] = earned.get(number, Decimal(0)) + n * price[version]
    return tuple(
        Payee(
            pseudonym(number),
            state,
            undecided=pages[number, SUBMITTED],
            accepted=pages[number, ACCEPTED],
            rejected=pages[number, REJECTED],
            earned=earned.get(number, Decimal(0)),
        )
        for number, state in tx.all("SELECT number, state FROM annotator ORDER BY number")
    )


def answered_pages(tx: Transaction, annotator: int) -> list[int]:
    """The numbers of the pages that an annotator saved."""
    state_of(tx, annotator)
    pages = "SELECT number FROM page WHERE annotator = ? AND state NOT IN ('open', 'released') ORDER BY number"
    return [int(number) for (number,) in tx.all(pages, annotator)]
