"""HUSE over the values of a decoding parameter: what a lower temperature buys in quality, and costs in diversity."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from assay.analyses.huse.figures import NAMES
from assay.analyses.huse.systems import HuseResult, SystemHuse
from assay.analyses.names import plain_name
from assay.errors import DataError, did_you_mean
from assay.part import Bounded, Cell, Picture, Table
from assay.plot import Figure
from assay.records import Dataset
from assay.records.columns import numbers_of

PREFIX = "params."
CAPTION = "HUSE and its parts by setting; whiskers are 95% intervals over items."


class Setting(NamedTuple):
    """A system at one value of the parameter."""

    value: float
    entry: SystemHuse


@dataclass(frozen=True)
class SettingCurve:
    """A generator at several values of a parameter, in their order."""

    generator: str
    settings: tuple[Setting, ...]


def curves_of(result: HuseResult, dataset: Dataset, parameter: str) -> list[SettingCurve]:
    """One curve for each generator.

    Systems are of one generator if their names differ in values of parameters alone, as those of `assay generate`
    do, and all other parameters are equal.
    """
    columns = {
        name.removeprefix(PREFIX): numbers
        for name, column in dataset.outputs.columns.items()
        if name.startswith(PREFIX) and (numbers := numbers_of(column)) is not None
    }
    if parameter not in columns:
        raise DataError(f"no output has the parameter {parameter!r}, a number.{did_you_mean(parameter, columns)}")
    known = dataset.systems.id.to_list()
    grouped: dict[tuple[str, tuple[tuple[str, float], ...]], list[Setting]] = {}
    for entry in result.systems:
        rows = np.flatnonzero(dataset.outputs.system == known.index(entry.system))
        values = {name: column[rows] for name, column in columns.items()}
        one = {name: float(own[0]) for name, own in values.items() if np.all(own == own[0])}
        if parameter in one:
            others = tuple(sorted((name, value) for name, value in one.items() if name != parameter))
            key = (_generator(entry.system, one.values()), others)
            grouped.setdefault(key, []).append(Setting(one[parameter], entry))
    if not grouped:
        raise DataError(f"no system has one value of {parameter}: give outputs of every setting a system of its own.")
    names = [generator for generator, _ in grouped]
    return [
        SettingCurve(_label(generator, others, names), tuple(sorted(settings, key=lambda one: one.value)))
        for (generator, others), settings in grouped.items()
    ]


def settings_table(curves: Sequence[SettingCurve], parameter: str) -> Table:
    """A row for each setting."""
    rows: list[tuple[Cell, ...]] = []
    for curve in curves:
        for value, entry in curve.settings:
            measures = [Bounded(own.value, own.low, own.high) for own in (entry.interval[name] for name in NAMES)]
            impossible = int((entry.problem.floored & entry.problem.human).sum())
            rows.append((curve.generator, value, *measures, impossible, entry.problem.n_human))
    header = ("generator", parameter, *NAMES.values(), "human texts impossible", "human texts")
    note = "Where many human texts are impossible, HUSE is about truncation."
    return Table("huse_settings", f"HUSE by {parameter}", header, tuple(rows), note)


def settings_pictures(curves: Sequence[SettingCurve], parameter: str) -> Iterator[Picture]:
    """A figure for each generator with several settings."""
    for curve in curves:
        if len(curve.settings) > 1:
            name = f"huse-by-{plain_name(parameter)}-{plain_name(curve.generator)}"
            yield Picture.of(name, _figure(curve, parameter), CAPTION)


def _figure(curve: SettingCurve, parameter: str) -> Figure:
    x = np.array([one.value for one in curve.settings])
    width = float(x.max() - x.min()) or 1.0
    figure = Figure(
        f"{curve.generator}: HUSE by {parameter}",
        parameter,
        "value",
        description=f"HUSE, HUSE-Q (quality) and HUSE-D (diversity) of {curve.generator} by {parameter}.",
    )
    figure.rule(y=1.0, label="as people")
    for color, (measure, name) in enumerate(NAMES.items()):
        over = [one.entry.interval[measure] for one in curve.settings]
        values = np.array([one.value for one in over])
        # Side by side, so that the whiskers of one measure do not hide those of another.
        places = x + 0.008 * width * (color - 1)
        figure.line(places, values, name=name, color=color)
        figure.intervals(
            values,
            [one.low for one in over],
            [one.high for one in over],
            positions=places,
            color=color,
            vertical=True,
            tooltips=[f"{parameter} {at:g}: {name} {value:.2f}" for at, value in zip(x, values, strict=True)],
        )
    return figure


def _generator(system: str, values: Iterable[float]) -> str:
    """The name of a system without the values of its parameters."""
    forms = {form for value in values for form in (f"{value:g}", str(float(value)))}
    name = system
    for form in sorted(forms, key=len, reverse=True):
        name = re.sub(rf"(?<![\d.]){re.escape(form)}(?![\d.])", "\0", name)
    # With what announces the value: ` t=0.7`, the form of `assay generate`, or `-t0.7`.
    return re.sub(r"(?:[ _-](?:[A-Za-z_]+=|[A-Za-z]?))?\0", "", name) or system


def _label(generator: str, others: Sequence[tuple[str, float]], names: Sequence[str]) -> str:
    """The name of a generator, with its other parameters where the name alone is not enough."""
    if names.count(generator) == 1:
        return generator
    return ", ".join([generator, *(f"{name} {value:g}" for name, value in others)])
