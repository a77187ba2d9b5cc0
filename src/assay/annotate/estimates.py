"""What a study costs and takes, from its protocol and its data alone."""

from __future__ import annotations

from collections import Counter
from math import ceil

from assay.annotate.protocol import Protocol
from assay.part import Cell, Part, Table


def check(protocol: Protocol) -> Part:
    """Count the units, pages, money and hours of a study. Reading the protocol has found its mistakes before.

    Args:
        protocol: as read by `read_protocol`.
    """
    units = protocol.units(protocol.dataset())
    asked = [unit for unit in units if unit.gold is None]
    rules = protocol.rules
    answers = len(asked) * rules.judgments_per_unit
    fixed = rules.judgments_per_unit * ceil(len(asked) / rules.page_size)
    pages = fixed if rules.policy == "pages" else ceil(answers / rules.page_size)
    seconds_of_page = (rules.page_size + rules.checks_per_page) * protocol.seconds_per_unit
    money = pages * rules.price_per_page
    hours = (answers + pages * rules.checks_per_page) * protocol.seconds_per_unit / 3600
    each = rules.max_pages_per_annotator or ceil(len(asked) / rules.page_size)
    people = max(rules.judgments_per_unit, ceil(pages / each))
    wage = rules.price_per_page / (seconds_of_page / 3600)
    values = {
        "units": float(len(asked)),
        "judgments per unit": float(rules.judgments_per_unit),
        "answers": float(answers),
        "pages": float(pages),
        "annotators, at least": float(people),
        f"money, {rules.currency}": money,
        "hours": hours,
        f"{rules.currency} per hour of work": wage,
    }
    rows: tuple[tuple[Cell, ...], ...] = tuple((name, round(value, 2)) for name, value in values.items())
    strata = Counter(unit.stratum for unit in asked)
    summary = (
        f"{protocol.path.name} is a valid protocol of the form {protocol.form.name!r}: "
        f"{len(asked)} units, {rules.judgments_per_unit} judgments of each, {rules.page_size} on a page. "
        f"That is {pages} pages, about {hours:.1f} hours of work and {money:,.2f} {rules.currency}.\n\n"
        f"Content hash: {protocol.sha[:16]}"
    )
    notes = []
    if rules.price_per_page == 0:
        notes.append("[payment] per_page is 0: annotators are not paid.")
    if pages > people * each:
        notes.append(f"{people} annotators answer at most {people * each} pages, and {pages} are needed.")
    return Part(
        title=protocol.title,
        summary=summary,
        tables=(
            Table("estimates", "What it takes", ("what", "number"), rows),
            Table("strata", "Units", ("system", "units"), tuple((name or "-", n) for name, n in strata.items())),
        ),
        notes=tuple(notes),
        seed=rules.seed,
        headline={"units": len(asked), "pages": pages, "money": money, "hours": hours, "sha": protocol.sha},
    )
