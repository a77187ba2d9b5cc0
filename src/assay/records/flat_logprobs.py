"""The log-probabilities of flat records, collected by column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.records import fields
from assay.records.rows import LogProbRows, Origin
from assay.text.strings import Strings

Tables = Sequence[Mapping[str, Any]]


class LogProbCollector:
    """Collects log-probabilities chunk by chunk, with the output on whose line they are."""

    def __init__(self) -> None:
        self._rows: list[NDArray[np.int64]] = []
        self._systems: list[Strings] = []
        self._values: list[NDArray[np.float64]] = []
        self._n_tokens: list[NDArray[np.int64]] = []

    def add(self, first: int, tables: Tables, counts: Sequence[Any], bare: Sequence[float | None]) -> None:
        """Add those of the outputs from `first` on: tables by system, token counts, and bare log-probabilities.

        Tables are as `fields.logprobs` returns them, or plain.
        """
        rows = np.repeat(np.arange(len(tables)), np.array([len(table) for table in tables], np.int64))
        systems = [*chain.from_iterable(tables)]
        values = [float(value) for table in tables for value in table.values()]
        n_tokens = np.full(len(rows), -1, np.int64)
        if not fields.only(counts, int):
            by_system = [count if isinstance(count, dict) else {} for count in counts]
            n_tokens[:] = [by_system[row].get(name, -1) for row, name in zip(rows.tolist(), systems, strict=True)]
        alone = [row for row, value in enumerate(bare) if value is not None]
        rows = np.concatenate([rows, np.array(alone, np.int64)])
        order = np.argsort(rows, kind="stable")
        self._rows.append(first + rows[order])
        self._systems.append(Strings.of(systems + [""] * len(alone)).take(order))
        self._values.append(np.array(values + [bare[row] for row in alone], np.float64)[order])
        self._n_tokens.append(np.concatenate([n_tokens, np.full(len(alone), -1)])[order])

    def finish(self, ids: Strings, origin: Origin) -> LogProbRows:
        """Return all rows; `ids` are those of the outputs."""
        rows = np.concatenate([np.zeros(0, np.int64), *self._rows])
        return LogProbRows(
            ids.take(rows),
            Strings.concatenate(self._systems),
            np.concatenate([np.zeros(0), *self._values]),
            np.concatenate([np.zeros(0, np.int64), *self._n_tokens]),
            replace(origin, lines=origin.lines[rows]),
        )


def are_plain(tables: Sequence[Any]) -> bool:
    """Whether every table maps system names to finite numbers or -inf, so that none needs to be read one by one."""
    if not fields.only(tables, dict) or not fields.only_names([*chain.from_iterable(tables)]):
        return False
    values = [value for table in tables for value in table.values()]
    if not fields.only(values, int, float, str) or not {v for v in values if type(v) is str} <= {"-inf"}:
        return False
    try:
        numbers = np.array([float(value) for value in values], np.float64)
    except OverflowError:
        return False
    if not fields.only(values, float) and (np.abs(numbers[np.isfinite(numbers)]) >= fields.MOST_EXACT).any():
        return False
    return not (np.isnan(numbers) | (numbers == np.inf)).any()
