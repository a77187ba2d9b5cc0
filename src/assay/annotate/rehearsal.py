"""A rehearsal of a study with simulated annotators: people, money and hours it takes, and what agreement to expect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from math import ceil
from statistics import median

from assay.annotate.overview import results_by_criterion
from assay.annotate.protocol import Protocol
from assay.annotate.quality import work_of
from assay.annotate.simulated.people import TIE_WIDTH, Assumptions
from assay.annotate.simulated.rehearsing import Rehearsed, rehearse
from assay.part import Bounded, Cell, Part, Table

MEANINGS = {
    "annotators": "annotators who would come, at most",
    "spammers": "share of them who answer at random",
    "leave": "share of them who leave with a page open",
    "noise": "standard deviation of one answer, as a share of the scale",
    "annotator_sd": "standard deviation of leniency between annotators, as a share of the scale",
    "unit_sd": "standard deviation of quality between units, as a share of the scale",
    "item_sd": "standard deviation of quality between items, as a share of the scale",
    "system_sd": "standard deviation of quality between systems, as a share of the scale",
    "slips": "probability that an honest annotator misses a question with a known answer",
    "hurry": "time of a spammer per unit, as a share of that of others",
    "speed_sd": "standard deviation of the logarithm of seconds, of annotators and again of units",
    "arrivals": "annotators who come per hour",
    "seed": "of everything random",
}


def simulate(
    protocol: Protocol,
    *,
    annotators: int = 200,
    spammers: float = 0.1,
    leave: float = 0.1,
    noise: float = 0.15,
    annotator_sd: float = 0.1,
    unit_sd: float = 0.15,
    item_sd: float = 0.1,
    system_sd: float = 0.1,
    slips: float = 0.05,
    hurry: float = 0.5,
    speed_sd: float = 0.3,
    arrivals: float = 60.0,
    seed: int = 0,
) -> Part:
    """Rehearse a study with bots, in a temporary store and in simulated time; the store of the study is not touched.

    An honest annotator sees the quality of a unit, which is that of its system, of its item and its own, through their
    leniency and noise; all are normal. A spammer answers at random. What comes out holds as far as this does.

    Args:
        protocol: of the study.
        annotators: who would come, at most.
        spammers: the share of them who answer at random.
        leave: the share who leave with a page open.
        noise: the standard deviation of one answer, as a share of the width of the scale.
        annotator_sd: of how lenient annotators are, as a share of the scale.
        unit_sd: of the quality of units.
        item_sd: of the quality of items.
        system_sd: of the quality of systems.
        slips: the probability that an honest annotator misses a question with a known answer.
        hurry: the time of a spammer per unit, as a share of that of others.
        speed_sd: the standard deviation of the logarithm of seconds, of annotators and again of units.
        arrivals: annotators who come per hour.
        seed: of everything random; the seed of the protocol decides about pages.
    """
    assumed = Assumptions(
        annotators=annotators,
        spammers=spammers,
        leave=leave,
        noise=noise,
        annotator_sd=annotator_sd,
        unit_sd=unit_sd,
        item_sd=item_sd,
        system_sd=system_sd,
        slips=slips,
        hurry=hurry,
        speed_sd=speed_sd,
        arrivals=arrivals,
        seed=seed,
    )
    done = rehearse(protocol, assumed)
    notes: list[str] = []
    results = results_by_criterion(done.dataset, notes) if len(done.dataset.judgments) else ()
    expected = [part.table(name) for part, name in results]
    agreement = [replace(one, title=f"{one.title} (simulated)") for one in expected if one.name == "agreement"]
    systems = [_widths(table) for table in expected if table.name == "ranking"]
    flags, flagged = _flags(done)
    taken = sum(person.given > 0 for person in done.people.values())
    return Part(
        title=f"Rehearsal: {protocol.title}",
        summary="\n\n".join(
            (
                "All numbers are simulated, under the assumptions below. They are no measurement of people.",
                " ".join(_sentences(done, assumed, taken, flagged)),
            )
        ),
        tables=(*_outcome(done, taken), _units(done), flags, *agreement, *systems, _assumptions(assumed)),
        notes=tuple(notes),
        seed=seed,
        headline={
            "simulated": True,
            "complete": done.progress.complete,
            "annotators": taken,
            "money": done.progress.spent,
            "hours": done.counts.hours_of_work,
            "left": done.counts.left,
            "assumptions": asdict(assumed),
        },
    )


def _stored(done: Rehearsed) -> tuple[int, int]:
    """Answers wanted and stored."""
    strata = done.progress.strata.values()
    return sum(wanted for _, wanted, _ in strata), sum(stored for *_, stored in strata)


def _sentences(
    done: Rehearsed, assumed: Assumptions, taken: int, flagged: dict[bool, tuple[int, int]]
) -> Iterator[str]:
    counts, progress = done.counts, done.progress
    wanted, stored = _stored(done)
    if progress.complete:
        yield (
            f"Every unit gets its judgments, and {taken:,} of {assumed.annotators:,} annotators are needed. Pages left "
            f"open on the way: {counts.left:,}."
        )
    else:
        short = [unit for unit, _, _, have in progress.units if have < wanted // len(progress.units)]
        yield (
            f"{assumed.annotators:,} annotators do not suffice: {len(short):,} of {len(progress.units):,} units lack "
            f"judgments, {wanted - stored:,} of {wanted:,} in all."
        )
        if stored:
            yield f"At this rate it needs about {ceil((wanted - stored) * assumed.annotators / stored):,} more."
    yield (
        f"It takes {counts.hours_of_work:,.1f} hours of work and {progress.spent:,.2f} {progress.currency}; the last "
        f"answer comes {counts.hours_until_the_end:,.1f} hours after the first annotator."
    )
    (caught, spammers), (wrongly, honest) = flagged[True], flagged[False]
    yield f"Flagged: {caught:,} of {spammers:,} spammers who answered, and {wrongly:,} of {honest:,} honest annotators."


def _outcome(done: Rehearsed, taken: int) -> Iterator[Table]:
    counts, progress = done.counts, done.progress
    wanted, stored = _stored(done)
    pages = [person.pages for person in done.people.values() if person.pages]
    numbers: dict[str, Cell] = {
        "answers wanted": wanted,
        "answers": stored,
        "pages given": sum(progress.pages.values()),
        "pages answered": sum(pages),
        "pages left open": counts.left,
        "pages sent too late": counts.late,
        "annotators who came": counts.came,
        "annotators who took a page": taken,
        "annotators who did not pass the test": counts.not_qualified,
        "annotators who found no page": counts.came - taken - counts.not_qualified,
        "most pages of one annotator": max(pages, default=0),
    }
    yield Table("rehearsal", "Annotators and pages (simulated)", ("what", "number"), tuple(numbers.items()))
    costs: dict[str, Cell] = {
        f"money, {progress.currency}": progress.spent,
        "hours of work": counts.hours_of_work,
        "hours from the first annotator to the last answer": counts.hours_until_the_end,
        "pages of one annotator, median": float(median(pages)) if pages else 0.0,
    }
    yield Table("costs", "Money and time (simulated)", ("what", "number"), tuple(costs.items()))


def _units(done: Rehearsed) -> Table:
    """Units of each system by how many answers they got."""
    rows: list[tuple[Cell, ...]] = []
    for stratum in done.progress.strata:
        answers = [stored for _, of, _, stored in done.progress.units if of == stratum]
        rows.append((stratum or "-", len(answers), min(answers), max(answers)))
    header = ("system", "units", "fewest answers", "most answers")
    return Table("units", "Answers about a unit (simulated)", header, tuple(rows))


def _flags(done: Rehearsed) -> tuple[Table, dict[bool, tuple[int, int]]]:
    """Spammers and honest annotators who answered, and those with reasons to look at their answers."""
    works = work_of(done.judgments, done.checks)
    flagged: dict[bool, tuple[int, int]] = {}
    rows: list[tuple[Cell, ...]] = []
    for spams, name in ((True, "spammers"), (False, "honest annotators")):
        own = [one for one in works if done.people[one.annotator].spams == spams]
        caught = sum(bool(one.reasons) for one in own)
        flagged[spams] = caught, len(own)
        checks, passed = sum(one.checks for one in own), sum(one.passed for one in own)
        rows.append((name, len(own), caught, f"{passed} of {checks}" if checks else "-"))
    header = ("who", "answered", "flagged", "checks passed")
    return Table("flags", "Annotators to look at (simulated)", header, tuple(rows)), flagged


def _widths(ranking: Table) -> Table:
    """The score of each system with the width of its interval."""
    place = {name: ranking.header.index(name) for name in ("evaluator", "system", "score", "cluster")}
    rows: list[tuple[Cell, ...]] = []
    for row in ranking.rows:
        evaluator, system, score, cluster = (row[at] for at in place.values())
        width = score.high - score.low if isinstance(score, Bounded) else None
        rows.append((evaluator, system, score, width, cluster))
    header = ("evaluator", "system", "score", "width of the interval", "cluster")
    return Table("systems", "Scores of systems (simulated)", header, tuple(rows), ranking.note)


def _assumptions(assumed: Assumptions) -> Table:
    values: list[tuple[Cell, ...]] = [(name, f"{value:g}", MEANINGS[name]) for name, value in asdict(assumed).items()]
    note = (
        "Qualities, leniency and noise are normal and independent, around the middle of the scale. Who finds no page "
        "asks again after the time of a lease, and who sends one too late goes. Two texts closer "
        f"than {TIE_WIDTH:g} of the scale are a tie, where that is an answer; a listener finds what is meant if the "
        "quality seen is above one over the number of choices, and else guesses; a text has 3 errors at the lowest "
        "quality and none at the highest."
    )
    return Table("assumptions", "Assumptions", ("assumption", "value", "meaning"), tuple(values), note)
