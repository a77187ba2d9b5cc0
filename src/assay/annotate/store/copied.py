"""A whole study from one store to another, of whatever kind."""

from __future__ import annotations

from assay.annotate.store.transaction import Transaction

# In an order in which every row finds what it refers to.
TABLES = (
    "study",
    "protocol",
    "counter",
    "record",
    "unit",
    "annotator",
    "session",
    "stage",
    "page",
    "assignment",
    "answer",
    "answer_old",
    "judgment",
    "event",
)


def copy_tables(source: Transaction, target: Transaction) -> None:
    """Copy every row into empty tables, with its number."""
    for table in TABLES:
        rows = source.all(f"SELECT * FROM {table}")
        if rows:
            target.many(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
