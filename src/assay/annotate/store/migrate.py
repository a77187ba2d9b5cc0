"""The version of the tables: an older store is brought up to date when it is opened, a newer one is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from assay.annotate.events import record
from assay.annotate.records import StoreError
from assay.annotate.store.transaction import Transaction

SCHEMA_VERSION = 2
# From a version to the next: statements that both databases understand. New columns come last, as in the schema.
STEPS: Mapping[int, Sequence[str]] = {
    1: (
        "DROP INDEX unit_by_need",
        "CREATE INDEX unit_by_need ON unit (live, gold, number) WHERE gold IS NULL",
    )
}


def migrate(
    tx: Transaction, now: float, *, steps: Mapping[int, Sequence[str]] = STEPS, wanted: int = SCHEMA_VERSION
) -> int:
    """Bring the tables up to date, all steps or none; return the version they had."""
    row = tx.one("SELECT schema_version FROM study")
    if row is None:
        raise StoreError("the store holds no study. Restore a backup, or make a new one.")
    version = int(row[0])
    if version > wanted:
        raise StoreError(f"the store has version {version}, and this assay knows {wanted}. Install a newer assay.")
    for step in range(version, wanted):
        for statement in steps[step]:
            tx.run(statement)
    if version < wanted:
        tx.run("UPDATE study SET schema_version = ?", wanted)
        record(tx, "migrated", now, since=version, to=wanted)
    return version
