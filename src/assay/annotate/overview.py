"""How a study stands: progress, money, time, annotators, agreement and the systems so far, as one result.

Agreement and scores come from the functions behind `assay agree` and `assay compare`, on the data as an export would
write it now, so that live numbers are those of the export to the bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median

import numpy as np

from assay.analyses.agree import agree
from assay.analyses.compare import compare
from assay.annotate.quality import Work, work_of
from assay.annotate.records import Progress, StoredJudgment
from assay.errors import AssayError
from assay.part import Cell, Part, Table
from assay.records import Dataset


def overview(
    title: str,
    progress: Progress,
    judgments: Iterable[StoredJudgment],
    checks: Mapping[str, Sequence[tuple[str, bool]]],
    dataset: Dataset,
) -> Part:
    """Report how a study stands.

    Args:
        title: of the study.
        progress: of its service.
        judgments: all that count.
        checks: per annotator, the checks answered and whether each was passed.
        dataset: the data with these judgments.
    """
    works = work_of(judgments, checks)
    wanted = sum(wanted for _, wanted, _ in progress.strata.values())
    stored = sum(stored for _, _, stored in progress.strata.values())
    suspicious = [one.annotator for one in works if one.reasons]
    sentences = [
        f"{stored:,} of {wanted:,} answers are in{' and the study is paused' if progress.paused else ''}.",
        f"{progress.spent:,.2f} {progress.currency} are spent, about {progress.to_come:,.2f} are to come.",
    ]
    if progress.seconds:
        sentences.append(f"A page takes {median(progress.seconds):,.0f} seconds, by the median.")
    if suspicious:
        sentences.append(f"Look at the answers of {', '.join(suspicious[:10])}.")
    notes: list[str] = []
    live = [*results_by_criterion(dataset, notes)] if len(dataset.judgments) else []
    return Part(
        title=title,
        summary=" ".join(sentences),
        numbers=tuple(number for part, _ in live for number in part.numbers),
        tables=(
            _progress_table(progress),
            *_unit_tables(progress),
            *_annotator_tables(works),
            *(part.table(name) for part, name in live),
        ),
        notes=tuple(notes),
    )


def _progress_table(progress: Progress) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (stratum or "-", units, wanted, stored, round(100 * stored / wanted, 1) if wanted else 100.0)
        for stratum, (units, wanted, stored) in progress.strata.items()
    ]
    return Table("progress", "Progress", ("system", "units", "answers wanted", "answers", "percent"), tuple(rows))


def _unit_tables(progress: Progress) -> Iterator[Table]:
    """Units that lack answers, those with the fewest first."""
    lacking = sorted((stored, live, unit, stratum) for unit, stratum, live, stored in progress.units)
    if lacking and not progress.complete:
        rows: list[tuple[Cell, ...]] = [
            (unit, stratum or "-", stored, live - stored) for stored, live, unit, stratum in lacking
        ]
        header = ("unit", "system", "answers", "being answered")
        yield Table("units", "Units, fewest answers first", header, tuple(rows))


def _annotator_tables(works: Sequence[Work]) -> Iterator[Table]:
    if not works:
        return
    rows: list[tuple[Cell, ...]] = [
        (
            one.annotator,
            one.pages,
            one.answers,
            one.seconds,
            f"{one.passed} of {one.checks}" if one.checks else "-",
            one.top_share,
            "; ".join(one.reasons),
        )
        for one in works
    ]
    header = ("annotator", "pages", "answers", "seconds each", "checks passed", "top answer", "look at")
    yield Table("annotators at work", "Annotators at work", header, tuple(rows))


def results_by_criterion(dataset: Dataset, notes: list[str]) -> Iterator[tuple[Part, str]]:
    """Agreement on every criterion, and systems by each that is about outputs, each with the name of its table to show.

    What cannot be computed yet is noted.
    """
    try:
        agreement = agree(dataset)
        notes.extend(agreement.notes)
        yield agreement, "agreement"
    except AssayError as error:
        notes.append(f"Agreement: {error}")
    outputs = dataset.judgments.about("output")
    evaluators = [
        f"human(criterion={name!r})" for name in outputs.criteria if not np.isnan(outputs.of(name).value).all()
    ]
    if evaluators and len(dataset.systems) > 1:
        try:
            ranked = compare(dataset, evaluators)
            notes.extend(ranked.notes)
            yield ranked, "ranking"
        except AssayError as error:
            notes.append(f"Systems: {error}")
