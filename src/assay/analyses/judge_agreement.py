"""Several judges in one table: with people, with each other, and against what people reach themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan, nan

from assay.analyses.words import interval, listed
from assay.metaeval.estimate import Estimate
from assay.metaeval.probes.agreement import JudgesAgreement
from assay.part import Bounded, Cell, Number, Table


def agreement_numbers(found: JudgesAgreement, origin: str) -> Iterator[Number]:
    """Every correlation, and what people reach."""
    for judge, one in found.with_people.items():
        yield _number("r with people", one, origin, {"judge": judge, "share_of_ceiling": found.share(judge)})
    for (judge, other), one in found.with_each_other.items():
        yield _number("r with another judge", one, origin, {"judge": judge, "other": other})
    yield _number("r of a person with the others", found.person, origin, {})
    yield _number("ceiling", found.ceiling, origin, {})


def _number(name: str, one: Estimate, origin: str, about: Mapping[str, object]) -> Number:
    reason = one.reason or ("no interval" if isnan(one.low) else "")
    return Number(name, one.value, one.n, origin, 0, one.low, one.high, reason, dict(about))


def agreement_tables(found: JudgesAgreement) -> Iterator[Table]:
    """A row per judge, people below; and a row for every two judges."""
    order = sorted(found.with_people, key=lambda judge: -_or_least(found.with_people[judge].value))
    rows: list[tuple[Cell, ...]] = [
        (
            judge,
            _bounded(found.with_people[judge]),
            found.share(judge),
            found.with_people[judge].n,
            found.with_people[judge].reason,
        )
        for judge in order
    ]
    share = found.person.value / found.ceiling.value if found.ceiling.value > 0 else nan
    rows.append(("a person, with the others", _bounded(found.person), share, found.person.n, found.person.reason))
    rows.append(("the ceiling", _bounded(found.ceiling), 1.0, found.ceiling.n, found.ceiling.reason))
    note = (
        "The ceiling is the r with the mean of people of a judge that knew what people say on average. n is outputs, "
        "and people in the row of a person."
    )
    header = ("judge", "r with people", "share of the ceiling", "n", "note")
    yield Table("probe_agreement", "Judges and people", header, tuple(rows), note)
    if found.with_each_other:
        pairs: list[tuple[Cell, ...]] = [
            (judge, other, _bounded(one), one.n, one.reason) for (judge, other), one in found.with_each_other.items()
        ]
        yield Table("probe_judges", "Judges with each other", ("judge", "other", "r", "n", "note"), tuple(pairs))


def agreement_sentences(found: JudgesAgreement, criterion: str) -> Iterator[str]:
    """How far each judge goes with people, beside a person and the ceiling."""
    known = {judge: one for judge, one in found.with_people.items() if not isnan(one.low)}
    if not known:
        return
    ordered = sorted(known, key=lambda judge: -known[judge].value)
    said = listed(
        [f"{judge} {known[judge].value:.2f} ({interval(known[judge].low, known[judge].high)})" for judge in ordered]
    )
    people = [
        *([f"a person reaches {found.person.value:.2f}"] if not isnan(found.person.value) else []),
        *([f"the ceiling is {found.ceiling.value:.2f}"] if not isnan(found.ceiling.value) else []),
    ]
    yield f"Correlation with people's {criterion}: {said}{'; ' if people else ''}{', '.join(people)}."


def _bounded(one: Estimate) -> Bounded:
    return Bounded(one.value, one.low, one.high)


def _or_least(value: float) -> float:
    return -2.0 if isnan(value) else value
