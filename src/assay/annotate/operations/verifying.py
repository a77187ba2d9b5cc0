"""Whether a store is consistent: the chain of events, answers against judgments, counters and caps."""

from __future__ import annotations

import json
from typing import Any

from assay.annotate.events import chain_problems
from assay.annotate.operations.answers import stored_judgments
from assay.annotate.operations.leases import COUNTED
from assay.annotate.operations.pages import stored_unit
from assay.annotate.operations.study import RECORDS_ADDED, unit_body
from assay.annotate.store.transaction import Transaction, hashed, to_json
from assay.io.special.judgment_stores import pseudonym


def verify(tx: Transaction) -> list[str]:
    """Everything that is wrong, one sentence each."""
    return [*chain_problems(tx), *_protocols(tx), *_units(tx), *_records(tx), *_answers(tx), *_counters(tx)]


def _protocols(tx: Transaction) -> list[str]:
    said = {}
    for body in _bodies(tx, "protocol"):
        said[body["version"]] = body["sha"]
    return [
        f"version {version} of the protocol is not the one that was recorded."
        for version, sha in tx.all("SELECT version, sha FROM protocol ORDER BY version")
        if said.get(version) != sha
    ]


def _units(tx: Transaction) -> list[str]:
    rows = tx.all("SELECT sha, id, kind, payload, item, stratum, gold FROM unit ORDER BY number")
    return [
        f"the content of unit {about[0]!r} was changed."
        for sha, *about in rows
        if hashed(unit_body(stored_unit(*about))) != sha
    ]


def _records(tx: Transaction) -> list[str]:
    """The texts kept for the export, as they were added; stores of an older assay have no hash of them."""
    added = _bodies(tx, RECORDS_ADDED)
    if not added:
        return []
    sql = "SELECT number, body FROM record WHERE number >= ?"
    bodies: dict[int, str] = dict(tx.all(sql, added[0]["first"]))
    problems = []
    for one in added:
        kept = [bodies.pop(number, "") for number in range(one["first"], one["first"] + one["n"])]
        if hashed("".join(f"{body}\n" for body in kept)) != one["sha"]:
            problems.append(f"the {one['n']} texts kept for the export were changed.")
    return problems + ([f"{len(bodies)} texts kept for the export were never added."] if bodies else [])


def _answers(tx: Transaction) -> list[str]:
    """Each answer is as it was recorded, its judgments are, and none that was recorded is missing."""
    recorded: dict[int, tuple[str, str]] = {}
    for kind in ("submitted", "revised"):
        for body in _bodies(tx, kind):
            recorded[body["page"]] = (body["body_sha"], body["judgments_sha"])
    problems = []
    for page, annotator, state, body, body_sha, judgments_sha in tx.all(
        "SELECT p.number, p.annotator, p.state, w.body, w.body_sha, w.judgments_sha FROM page p "
        "LEFT JOIN answer w ON w.page = p.number ORDER BY p.number"
    ):
        where = f"page {page} of {pseudonym(annotator)}"
        said = recorded.pop(page, None)
        if body is None:
            if state not in ("open", "released") or said is not None:
                problems.append(f"{where} is {state}, and its answer is missing.")
        elif state in ("open", "released"):
            problems.append(f"{where} is {state}, and has an answer.")
        elif hashed(body) != body_sha or said is None or said[0] != body_sha:
            problems.append(f"the answer to {where} was changed.")
        elif hashed(to_json(stored_judgments(tx, page))) != judgments_sha or said[1] != judgments_sha:
            problems.append(f"the judgments of {where} were changed.")
    return problems + [f"page {page} was answered, and is gone." for page in recorded]


def _counters(tx: Transaction) -> list[str]:
    problems = [f"the counters of unit {row[0]} are wrong." for row in tx.all(COUNTED) if row[1:3] != row[3:5]]
    caps = [json.loads(rules)["judgments_per_unit"] for (rules,) in tx.all("SELECT rules FROM protocol")]
    for unit, live in tx.all("SELECT id, live FROM unit WHERE gold IS NULL AND live > ? ORDER BY number", max(caps)):
        problems.append(f"unit {unit!r} has {live} assignments, more than {max(caps)}.")
    return problems


def _bodies(tx: Transaction, kind: str) -> list[dict[str, Any]]:
    return [
        json.loads(body)
        for (body,) in tx.all("SELECT body FROM event WHERE kind = ? AND body IS NOT NULL ORDER BY seq", kind)
    ]
