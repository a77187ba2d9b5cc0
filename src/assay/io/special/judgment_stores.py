"""Stores of the annotation application as data: the outputs that are judged, with all judgments up to now.

Who may write to a store, and what the tables mean, is said in `assay.annotate.store`; here they are only read, also
while annotators are at work.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from assay.errors import DataError, MissingExtra
from assay.forms.questionnaire import WRITTEN
from assay.records import Dataset

ENDING = ".sqlite"
SCHEMES = ("postgresql://", "postgres://")
# Runs a statement and gives its rows.
Select = Callable[[str], Iterable[tuple[Any, ...]]]

# Answers that count: not open, released or rejected.
JUDGMENTS = (
    "SELECT j.kind, j.unit, j.other, j.criterion, j.value, p.annotator, w.at, a.order_seed, a.probability, "
    "w.ms_visible, w.revision, p.place, a.slot, p.version, j.columns FROM judgment j "
    "JOIN assignment a ON a.number = j.assignment JOIN page p ON p.number = a.page JOIN answer w ON w.page = p.number "
    "WHERE p.state IN ('submitted', 'accepted') ORDER BY p.number, a.slot, j.place"
)
# What each judgment is kept with, after the annotator.
COLUMNS = ("at", "order", "probability", "ms", "revision", "page", "slot", "version")


def is_database(name: str | Path) -> bool:
    """Whether a name is the address of a PostgreSQL database."""
    return str(name).startswith(SCHEMES)


def is_store(name: str | Path) -> bool:
    """Whether a name says that it is a store."""
    return is_database(name) or Path(name).suffix.lower() == ENDING


def read_store(name: str | Path) -> Dataset:
    """The data of a store: texts as they were shown, criteria as they were asked, judgments as they stand."""
    with _selecting(name) as select:
        return stored_dataset(select, shown(name))


def store_state(name: str | Path) -> str:
    """What changes whenever anything in a store does: the last link of its chain of events."""
    with _selecting(name) as select:
        return next((str(chain) for (chain,) in select("SELECT chain FROM event ORDER BY seq DESC LIMIT 1")), "")


def pseudonym(number: int) -> str:
    """The name of an annotator outside the store."""
    return f"a{number}"


def stored_dataset(select: Select, source: str) -> Dataset:
    """Put the records of a store, its criteria and its judgments together."""
    records: list[dict[str, Any]] = [json.loads(body) for (body,) in select("SELECT body FROM record ORDER BY number")]
    rows = list(select(JUDGMENTS))
    if not records and not any(row[0] == WRITTEN for row in rows):
        raise DataError(f"{source}: the study keeps no outputs, and nobody wrote any yet. There is no data to load.")
    first = _first_lines(records)
    written: Counter[tuple[str, int]] = Counter()
    for kind, unit, other, criterion, value, annotator, *how, columns in rows:
        about = {name: cell for name, cell in zip(COLUMNS, how, strict=True) if cell is not None} | json.loads(columns)
        if kind == WRITTEN:
            written[pseudonym(annotator), about["page"]] += 1
            place = written[pseudonym(annotator), about["page"]]
            records.append(_written(unit, criterion, json.loads(value), pseudonym(annotator), place, about))
            continue
        record = first.get((kind, unit))
        if record is None:
            raise DataError(f"{source}: a judgment is about {kind} {unit!r}, which the study does not have.")
        judgment = {"annotator": pseudonym(annotator), "criterion": criterion, "value": json.loads(value)}
        judgment |= ({} if kind == "output" else {"unit": kind}) | ({} if other is None else {"other": other})
        record.setdefault("judgments", []).append(judgment | about)
    for (criteria,) in select("SELECT criteria FROM study"):
        if declared := json.loads(criteria):
            records[0]["criteria"] = declared
    return Dataset.from_records(records, source)


def _first_lines(records: list[dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """The line on which judgments of each unit stand: that of its first output."""
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    for record in records:
        for kind, name in (("output", record["id"]), ("set", record["set"]), ("system", record["system"])):
            lines.setdefault((kind, name), record)
    return lines


def _written(item: str, system: str, text: str, annotator: str, place: int, about: Mapping[str, Any]) -> dict[str, Any]:
    """A text that an annotator wrote, as an output of people; those of one kind for one item are a set.

    Its id is its place on its page, so that it stays whatever becomes of other pages.
    """
    return {
        "id": f"{annotator}.{about['page']}.{place}",
        "item": item,
        "system": system,
        "human": True,
        "set": f"{annotator}.{item}.{system}",
        "text": text,
        "annotator": annotator,
        **about,
    }


@contextmanager
def _selecting(name: str | Path) -> Iterator[Select]:
    if is_database(name):
        with _database(str(name)) as select:
            yield select
        return
    path = Path(name).absolute()
    if not path.is_file():
        raise DataError(f"{name}: no such store. `assay annotate serve` makes one.")
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=30)) as connection:
            connection.execute("BEGIN")
            yield connection.execute
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise DataError(f"{name}: not the store of a study, or damaged ({error}). Restore a backup.") from None


@contextmanager
def _database(url: str) -> Iterator[Select]:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra("a PostgreSQL store", "psycopg", "postgres") from None
    try:
        with psycopg.connect(url, connect_timeout=10) as connection:
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            select: Any = connection.execute
            yield select
    except psycopg.Error as error:
        why = str(error).strip().splitlines()[0]
        raise DataError(f"{shown(url)}: cannot be read as the store of a study ({why}).") from None


def shown(name: str | Path) -> str:
    """The name of a store; that of a database without its password."""
    if not is_database(name):
        return Path(name).name
    scheme, _, rest = str(name).partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}"
