"""Flat records, one per output, to rows of tables. The fields of a line are defined here, for every format.

{"id", "item", "context", "references", "choices", "target", "system", "human", "set", "text", "logprob",
 "logprobs", "n_tokens", "params", "judgments", "criteria", "item_columns", "set_columns", <any other key: a column>}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.ragged import Ragged, running_offsets
from assay.records import fields
from assay.records.columns import ColumnCollector
from assay.records.criteria import Criterion, read_criterion
from assay.records.flat_judgments import JudgmentCollector
from assay.records.flat_logprobs import LogProbCollector, are_plain
from assay.records.rows import ItemRows, Origin, OutputRows, Rows, SetRows, SystemRows
from assay.text.lists import StringLists
from assay.text.strings import Strings, joined

NAMES = ("id", "item", "system", "set", "context", "text")
FIELDS = frozenset(NAMES) | {
    *("references", "choices", "target", "human", "logprob", "logprobs", "n_tokens"),
    *("params", "judgments", "criteria", "item_columns", "set_columns"),
}

# Stop reading a file after this many problems.
MOST_PROBLEMS = 1000

Lines = NDArray[np.int64]


class FlatReader:
    """Collects flat records chunk by chunk; `finish` returns them as rows, or raises with every problem."""

    def __init__(self, source: str, default_system: str = "system", word: str = "line") -> None:
        self.source = source
        self.word = word
        self.problems: list[tuple[int, str]] = []
        self._default_system = default_system
        self._names: dict[str, list[Strings]] = {name: [] for name in NAMES}
        self._references: list[StringLists] = []
        self._choices: list[StringLists] = []
        self._targets: list[Ragged] = []
        self._lines: list[Lines] = []
        self._human: list[NDArray[np.int8]] = []
        self._n_tokens: list[NDArray[np.int64]] = []
        self._logprobs = LogProbCollector()
        self._judgments = JudgmentCollector()
        self._criteria: dict[str, tuple[Criterion, int]] = {}
        self._columns = ColumnCollector()
        self._item_columns = ColumnCollector()
        self._set_columns = ColumnCollector()
        self._n = 0

    def add_records(self, records: Sequence[Mapping[str, Any]], lines: Lines) -> None:
        """Add a chunk of records."""
        keys = dict.fromkeys(key for record in records for key in record)
        self.add_columns({key: [record.get(key) for record in records] for key in keys}, lines)

    def add_columns(self, columns: Mapping[str, Any], lines: Lines) -> None:
        """Add a chunk as columns: lists of Python values, or `Strings` / `StringLists`."""
        self._lines.append(lines)
        for name in NAMES:
            self._names[name].append(self._strings(name, columns.get(name), lines))
        self._references.append(self._string_lists("references", columns.get("references"), lines, fields.texts))
        self._choices.append(self._string_lists("choices", columns.get("choices"), lines, fields.choices))
        self._add_targets(columns.get("target"), lines)
        self._human.append(self._codes("human", columns.get("human"), lines, fields.human))
        self._add_logprobs(columns, lines)
        self._add_judgments(columns.get("judgments"), lines)
        self._add_criteria(columns.get("criteria"), lines)
        self._add_columns(columns, lines)
        self._n += len(lines)

    def finish(self) -> Rows:
        """Return the rows of all tables. Call once, at the end."""
        if self._n == 0 and not self.problems:
            raise DataError(f"{self.source}: no outputs. Give a file with at least one line.")
        self.raise_problems()
        origin = Origin(self.source, np.concatenate(self._lines), self.word)
        # Chunks are released as they are concatenated, so that the data is not in memory twice.
        names = {name: Strings.concatenate(self._names.pop(name)) for name in NAMES}
        references, choices = StringLists.concatenate(self._references), StringLists.concatenate(self._choices)
        self._references, self._choices = [], []
        ids = filled(names["id"], Strings.of(str(line) for line in origin.lines[_blank(names["id"])]))
        systems = filled(names["system"], Strings.of([self._default_system] * int(_blank(names["system"]).sum())))
        items = self._item_ids(names["item"], names["context"], ids)
        sets = names["set"]
        in_set = self._set_columns.rows
        set_ids = sets.take(in_set)
        for row in in_set[_blank(set_ids)].tolist():
            raise DataError(f"{origin.at(row)}: set_columns without a set. Give the line a set.")
        target = Ragged(
            np.concatenate([part.values for part in self._targets]),
            running_offsets(np.concatenate([part.lengths for part in self._targets])),
        )

        def judged(kind: str) -> Strings:
            if kind != "set":
                return ids if kind == "output" else systems
            unnamed = np.flatnonzero(_blank(sets))
            return filled(sets, joined([items.take(unnamed), systems.take(unnamed)], "|"))

        return Rows(
            OutputRows(
                ids, items, systems, sets, names["text"], np.concatenate(self._n_tokens), origin,
                self._columns.dense(self._n),
            ),
            ItemRows(
                items, names["context"], references, choices, target, origin, self._item_columns.dense(self._n),
            ),
            SystemRows(systems, np.concatenate(self._human), origin),
            SetRows(set_ids, replace(origin, lines=origin.lines[in_set]), self._set_columns.sparse()),
            self._logprobs.finish(ids, origin),
            self._judgments.finish(judged, origin),
            {name: criterion for name, (criterion, _) in self._criteria.items()},
        )  # fmt: skip

    def problem(self, line: int, text: str) -> None:
        """Report a problem with a line."""
        self.problems.append((line, text))
        if len(self.problems) >= MOST_PROBLEMS:
            self.raise_problems()

    def raise_problems(self) -> None:
        """Raise an error with all problems so far, if there are any."""
        if self.problems:
            raise DataError([f"{self.source} {self.word} {line}: {text}" for line, text in sorted(self.problems)])

    def _each(
        self, name: str, values: Sequence[Any] | None, lines: Lines, read: Callable[[Any], Any], gap: Any
    ) -> list[Any]:
        """Read a value per line; a bad one is reported and becomes a gap."""
        if values is None:
            return [gap] * len(lines)
        result = []
        for value, line in zip(values, lines.tolist(), strict=True):
            try:
                result.append(gap if value is None else read(value))
            except ValueError as error:
                self.problem(line, f"{name} {error}")
                result.append(gap)
        return result

    def _codes(
        self, name: str, values: Sequence[Any] | None, lines: Lines, read: Callable[[Any], int]
    ) -> NDArray[np.int8]:
        """Read a small number per line, -1 if there is none."""
        if values is None:
            return np.full(len(lines), -1, np.int8)
        if fields.only(values, bool):
            return np.array(values, np.int8)
        return np.array(self._each(name, values, lines, read, -1), np.int8)

    def _strings(self, name: str, values: Any, lines: Lines) -> Strings:
        if isinstance(values, Strings):
            return values
        if values is None and name != "text":
            return Strings.empty(len(lines))
        if name == "text":
            if values is None:
                values = [None] * len(lines)
            for value, line in zip(values, lines.tolist(), strict=True):
                if value is None:
                    self.problem(line, 'no text. Every line needs a "text" (an empty text is "").')
        is_text = name in ("text", "context")
        if fields.only(values, str) if is_text else fields.only_names(values):
            return Strings.of(values)
        return Strings.of(self._each(name, values, lines, fields.text if is_text else fields.name, ""))

    def _string_lists(self, name: str, values: Any, lines: Lines, read: Callable[[Any], Sequence[str]]) -> StringLists:
        if isinstance(values, StringLists):
            return values
        if values is None:
            return StringLists.empty(len(lines))
        if fields.only(values, list) and fields.only(chain.from_iterable(values), str):
            return StringLists.of(values)
        return StringLists.of(self._each(name, values, lines, read, ()))

    def _add_targets(self, values: Sequence[Any] | None, lines: Lines) -> None:
        if values is None:
            self._targets.append(Ragged.empty(len(lines), np.float64))
            return
        offsets = self._choices[-1].offsets
        n_choices = np.diff(offsets).tolist()
        if fields.only(values, int) and all(0 <= value < n for value, n in zip(values, n_choices, strict=True)):
            certain = np.zeros(offsets[-1])
            certain[offsets[:-1] + np.array(values, np.int64)] = 1.0
            self._targets.append(Ragged(certain, offsets))
            return
        sized = [None if value is None else (value, n) for value, n in zip(values, n_choices, strict=True)]
        weights = self._each("target", sized, lines, lambda pair: fields.target(*pair), [])
        flat = np.array([weight for row in weights for weight in row], np.float64)
        self._targets.append(Ragged(flat, running_offsets(np.array([len(row) for row in weights], np.int64))))

    def _add_logprobs(self, columns: Mapping[str, Any], lines: Lines) -> None:
        if not any(columns.get(name) is not None for name in ("n_tokens", "logprobs", "logprob")):
            self._n_tokens.append(np.full(len(lines), -1, np.int64))
            return
        counts = columns.get("n_tokens")
        if counts is None or not fields.only_counts(counts):
            counts = self._each("n_tokens", counts, lines, fields.token_counts, -1)
        self._n_tokens.append(np.array([-1 if isinstance(count, dict) else count for count in counts], np.int64))
        tables = columns.get("logprobs")
        if tables is None or not are_plain(tables):
            tables = self._each("logprobs", tables, lines, fields.logprobs, {})
        bare = self._each("logprob", columns.get("logprob"), lines, fields.logprob, None)
        for line, count, table in zip(lines.tolist(), counts, tables, strict=True):
            for system in count if isinstance(count, dict) else ():
                if system not in table:
                    self.problem(line, f"n_tokens names {system!r}, which logprobs does not.")
        self._logprobs.add(self._n, tables, counts, bare)

    def _add_judgments(self, values: Sequence[Any] | None, lines: Lines) -> None:
        if values is None:
            return
        plain = fields.only(values, list) and fields.only(chain.from_iterable(values), dict)
        lists = values if plain else self._each("judgments", values, lines, fields.records, ())
        place = np.repeat(np.arange(len(lines)), np.array([len(records) for records in lists], np.int64))
        wrong = self._judgments.add([*chain.from_iterable(lists)], self._n + place)
        for judgment, error in sorted(wrong.items()):
            line = int(lines[place[judgment]])
            self.problem(line, f"a judgment {error} It needs annotator, criterion and value.")

    def _add_criteria(self, values: Sequence[Any] | None, lines: Lines) -> None:
        for line, declared in zip(
            lines.tolist(), self._each("criteria", values, lines, fields.mapping, {}), strict=True
        ):
            for name, declaration in declared.items():
                if declaration is None:
                    continue
                try:
                    criterion = read_criterion(fields.name(name), declaration)
                except ValueError as error:
                    self.problem(line, f"criterion {name!r} {error}")
                    continue
                first, first_line = self._criteria.setdefault(name, (criterion, line))
                if first != criterion:
                    self.problem(line, f"criterion {name!r} is declared differently on line {first_line}. Keep one.")

    def _add_columns(self, columns: Mapping[str, Any], lines: Lines) -> None:
        for name, values in columns.items():
            if name not in FIELDS:
                self._columns.add(name, np.arange(self._n, self._n + len(lines)), values)
        for field, prefix, collector in (
            ("params", "params.", self._columns),
            ("item_columns", "", self._item_columns),
            ("set_columns", "", self._set_columns),
        ):
            if columns.get(field) is None:
                continue
            for row, values in enumerate(self._each(field, columns[field], lines, fields.mapping, {}), self._n):
                collector.add_row(row, {prefix + key: value for key, value in values.items()})

    def _item_ids(self, items: Strings, contexts: Strings, ids: Strings) -> Strings:
        """Fill in item ids: outputs with the same context share an item; without a context, each has its own."""
        missing = np.flatnonzero(_blank(items))
        codes, distinct = contexts.take(missing).factorize()
        names = [f"context:{blake2b(text.encode(), digest_size=8).hexdigest()}" if text else "" for text in distinct]
        by_context = Strings.of(names).take(codes)
        return filled(items, filled(by_context, ids.take(missing[_blank(by_context)])))


def _blank(names: Strings) -> NDArray[np.bool_]:
    return names.lengths == 0


def filled(names: Strings, defaults: Strings) -> Strings:
    """Replace empty names, in order, by `defaults`."""
    blank = np.flatnonzero(_blank(names))
    if not len(blank):
        return names
    source = np.arange(len(names))
    source[blank] = len(names) + np.arange(len(blank))
    return Strings.concatenate([names, defaults]).take(source)
