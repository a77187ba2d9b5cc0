"""Making a study, its protocol and its units."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from hashlib import sha256
from typing import Any

import numpy as np

from assay.annotate.assign import latin_blocks, page_blocks
from assay.annotate.events import record
from assay.annotate.records import Rules, StoreError, Unit
from assay.annotate.store.migrate import SCHEMA_VERSION
from assay.annotate.store.transaction import Transaction, hashed, numbers, to_json

# What an answer to a criterion means; its wording may change.
SCALE = ("low", "high", "labels", "unit")

RECORDS_ADDED = "records added"


@dataclass(frozen=True)
class Terms:
    """The protocol in force."""

    version: int
    sha: str
    rules: Rules
    paused: bool


@dataclass(frozen=True)
class Material:
    """What is judged: units to ask about, the data they come from as flat records, and the criteria."""

    units: Sequence[Unit]
    records: Iterable[Mapping[str, Any]] = ()
    criteria: Mapping[str, Mapping[str, Any]] | None = None


def create(tx: Transaction, study: str, text: str, sha: str, rules: Rules, material: Material, now: float) -> None:
    """Fill an empty store."""
    tx.run(
        "INSERT INTO study (id, schema_version, created, criteria) VALUES (?, ?, ?, ?)",
        study,
        SCHEMA_VERSION,
        now,
        to_json(material.criteria or {}),
    )
    record(tx, "created", now, study=study)
    _add_records(tx, material.records, 0, now)
    _protocol(tx, 1, text, sha, rules, now)
    add_units(tx, material.units, rules, now)


def terms(tx: Transaction) -> Terms:
    """The protocol in force."""
    row = tx.one("SELECT version, sha, rules FROM protocol ORDER BY version DESC LIMIT 1")
    study = tx.one("SELECT paused FROM study")
    if row is None or study is None:
        raise StoreError("the store holds no study. Restore a backup, or make a new one.")
    version, sha, rules = row
    return Terms(version, sha, Rules(**json.loads(rules)), bool(study[0]))


def identity(tx: Transaction) -> str:
    """The name of the study: `assay-` and random digits."""
    row = tx.one("SELECT id FROM study")
    if row is None:
        raise StoreError("the store holds no study. Restore a backup, or make a new one.")
    return f"assay-{row[0]}"


def prices(tx: Transaction) -> dict[int, Decimal]:
    """What a page pays under each version of the protocol."""
    rows = tx.all("SELECT version, rules FROM protocol")
    return {version: Decimal(repr(json.loads(rules)["price_per_page"])) for version, rules in rows}


def protocol_text(tx: Transaction, version: int | None = None) -> str:
    """A version of the protocol, word for word; by default the one in force."""
    row = tx.one("SELECT text FROM protocol WHERE version = ?", version or terms(tx).version)
    return "" if row is None else str(row[0])


def amend(
    tx: Transaction, text: str, sha: str, rules: Rules, now: float, material: Material | None = None
) -> tuple[int, int]:
    """Put another protocol in force, as a new version, with what it asks about; the same one again changes nothing.

    Return the version, and how many units are new.
    """
    before = terms(tx)
    if sha == before.sha and rules == before.rules:
        return before.version, 0
    fixed = ("policy", "currency", "page_size") if before.rules.policy == "pages" else ("policy", "currency")
    for name in fixed:
        if getattr(rules, name) != getattr(before.rules, name):
            was, is_now = getattr(before.rules, name), getattr(rules, name)
            raise StoreError(
                f"{name} was {was!r} when the study began, and is {is_now!r} now. "
                "The design of a study cannot change after its start: begin another one."
            )
    _protocol(tx, before.version + 1, text, sha, rules, now)
    return before.version + 1, 0 if material is None else _add_material(tx, material, rules, now)


def extend(tx: Transaction, judgments_per_unit: int, now: float) -> None:
    """Ask for another number of judgments of each unit: a new version of the protocol in force."""
    before = terms(tx)
    rules = replace(before.rules, judgments_per_unit=judgments_per_unit)
    amend(tx, protocol_text(tx), before.sha, rules, now)


def _add_material(tx: Transaction, material: Material, rules: Rules, now: float) -> int:
    """Add the units, records and criteria that are new, so that every judgment finds what it is about."""
    known = [json.loads(body)["id"] for (body,) in tx.all("SELECT body FROM record ORDER BY number")]
    seen = set(known)
    fresh = [body for body in material.records if body["id"] not in seen]
    _add_records(tx, fresh, len(known), now)
    row = tx.one("SELECT criteria FROM study")
    before, criteria = {} if row is None else json.loads(row[0]), material.criteria or {}
    for name in before.keys() & criteria.keys():
        if any(before[name].get(key) != json.loads(to_json(criteria[name].get(key))) for key in SCALE):
            raise StoreError(
                f"the scale of the criterion {name!r} is not the one that the study began with. "
                "Answers on two scales cannot be compared: give the criterion a new name."
            )
    tx.run("UPDATE study SET criteria = ?", to_json({**before, **criteria}))
    return add_units(tx, material.units, rules, now)


def _add_records(tx: Transaction, records: Iterable[Mapping[str, Any]], before: int, now: float) -> None:
    """Keep texts for the export, and the hash of them all in an event."""
    digest, n = sha256(), 0
    for n, body in enumerate(map(to_json, records), 1):
        digest.update(f"{body}\n".encode())
        tx.run("INSERT INTO record (number, body) VALUES (?, ?)", before + n, body)
    if n:
        record(tx, RECORDS_ADDED, now, first=before + 1, n=n, sha=digest.hexdigest())


def add_units(tx: Transaction, units: Sequence[Unit], rules: Rules, now: float) -> int:
    """Add units that are new; return how many. A unit whose content differs from the stored one is an error."""
    known: dict[str, str] = dict(tx.all("SELECT id, sha FROM unit"))
    bodies = [unit_body(unit) for unit in units]
    problems = [
        f"unit {unit.id!r} is in the study with another content. A changed text is another unit: give it a new id."
        for unit, body in zip(units, bodies, strict=True)
        if known.get(unit.id, hashed(body)) != hashed(body)
    ]
    if problems:
        raise StoreError("\n".join(problems[:20]))
    repeated = [name for name, n in Counter(unit.id for unit in units).items() if n > 1]
    if repeated:
        raise StoreError(f"{len(repeated)} unit ids are given twice, as {repeated[0]!r}. Each unit needs its own.")
    fresh = [place for place, unit in enumerate(units) if unit.id not in known]
    if not fresh:
        return 0
    counted = [place for place in fresh if units[place].gold is None]
    blocks = dict(zip(counted, _blocks(tx, [units[place] for place in counted], rules), strict=True))
    tx.many(
        "INSERT INTO unit (number, id, kind, payload, sha, gold, item, stratum, block) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                number,
                units[place].id,
                units[place].kind,
                to_json(units[place].payload),
                hashed(bodies[place]),
                None if units[place].gold is None else to_json(units[place].gold),
                units[place].item,
                units[place].stratum,
                blocks.get(place, -1),
            )
            for number, place in zip(numbers(tx, "unit", len(fresh)), fresh, strict=True)
        ],
    )
    record(tx, "units added", now, n=len(fresh), sha=hashed("\n".join(bodies[place] for place in fresh)))
    return len(fresh)


def unit_body(unit: Unit) -> str:
    """All that a unit says, as it is hashed."""
    return to_json([unit.kind, unit.payload, unit.gold, unit.item, unit.stratum])


def pause(tx: Transaction, paused: bool, now: float) -> None:
    """Stop or go on giving new pages; open ones may be submitted."""
    if terms(tx).paused != paused:
        tx.run("UPDATE study SET paused = ?", int(paused))
        record(tx, "paused" if paused else "resumed", now)


def _protocol(tx: Transaction, version: int, text: str, sha: str, rules: Rules, now: float) -> None:
    tx.run(
        "INSERT INTO protocol (version, at, sha, text, rules) VALUES (?, ?, ?, ?, ?)",
        version,
        now,
        sha,
        text,
        to_json(asdict(rules)),
    )
    record(tx, "protocol", now, version=version, sha=sha, rules=asdict(rules))


def _blocks(tx: Transaction, units: Sequence[Unit], rules: Rules) -> list[int]:
    """The list or fixed page of each unit; units added later begin new pages."""
    if rules.policy == "blocks":
        return latin_blocks(units)
    if rules.policy == "pages":
        used = tx.one("SELECT coalesce(max(block), -1) + 1, count(*) FROM unit")
        assert used is not None
        rng = np.random.default_rng([rules.seed, used[1]])
        return [int(used[0]) + block for block in page_blocks(len(units), rules.page_size, rng)]
    return [0] * len(units)
