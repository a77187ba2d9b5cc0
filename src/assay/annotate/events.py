"""What happened, as a chain of hashes: a row that is changed, removed or put in later breaks it."""

from __future__ import annotations

import json
import secrets
from typing import Any

from assay.annotate.store.transaction import Transaction, hashed, to_json

# What the first event is chained to.
START = "0" * 64


def record(tx: Transaction, kind: str, now: float, *, actor: int | None = None, **about: Any) -> None:
    """Append an event. `actor` is the number of an annotator, None for the researcher or the server."""
    last = tx.one("SELECT seq, chain FROM event ORDER BY seq DESC LIMIT 1")
    seq, before = (0, START) if last is None else last
    body = to_json({"salt": secrets.token_hex(8), "actor": actor, **about})
    sha = hashed(body)
    tx.run(
        "INSERT INTO event (seq, at, kind, actor, body, body_sha, chain) VALUES (?, ?, ?, ?, ?, ?, ?)",
        seq + 1,
        now,
        kind,
        actor,
        body,
        sha,
        _link(before, seq + 1, now, kind, sha),
    )


def chain_problems(tx: Transaction) -> list[str]:
    """Where the chain is broken. Bodies that `forget` deleted are missing by right, and it says how many."""
    problems, before, expected, deleted, forgotten = [], START, 1, 0, 0
    for seq, at, kind, actor, body, sha, chain in tx.all(
        "SELECT seq, at, kind, actor, body, body_sha, chain FROM event ORDER BY seq"
    ):
        if seq != expected:
            problems.append(f"events {expected} to {seq - 1} are missing.")
        if chain != _link(before, seq, at, kind, sha):
            problems.append(f"event {seq} ({kind}) does not follow from the one before: one of them was changed.")
        if body is None:
            deleted += 1
        elif hashed(body) != sha or json.loads(body)["actor"] != actor:
            problems.append(f"the content of event {seq} ({kind}) was changed.")
        elif kind == "forgotten":
            forgotten += _number_of_events(body)
        before, expected = chain, seq + 1
    if deleted != forgotten:
        problems.append(f"{deleted} events have no content, and people were forgotten from {forgotten}.")
    return problems


def _link(before: str, seq: int, at: float, kind: str, sha: str) -> str:
    return hashed(f"{before} {seq} {at!r} {kind} {sha}")


def _number_of_events(body: str) -> int:
    return int(json.loads(body)["events"])
