"""The judgments of flat records, collected by column: there are many more of them than lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.records import fields
from assay.records.columns import ColumnCollector
from assay.records.rows import JudgmentRows, Origin
from assay.records.tables import JUDGED
from assay.text.strings import Strings

JUDGMENT_FIELDS = ("annotator", "criterion", "value", "unit", "other")

Rows = NDArray[np.int64]


class JudgmentCollector:
    """Collects judgments chunk by chunk, with the output on whose line they are."""

    def __init__(self) -> None:
        self._rows: list[Rows] = []
        self._kinds: list[NDArray[np.int8]] = []
        self._values: list[NDArray[np.float64]] = []
        self._names: dict[str, list[Strings]] = {name: [] for name in ("annotator", "criterion", "other", "label")}
        self._columns = ColumnCollector()
        self._n = 0

    def add(self, records: Sequence[Mapping[str, Any]], rows: Rows) -> dict[int, str]:
        """Add judgments on the lines of the outputs `rows`; return what is wrong with those that were refused."""
        wrong: dict[int, str] = {}
        keys = set().union(*records)
        n = len(records)
        kinds = _kinds(records, wrong) if "unit" in keys else np.zeros(n, np.int8)
        values, labels = _answers([record.get("value") for record in records], wrong)
        names = {name: _names([record.get(name) for record in records], wrong) for name in ("annotator", "criterion")}
        names["other"] = _others(records, wrong) if "other" in keys else [""] * n
        names["label"] = labels
        if wrong:
            valid = [place for place in range(n) if place not in wrong]
            records, rows, kinds, values = [records[place] for place in valid], rows[valid], kinds[valid], values[valid]
            names = {name: [texts[place] for place in valid] for name, texts in names.items()}
        if not keys <= set(JUDGMENT_FIELDS):
            for row, record in enumerate(records, self._n):
                self._columns.add_row(row, {key: record[key] for key in record if key not in JUDGMENT_FIELDS})
        self._rows.append(rows)
        self._kinds.append(kinds)
        self._values.append(values)
        for name, texts in names.items():
            self._names[name].append(Strings.of(texts))
        self._n += len(rows)
        return wrong

    def finish(self, units: Callable[[str], Strings], origin: Origin) -> JudgmentRows:
        """Return all judgments; `units` maps a kind to the name of each output's unit."""
        rows = np.concatenate([np.zeros(0, np.int64), *self._rows])
        kind = np.concatenate([np.zeros(0, np.int8), *self._kinds])
        names = {name: Strings.concatenate(parts) for name, parts in self._names.items()}
        by_kind = np.argsort(kind, kind="stable")
        judged = [units(JUDGED[code]).take(rows[kind == code]) for code in np.unique(kind).tolist()]
        return JudgmentRows(
            kind,
            Strings.concatenate(judged).take(np.argsort(by_kind)),
            names["other"],
            names["annotator"],
            names["criterion"],
            np.concatenate([np.zeros(0), *self._values]),
            names["label"],
            replace(origin, lines=origin.lines[rows]),
            self._columns.dense(self._n),
        )


def _kinds(records: Sequence[Mapping[str, Any]], wrong: dict[int, str]) -> NDArray[np.int8]:
    units = [record.get("unit") for record in records]
    return np.array(_read(units, lambda unit: 0 if unit is None else fields.choice(unit, JUDGED), 0, wrong), np.int8)


def _answers(values: list[Any], wrong: dict[int, str]) -> tuple[NDArray[np.float64], list[str]]:
    """The answers as numbers and labels, one of which is a gap."""
    if fields.only(values, int, float, bool):
        with suppress(OverflowError):  # reading one by one reports the number that is too large
            numbers = np.array(values, np.float64)
            if (np.abs(numbers) < fields.MOST_EXACT).all() or (
                fields.only(values, float, bool) and np.isfinite(numbers).all()
            ):
                return numbers, [""] * len(values)
    answers = _read(values, fields.answer, (nan, ""), wrong)
    return np.array([number for number, _ in answers], np.float64), [label for _, label in answers]


def _names(values: list[Any], wrong: dict[int, str]) -> list[str]:
    return values if fields.only_names(values) else _read(values, fields.name, "", wrong)


def _others(records: Sequence[Mapping[str, Any]], wrong: dict[int, str]) -> list[str]:
    others = [record.get("other") for record in records]
    return _read(others, lambda other: "" if other is None else fields.name(other), "", wrong)


def _read(values: list[Any], read: Callable[[Any], Any], gap: Any, wrong: dict[int, str]) -> list[Any]:
    """Read value by value; a bad one becomes a gap, and the first problem of a judgment is reported."""
    result = []
    for place, value in enumerate(values):
        try:
            result.append(read(value))
        except ValueError as error:
            wrong.setdefault(place, str(error))
            result.append(gap)
    return result
