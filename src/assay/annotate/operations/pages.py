"""The next page of an annotator."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from assay.annotate import assign
from assay.annotate.assign import Candidate, Chosen, Group
from assay.annotate.events import record
from assay.annotate.operations.leases import count, release_expired
from assay.annotate.operations.people import ACTIVE, answered_by, state_of
from assay.annotate.operations.study import Terms, terms
from assay.annotate.records import Assigned, Body, Done, GivenPage, Page, Rules, Unit
from assay.annotate.store.transaction import Transaction, numbers, to_json

STAGE = "pages"
# Units that this annotator has not got, or did not answer.
NEW_TO = "NOT EXISTS (SELECT 1 FROM assignment a WHERE a.annotator = ? AND a.unit = u.number AND a.state <> 'released')"


def next_page(tx: Transaction, number: int, nonce: str, now: float) -> Page | Done:
    """The open page of an annotator, or a new one under the given nonce."""
    state = state_of(tx, number)
    if state != ACTIVE:
        row = tx.one("SELECT completion_code FROM annotator WHERE number = ?", number)
        return Done(state, row[0] if row else None)
    now_in_force = terms(tx)
    rules = now_in_force.rules
    release_expired(tx, now, but=number)
    current = tx.one("SELECT number, lease_until FROM page WHERE annotator = ? AND state = 'open'", number)
    if current is not None:
        if current[1] < now + rules.lease_seconds / 2:
            tx.run("UPDATE page SET lease_until = ? WHERE number = ?", now + rules.lease_seconds, current[0])
        return page(tx, current[0], rules)
    answered = answered_by(tx, number)
    if rules.max_pages_per_annotator is not None and answered >= rules.max_pages_per_annotator:
        return Done("complete")
    if now_in_force.paused:
        return Done("paused")
    opened = tx.one("SELECT count(*) FROM page WHERE annotator = ?", number)
    assert opened is not None
    rng = np.random.default_rng([rules.seed, number, opened[0]])
    chosen = _chosen(tx, number, rules, rng)
    if not chosen:
        return Done("complete" if answered else "no work left")
    return page(tx, _open(tx, number, nonce, answered + 1, chosen, now_in_force, rng, now), rules)


def page(tx: Transaction, number: int, rules: Rules) -> Page:
    """A stored page."""
    row = tx.one("SELECT nonce, version, place, draft FROM page WHERE number = ?", number)
    assert row is not None
    nonce, version, place, draft = row
    assigned = tx.all(
        "SELECT a.number, a.order_seed, a.probability, u.id, u.kind, u.payload, u.item, u.stratum, u.gold "
        "FROM assignment a JOIN unit u ON u.number = a.unit WHERE a.page = ? ORDER BY a.slot",
        number,
    )
    return Page(
        nonce,
        STAGE,
        version,
        tuple(
            Assigned(one, stored_unit(unit_id, kind, payload, item, stratum, gold), order_seed, probability)
            for one, order_seed, probability, unit_id, kind, payload, item, stratum, gold in assigned
        ),
        place,
        rules.max_pages_per_annotator,
        None if draft is None else json.loads(draft),
    )


def given(tx: Transaction, number: int, nonce: str) -> GivenPage | None:
    """A page of an annotator by its nonce, with its answer; None if it is not theirs."""
    row = tx.one(
        "SELECT p.number, p.state, a.body, a.revision FROM page p LEFT JOIN answer a ON a.page = p.number "
        "WHERE p.nonce = ? AND p.annotator = ?",
        nonce,
        number,
    )
    if row is None:
        return None
    place, state, body, revision = row
    return GivenPage(page(tx, place, terms(tx).rules), state, None if body is None else json.loads(body), revision or 0)


def save_draft(tx: Transaction, number: int, nonce: str, draft: Body) -> bool:
    """Keep what is filled in so far; False if the page is not open any more."""
    sql = "UPDATE page SET draft = ? WHERE nonce = ? AND annotator = ? AND state = 'open'"
    return bool(tx.run(sql, to_json(draft), nonce, number))


def stored_unit(unit_id: str, kind: str, payload: str, item: str, stratum: str, gold: str | None) -> Unit:
    """A unit from its columns."""
    return Unit(unit_id, kind, json.loads(payload), item, stratum, None if gold is None else json.loads(gold))


def _chosen(tx: Transaction, number: int, rules: Rules, rng: np.random.Generator) -> list[Chosen]:
    """The units of a new page, empty if there are none for this annotator."""
    if rules.policy == "pages":
        chosen = _fixed_page(tx, number, rules, rng)
    elif rules.policy == "blocks":
        chosen = _from_list(tx, number, rules, rng)
    else:
        chosen = _fewest(tx, number, rules, rng)
    if not chosen or not rules.checks_per_page:
        return chosen
    sql = f"SELECT u.number, u.live FROM unit u WHERE u.gold IS NOT NULL AND {NEW_TO} ORDER BY u.number"
    checks = [Candidate(*row) for row in tx.all(sql, number)]
    return assign.with_checks(chosen, assign.balanced(checks, rules.checks_per_page, rng), rng)


def _fewest(tx: Transaction, number: int, rules: Rules, rng: np.random.Generator) -> list[Chosen]:
    """Units with the fewest live assignments; the units of a level are counted and drawn by place, never all read."""
    own: dict[int, set[int]] = {}
    for unit, live in tx.all(_OWN, number):
        own.setdefault(live, set()).add(unit)
    chosen: list[Chosen] = []
    for level, size in _levels(tx, rules):
        mine = own.get(level, set())
        wanted = min(rules.page_size - len(chosen), size - len(mine))
        at_level: list[int] = []
        for place in assign.places(size, len(mine), wanted, rng):
            if len(at_level) == wanted:
                break
            row = tx.one(_AT_PLACE, level, place)
            assert row is not None
            if row[0] not in mine:
                at_level.append(row[0])
        chosen += [Chosen(unit, wanted / (size - len(mine))) for unit in at_level]
        if len(chosen) == rules.page_size:
            break
    return [chosen[index] for index in rng.permutation(len(chosen)).tolist()]


_OWN = (
    "SELECT u.number, u.live FROM assignment a JOIN unit u ON u.number = a.unit "
    "WHERE a.annotator = ? AND a.state <> 'released' AND u.gold IS NULL"
)
_AT_PLACE = "SELECT number FROM unit WHERE gold IS NULL AND live = ? ORDER BY number LIMIT 1 OFFSET ?"


def _levels(tx: Transaction, rules: Rules) -> Iterator[tuple[int, int]]:
    """Numbers of live assignments below the cap, from the fewest on, and how many units have each."""
    level = -1
    while True:
        sql = "SELECT min(live) FROM unit WHERE gold IS NULL AND live > ? AND live < ?"
        row = tx.one(sql, level, rules.judgments_per_unit)
        if row is None or row[0] is None:
            return
        level = row[0]
        size = tx.one("SELECT count(*) FROM unit WHERE gold IS NULL AND live = ?", level)
        assert size is not None
        yield level, size[0]


def _candidates(tx: Transaction, number: int, rules: Rules, block: int) -> list[Candidate]:
    """Units of a list that an annotator may still get."""
    sql = (
        "SELECT u.number, u.live, u.stratum FROM unit u "
        f"WHERE u.block = ? AND u.gold IS NULL AND u.live < ? AND {NEW_TO} ORDER BY u.number"
    )
    return [Candidate(*unit) for unit in tx.all(sql, block, rules.judgments_per_unit, number)]


def _from_list(tx: Transaction, number: int, rules: Rules, rng: np.random.Generator) -> list[Chosen]:
    """Units of the annotator's list; the list that lacks most judgments is given with the first page."""
    row = tx.one("SELECT block FROM annotator WHERE number = ?", number)
    assert row is not None
    block, share = row[0], 1.0
    if block is None:
        lists = [
            Group(block, -missing)
            for block, missing in tx.all(
                "SELECT block, sum(? - live) FROM unit WHERE gold IS NULL AND live < ? GROUP BY block",
                rules.judgments_per_unit,
                rules.judgments_per_unit,
            )
        ]
        drawn = assign.group(lists, rng)
        if drawn is None:
            return []
        block, share = drawn
        tx.run("UPDATE annotator SET block = ? WHERE number = ?", block, number)
    seen: Counter[str] = Counter(dict(tx.all(_SEEN, number)))
    chosen = assign.stratified(_candidates(tx, number, rules, block), rules.page_size, seen, rng)
    return [Chosen(unit, share * probability) for unit, probability in chosen]


_SEEN = (
    "SELECT u.stratum, count(*) FROM assignment a JOIN unit u ON u.number = a.unit "
    "WHERE a.annotator = ? AND a.state <> 'released' AND u.gold IS NULL GROUP BY u.stratum"
)


def _fixed_page(tx: Transaction, number: int, rules: Rules, rng: np.random.Generator) -> list[Chosen]:
    pages = [
        Group(block, live)
        for block, live in tx.all(
            "SELECT block, max(live) FROM unit WHERE gold IS NULL AND block NOT IN (SELECT u.block FROM assignment a "
            "JOIN unit u ON u.number = a.unit WHERE a.annotator = ? AND a.state <> 'released' AND u.gold IS NULL) "
            "GROUP BY block HAVING max(live) < ?",
            number,
            rules.judgments_per_unit,
        )
    ]
    drawn = assign.group(pages, rng)
    if drawn is None:
        return []
    block, probability = drawn
    units = [
        row[0] for row in tx.all("SELECT number FROM unit WHERE block = ? AND gold IS NULL ORDER BY number", block)
    ]
    return [Chosen(units[index], probability) for index in rng.permutation(len(units)).tolist()]


def _open(
    tx: Transaction,
    number: int,
    nonce: str,
    place: int,
    chosen: Sequence[Chosen],
    now_in_force: Terms,
    rng: np.random.Generator,
    now: float,
) -> int:
    rules = now_in_force.rules
    (page_number,) = numbers(tx, "page")
    tx.run(
        "INSERT INTO page (number, nonce, annotator, place, state, version, policy, opened, lease_until) "
        "VALUES (?, ?, ?, ?, 'open', ?, ?, ?, ?)",
        page_number,
        nonce,
        number,
        place,
        now_in_force.version,
        rules.policy,
        now,
        now + rules.lease_seconds,
    )
    ids, seeds = numbers(tx, "assignment", len(chosen)), rng.integers(2**31, size=len(chosen)).tolist()
    tx.many(
        "INSERT INTO assignment (number, page, annotator, unit, slot, state, order_seed, probability) "
        "VALUES (?, ?, ?, ?, ?, 'open', ?, ?)",
        [
            (assignment, page_number, number, one.unit, slot, seed, one.probability)
            for slot, (assignment, one, seed) in enumerate(zip(ids, chosen, seeds, strict=True))
        ],
    )
    count(tx, page_number, live=1)
    record(tx, "opened", now, actor=number, page=page_number, units=[one.unit for one in chosen])
    return page_number
