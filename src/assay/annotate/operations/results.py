"""What a study holds: judgments for export, checks, and how far it is."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import ceil
from typing import Any

from assay.annotate.operations.study import prices, terms
from assay.annotate.records import PageRecord, Progress, StoredJudgment
from assay.annotate.store.transaction import SqlRow, Transaction
from assay.io.special.judgment_stores import JUDGMENTS, pseudonym

# Until the first answer: a page that is changed later took no longer.
SECONDS = (
    "SELECT coalesce((SELECT min(o.at) FROM answer_old o WHERE o.page = p.number), w.at) - p.opened "
    "FROM answer w JOIN page p ON p.number = w.page ORDER BY p.number"
)


def judgments(tx: Transaction) -> list[StoredJudgment]:
    """All judgments that count, in the order of the pages."""
    return [
        StoredJudgment(kind, unit, other, criterion, json.loads(value), pseudonym(annotator), *how)
        for kind, unit, other, criterion, value, annotator, *how in map(_with_columns, tx.all(JUDGMENTS))
    ]


def pages(tx: Transaction) -> list[PageRecord]:
    """All pages that were given, in order."""
    rows = tx.all(
        "SELECT p.number, p.nonce, p.annotator, p.state, p.version, p.opened, w.at, w.ms_visible, w.body, w.checks "
        "FROM page p LEFT JOIN answer w ON w.page = p.number ORDER BY p.number"
    )
    return [
        PageRecord(number, nonce, pseudonym(annotator), *rest, *(json.loads(text or "null") for text in (body, checks)))
        for number, nonce, annotator, *rest, body, checks in rows
    ]


def checks_of(pages: Iterable[PageRecord]) -> dict[str, list[tuple[str, bool]]]:
    """Per annotator, the checks answered and whether each was passed."""
    found: dict[str, list[tuple[str, bool]]] = {}
    for page in pages:
        if page.checks is not None:
            found.setdefault(page.annotator, []).extend(page.checks.items())
    return found


def progress(tx: Transaction) -> Progress:
    """How far the study is."""
    now_in_force = terms(tx)
    rules = now_in_force.rules
    units = tuple(tx.all("SELECT id, stratum, live, stored FROM unit WHERE gold IS NULL ORDER BY number"))
    strata: dict[str, tuple[int, int, int]] = {}
    for _, stratum, _, stored in units:
        n, wanted, so_far = strata.get(stratum, (0, 0, 0))
        strata[stratum] = (n + 1, wanted + rules.judgments_per_unit, so_far + stored)
    pages = _counts(tx, "SELECT state, count(*) FROM page GROUP BY state")
    price = prices(tx)
    paid = tx.all(
        "SELECT version, count(*) FROM page WHERE state IN ('submitted', 'accepted') GROUP BY version ORDER BY version"
    )
    missing = sum(max(rules.judgments_per_unit - stored, 0) for _, _, _, stored in units)
    pages_to_come = ceil(missing / rules.page_size)
    if rules.policy == "pages":  # fixed pages, some of them shorter
        blocks = tx.all("SELECT max(stored) FROM unit WHERE gold IS NULL GROUP BY block")
        pages_to_come = sum(max(rules.judgments_per_unit - stored, 0) for (stored,) in blocks)
    return Progress(
        units,
        strata,
        _counts(tx, "SELECT state, count(*) FROM annotator GROUP BY state"),
        pages,
        float(sum(n * price[version] for version, n in paid)),
        rules.price_per_page * pages_to_come,
        rules.currency,
        tuple(row[0] for row in tx.all(SECONDS)),
        now_in_force.paused,
    )


def _counts(tx: Transaction, sql: str) -> Mapping[str, Any]:
    return dict(sorted(tx.all(sql)))


def _with_columns(row: SqlRow) -> SqlRow:
    return (*row[:-1], json.loads(row[-1]))
