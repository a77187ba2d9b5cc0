"""Scores of systems over several studies: checkpoints of a training run, releases, dates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np

from assay.analyses.names import plain_name
from assay.analyses.words import listed
from assay.errors import AssayError, did_you_mean
from assay.grammar import without_origin
from assay.io.study_results import StudyResults, load_results
from assay.io.trackers import export, metric_name
from assay.part import Cell, Number, Part, Picture, Table
from assay.plot import Figure

CHANGING = "the changing system"
"""Of studies that have one system each that the others lack, such as checkpoint-100 and checkpoint-200."""

NOT_SCORES = {"examples", "health"}
MOST_CURVES = 8

Series = dict[str, list[Number | None]]
"""By system, the number of each study, None where it has none."""


def track(
    studies: Sequence[str | Path],
    *,
    measures: Sequence[str] = (),
    systems: Sequence[str] = (),
    title: str = "Over time",
) -> Part:
    """Draw the scores of systems over studies, in the order given, with their intervals.

    Args:
        studies: output folders of `assay run`, or their results.json.
        measures: evaluators, `huse`, `huse_q`, `huse_d`, ...; by default all that two studies or more have.
        systems: by default those of all studies, and the one that each study has beside them.
        title: of the result.
    """
    if len(studies) < 2:
        raise AssayError("a curve needs two studies or more.")
    results = [load_results(path) for path in studies]
    labels = _labels(results)
    tracked = _tracked([_scores(result) for result in results])
    chosen = _chosen(tracked, measures, systems)
    numbers = [
        _labeled(number, labels[at], system, measure)
        for measure, series in chosen.items()
        for system, row in series.items()
        for at, number in enumerate(row)
        if number is not None
    ]
    return Part(
        title=title,
        summary=f"{len(labels)} studies: {listed(labels)}. Intervals are those of each study; a curve joins the same "
        "system in all of them.",
        numbers=tuple(numbers),
        tables=(_table(numbers),),
        pictures=tuple(_picture(measure, series, labels) for measure, series in chosen.items()),
        methods=tuple(dict.fromkeys(number.signature for number in numbers)),
        notes=tuple(_notes(chosen, labels)),
        headline={"studies": labels},
    )


def export_track(part: Part, tracker: str, project: str = "assay") -> int:
    """Write the curves of `track` to an installed experiment tracker, a step per study; return the number of metrics.

    Args:
        part: the result of `track`.
        tracker: wandb or mlflow.
        project: of Weights & Biases; the experiment of MLflow.
    """
    labels: list[str] = part.headline["studies"]
    points: list[dict[str, float]] = [{} for _ in labels]
    for number in part.numbers:
        system = number.about.get("series") or number.about["system"]
        own = points[labels.index(number.about["study"])]
        for name, value in (("", number.value), ("low", number.low), ("high", number.high)):
            if not isnan(value):
                own[metric_name(number.about["measure"], system, name)] = value
    export(tracker, project, part.title, labels, points)
    return len({name for own in points for name in own})


def _labels(results: Sequence[StudyResults]) -> list[str]:
    """The name of each folder, or its whole path where two have the same name."""
    paths = [result.path if result.path.is_dir() else result.path.parent for result in results]
    names = [path.resolve().name for path in paths]
    if len(set(names)) < len(names):
        names = [str(path) for path in paths]
    if len(set(names)) < len(names):
        raise AssayError("the same study is given twice.")
    return names


def _scores(result: StudyResults) -> dict[str, dict[str, Number]]:
    """The numbers about systems, by measure and system; a measure that several steps have counts once."""
    scores: dict[str, dict[str, Number]] = {}
    for step, numbers in result.steps.items():
        for number in numbers if step not in NOT_SCORES else ():
            if "system" in number.about:
                measure = str(number.about["evaluator"]) if number.name == "score" else number.name
                scores.setdefault(measure, {}).setdefault(str(number.about["system"]), number)
    return scores


def _tracked(scores: Sequence[Mapping[str, Mapping[str, Number]]]) -> dict[str, Series]:
    """Line up the studies: the systems that several have, and the one that only each itself has."""
    tracked: dict[str, Series] = {}
    for measure in dict.fromkeys(name for one in scores for name in one):
        by_study = [one.get(measure, {}) for one in scores]
        if sum(map(bool, by_study)) < 2:
            continue
        systems = dict.fromkeys(system for one in by_study for system in one)
        shared = [system for system in systems if sum(system in one for one in by_study) > 1]
        series: Series = {system: [one.get(system) for one in by_study] for system in shared}
        alone = [[number for system, number in one.items() if system not in shared] for one in by_study]
        if all(len(own) == 1 for own in alone):
            series[CHANGING] = [own[0] for own in alone]
        if series:
            tracked[measure] = series
    return tracked


def _chosen(tracked: Mapping[str, Series], measures: Sequence[str], systems: Sequence[str]) -> dict[str, Series]:
    if not tracked:
        raise AssayError("no two of the studies have a score of the same system by the same evaluator.")
    known = list(dict.fromkeys(system for series in tracked.values() for system in series))
    for name, names in [*((name, list(tracked)) for name in measures), *((name, known) for name in systems)]:
        if name not in names:
            raise AssayError(f"no two of the studies have {name!r}.{did_you_mean(name, names)}")
    return {
        measure: {name: row for name, row in series.items() if not systems or name in systems}
        for measure, series in tracked.items()
        if not measures or measure in measures
    }


def _labeled(number: Number, label: str, system: str, measure: str) -> Number:
    about = {"study": label, "measure": measure, **number.about}
    if system == CHANGING:
        about["series"] = CHANGING
    return replace(number, about=about)


def _table(numbers: Sequence[Number]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (n.about["measure"], n.about["system"], n.about["study"], n.cell, n.n, n.reason) for n in numbers
    ]
    return Table("track", "Scores by study", ("measure", "system", "study", "score", "n", "note"), tuple(rows))


def _picture(measure: str, series: Series, labels: Sequence[str]) -> Picture:
    figure = Figure(f"{measure} over studies", "study", measure, x_categories=labels)
    for color, (system, row) in enumerate(list(series.items())[:MOST_CURVES]):
        known = [(at, number) for at, number in enumerate(row) if number is not None and not isnan(number.value)]
        places = np.array([at for at, _ in known], np.float64)
        bounded = np.array([(number.low, number.high) for _, number in known], np.float64).reshape(-1, 2)
        has_interval = ~np.isnan(bounded).any(axis=1)
        if has_interval.any():
            figure.band(places[has_interval], *bounded[has_interval].T, color=color)
        figure.line(places, [number.value for _, number in known], name=system, color=color)
    return Picture.of(f"track-{plain_name(measure)}", figure, f"{measure} of each study, with its intervals.")


def _notes(chosen: Mapping[str, Series], labels: Sequence[str]) -> Iterator[str]:
    for measure, series in chosen.items():
        if len(series) > MOST_CURVES:
            yield f"{measure}: {MOST_CURVES} of {len(series)} systems are drawn; the table has all."
        for system, row in series.items():
            made = {without_origin(number.signature) for number in row if number is not None}
            if len(made) > 1 and system != CHANGING:
                yield f"{measure} of {system} was not measured in one way in all studies: the numbers may not compare."
                break
        missing = [label for at, label in enumerate(labels) if all(row[at] is None for row in series.values())]
        if missing:
            yield f"{measure}: no score in {listed(missing)}."
