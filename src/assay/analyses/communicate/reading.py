"""All that is measured of one listener on one game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.communicate.calibration import calibration, confusion
from assay.analyses.communicate.groups import groups
from assay.analyses.communicate.heard import Heard, mean_number
from assay.analyses.communicate.probe import fall
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import signature
from assay.part import Cell, Number, Picture, Table
from assay.records import Dataset
from assay.scores import Column

MAIN = ("listener", "outputs", "choices", "accuracy", "chance", "mean score")
GROUPED = ("listener", "by", "group", "outputs", "accuracy", "chance")
SHUFFLED = ("listener", "as written", "words shuffled", "fall")
FALL = "fall when words are shuffled"


@dataclass(frozen=True)
class Reading:
    """One listener on one game.

    Attributes:
        label: the listener, with the number of choices where there are several games.
        accuracy: the share of hits, overall and then by group.
        mean_score: of the listener.
        calibration: numbers about the beliefs.
        tables: calibration and confusion.
        picture: of the calibration.
        probe: how far the score falls when words are shuffled; None if that means nothing.
    """

    label: str
    accuracy: Sequence[Number]
    mean_score: float
    calibration: Sequence[Number]
    tables: tuple[Table, Table]
    picture: Picture
    probe: Number | None

    @property
    def origin(self) -> str:
        """The signature."""
        return self.accuracy[0].signature


def read(
    name: str,
    column: Column,
    shuffled: Column | None,
    game: Dataset,
    *,
    distractors: str | None,
    n_choices: tuple[int, ...],
    by: str | None,
    several: bool,
    confidence: float,
    seed: int,
) -> Reading:
    """Measure a listener by its scores of a game, and of the game with shuffled words."""
    heard = Heard.of(name, column, game)
    settings = {"distractors": distractors, "n_choices": n_choices, "by": by}
    origin = signature("communicate", listeners=(column,), **settings, confidence=confidence, seed=seed)
    label = f"{name}, {heard.n_choices.max()} choices" if several else name
    everything = np.ones(len(heard.rows), bool)
    accuracy = [_accuracy(heard, label, everything, "all", "", origin, confidence)]
    for group in groups(heard, by):
        accuracy.append(_accuracy(heard, label, group.keep, group.kind, group.name, origin, confidence))
    numbers, table, picture = calibration(heard, label, origin, confidence)
    probe = None if shuffled is None else _probe(heard, label, shuffled, origin, confidence)
    tables = table, confusion(heard, label)
    return Reading(label, accuracy, mean_number(known(column)), numbers, tables, picture, probe)


def known(column: Column) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """The scores without gaps."""
    return column.values[~np.isnan(column.values)]


def _accuracy(
    heard: Heard,
    label: str,
    keep: np.ndarray[tuple[int], np.dtype[np.bool_]],
    kind: str,
    group: str,
    origin: str,
    confidence: float,
) -> Number:
    estimate = heard.accuracy(keep, confidence)
    sizes = sorted(set(heard.n_choices[keep].tolist()))
    about = {"listener": label, "by": kind, "group": group, "chance": mean_number(heard.chance[keep])}
    about |= {"choices": sizes[0] if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}", **estimate.about}
    missing = len(heard.column) - len(heard.rows) if kind == "all" else 0
    return _number("accuracy", estimate, origin, about, missing)


def _probe(heard: Heard, label: str, after: Column, origin: str, confidence: float) -> Number:
    estimate = fall(heard.column, after, heard.game.outputs.item, confidence)
    means = {"before": mean_number(known(heard.column)), "after": mean_number(known(after))}
    return _number(FALL, estimate, origin, {"listener": label, **means})


def _number(name: str, estimate: Estimate, origin: str, about: dict[str, object], missing: int = 0) -> Number:
    ends = estimate.low, estimate.high
    return Number(name, estimate.value, estimate.n, origin, missing, *ends, estimate.reason, about)


def tables_of(readings: Sequence[Reading]) -> tuple[Table, ...]:
    """One table of all listeners for each question; calibration and confusion by listener."""
    main: list[tuple[Cell, ...]] = [
        (one.label, first.n, first.about["choices"], first.cell, first.about["chance"], one.mean_score)
        for one in readings
        for first in one.accuracy[:1]
    ]
    grouped: list[tuple[Cell, ...]] = [
        (one.label, n.about["by"], n.about["group"], n.n, n.cell, n.about["chance"])
        for one in readings
        for n in one.accuracy[1:]
    ]
    shuffled: list[tuple[Cell, ...]] = [
        (one.label, one.probe.about["before"], one.probe.about["after"], one.probe.cell)
        for one in readings
        if one.probe
    ]
    tables = [
        Table("accuracy", "How often listeners pick what was meant", MAIN, tuple(main)),
        Table("groups", "Accuracy by group", GROUPED, tuple(grouped)),
        Table("shuffled", "Mean score when the words of every output are shuffled", SHUFFLED, tuple(shuffled)),
    ]
    marks = [""] if len(readings) == 1 else [f"-{number}" for number in range(1, len(readings) + 1)]
    tables += [
        replace(table, name=f"{table.name}{mark}")
        for mark, one in zip(marks, readings, strict=True)
        for table in one.tables
    ]
    return tuple(table for table in tables if table.rows)
