"""How a study stands and whom to pay, read from its store while it may be served."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from assay.annotate.methods import codebook, methods_paragraph
from assay.annotate.operations import results, study
from assay.annotate.operations.payroll import payroll
from assay.annotate.overview import overview
from assay.annotate.panel_map import PanelMap
from assay.annotate.panels.payments import Payments, payments, write_payments
from assay.annotate.protocol import Protocol
from assay.annotate.records import Progress, StoredJudgment
from assay.annotate.store import Transaction, open_store, store_of
from assay.annotate.store.sqlite import reading
from assay.io import load
from assay.io.special.judgment_stores import is_database
from assay.io.toml import parse_toml
from assay.part import Part

T = TypeVar("T")


def status(protocol: Protocol, *, store: str | None = None) -> Part:
    """Report how a study stands: progress, money, time, annotators, agreement and systems so far.

    Args:
        protocol: of the study.
        store: the path of its SQLite file, or `postgresql://...`; by default a file beside the protocol.
    """
    return standing(store_of(protocol.path, store))


def standing(where: str) -> Part:
    """Report how the study in a store stands, under the title of the protocol in force."""
    (progress, judgments, checks), text = _read(where, lambda tx: (_collected(tx), study.protocol_text(tx)))
    title = str(parse_toml(text, "the protocol").get("title", "A study"))
    return overview(title, progress, judgments, checks, load(where))


def pay(protocol: Protocol, output: str | Path, *, base: float = 0.0, store: str | None = None) -> Payments:
    """Write files for paying annotators of a panel: whom to approve, whom to reject, and bonuses.

    Args:
        protocol: of the study.
        output: a folder for the files.
        base: what the panel pays for an approved participation by itself.
        store: as in `status`.
    """
    where = store_of(protocol.path, store)
    payees, name = _read(where, lambda tx: (payroll(tx), study.identity(tx)))
    result = payments(payees, PanelMap(Path(name if is_database(where) else where)).people(), base)
    write_payments(result, Path(output))
    return result


def notes_of(protocol: Protocol, where: str) -> str:
    """A methods paragraph and a codebook of a study, as Markdown."""
    (progress, judgments, checks), terms = _read(where, lambda tx: (_collected(tx), study.terms(tx)))
    protocol = replace(protocol, rules=terms.rules)  # the researcher may have asked for more judgments since
    return (
        f"{codebook(protocol, judgments)}\n## Methods\n\n{methods_paragraph(protocol, progress, judgments, checks)}\n"
    )


def _collected(tx: Transaction) -> tuple[Progress, list[StoredJudgment], dict[str, list[tuple[str, bool]]]]:
    return results.progress(tx), results.judgments(tx), results.checks_of(results.pages(tx))


def _read(where: str, operation: Callable[[Transaction], T]) -> T:
    if not is_database(where):
        with reading(Path(where)) as tx:
            return operation(tx)
    store = open_store(where)
    try:
        return store.read(operation)
    finally:
        store.close()
