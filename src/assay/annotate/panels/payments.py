"""Files for paying annotators of a panel: whom to approve, whom to reject, and bonuses.

Prolific takes a list of participant ids to approve and lines `id,amount` for bonuses; other panels take the same
tables with other headings. Ids are the panel's own, so these files are for the researcher's eyes only.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import isfinite
from pathlib import Path

from assay.annotate.operations.payroll import Payee
from assay.errors import AssayError
from assay.io.atomic import replacing

CENT = Decimal("0.01")
FILES = ("approve.csv", "reject.csv", "bonus.csv", "undecided.csv")


@dataclass(frozen=True)
class Payments:
    """What to do about each person, by the panel's id.

    Attributes:
        approve: everyone with an accepted page.
        reject: those whose pages were all rejected.
        bonus: id and amount: the price of accepted pages beyond what the panel pays by itself.
        undecided: those with pages that are neither accepted nor rejected.
        unknown: pseudonyms of people who did not come from a panel.
    """

    approve: tuple[str, ...]
    reject: tuple[str, ...]
    bonus: tuple[tuple[str, Decimal], ...]
    undecided: tuple[str, ...]
    unknown: tuple[str, ...]


def payments(payroll: Sequence[Payee], people: Mapping[str, Mapping[str, str]], base: float = 0.0) -> Payments:
    """Decide by the pages of each person.

    Args:
        payroll: pages of each annotator, and what they earned.
        people: ids by pseudonym, as the map beside the store holds them.
        base: what the panel pays for an approved participation by itself.
    """
    if not (isfinite(base) and base >= 0):
        raise AssayError(f"the base payment is {base:g}. Give 0 or more.")
    ids = {one.annotator: people.get(one.annotator, {}).get("person", "") for one in payroll}
    known = [one for one in payroll if ids[one.annotator]]
    paid = Decimal(repr(base))
    bonus = [(ids[one.annotator], _cents(one.earned - paid)) for one in known if one.accepted]
    return Payments(
        tuple(ids[one.annotator] for one in known if one.accepted),
        tuple(ids[one.annotator] for one in known if one.rejected and not one.accepted and not one.undecided),
        tuple((person, amount) for person, amount in bonus if amount > 0),
        tuple(ids[one.annotator] for one in known if one.undecided),
        tuple(one.annotator for one in payroll if not ids[one.annotator]),
    )


def write_payments(result: Payments, folder: Path) -> list[Path]:
    """Write the files, readable by their owner only; return them."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise AssayError(f"{folder}: cannot be a folder for the files ({error.strerror}). Name another.") from None
    rows: Mapping[str, Sequence[tuple[str, ...]]] = {
        "approve.csv": [(person,) for person in result.approve],
        "reject.csv": [(person,) for person in result.reject],
        "bonus.csv": [(person, f"{amount:.2f}") for person, amount in result.bonus],
        "undecided.csv": [(person,) for person in result.undecided],
    }
    for name in FILES:
        with replacing(folder / name) as temporary, open(temporary, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(rows[name])
        (folder / name).chmod(0o600)
    return [folder / name for name in FILES]


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)
