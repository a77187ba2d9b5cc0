"""Turn rows that refer by name into tables that refer by number: the one place where ids are checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.ragged import Ragged
from assay.records.criteria import Criteria, canonical, coded
from assay.records.rows import ItemRows, JudgmentRows, LogProbRows, Origin, OutputRows, Rows, SetRows, SystemRows
from assay.records.tables import (
    JUDGED,
    Items,
    Judgments,
    LogProbs,
    Outputs,
    Sets,
    Systems,
    Values,
    is_given,
    take_values,
)
from assay.text.lists import StringLists
from assay.text.strings import Strings, joined

Codes = NDArray[np.int64]
Tables = tuple[Items, Systems, Sets, Outputs, LogProbs, Judgments, Criteria]


def assemble(rows: Rows) -> Tables:
    """Check that ids are unique, known and consistent, and return the tables; a DataError lists every problem.

    Items, systems and sets are numbered by first appearance in the outputs, and judgments and log-probabilities sorted
    by their units, so that the same data gives the same tables from any format.
    """
    problems: list[str] = []
    outputs = rows.outputs
    n = len(outputs.id)
    _check_unique(outputs.id, outputs.origin, "id", problems)
    _raise_if(problems)

    item_codes, item_ids = numbered([outputs.item, rows.items.id])
    items = _items(item_ids, item_codes[n:], rows.items, problems)
    system_codes, system_ids = numbered([outputs.system, rows.logprobs.system, rows.systems.id])
    systems = _systems(system_ids, system_codes[n + len(rows.logprobs.system) :], rows.systems, problems)

    item, system = item_codes[:n], system_codes[:n]
    named_sets = _set_names(outputs, item, system, item_ids, system_ids)
    set_codes, set_ids = numbered([named_sets, rows.sets.id])
    sets = _sets(set_ids, set_codes, item, item_ids, outputs.origin, rows.sets, problems)

    tables = Outputs(outputs.id, item, system, set_codes[:n], outputs.text, outputs.n_tokens, outputs.columns)
    logprobs = _logprobs(rows.logprobs, tables, systems, problems)
    known = {"output": outputs.id, "set": set_ids, "system": system_ids}
    judgments = _judgments(rows.judgments, known, rows.criteria, problems)
    _raise_if(problems)
    return items, systems, sets, tables, logprobs, judgments, canonical(rows.criteria)


def numbered(columns: list[Strings]) -> tuple[Codes, Strings]:
    """Number the names of several columns together by first appearance; empty names are -1.

    A column that occurs twice (in flat files a line names the item of both the output and the item) is factorized once.
    """
    different = list({id(column): column for column in columns}.values())
    codes, distinct = Strings.concatenate(different).factorize()
    ends = np.cumsum([len(column) for column in different])
    parts = dict(zip(map(id, different), np.split(codes, ends[:-1]), strict=True))
    numbers: Codes = np.concatenate([parts[id(column)] for column in columns]).astype(np.int64)
    blank = np.flatnonzero(distinct.lengths == 0)
    if len(blank):
        gap = int(blank[0])
        numbers = np.where(numbers == gap, -1, numbers - (numbers > gap))
        distinct = distinct.take(np.delete(np.arange(len(distinct)), gap))
    return numbers, distinct


def first_given(groups: Codes, n_groups: int, given: NDArray[np.bool_], values: Codes) -> tuple[Codes, Codes]:
    """The first row of each group that has a value (-1: none), and the rows that contradict it."""
    rows = np.flatnonzero(given)
    first = np.full(n_groups, -1, np.int64)
    first[groups[rows][::-1]] = rows[::-1]
    contradicting = rows[values[rows] != values[first[groups[rows]]]]
    return first, contradicting


def _raise_if(problems: list[str]) -> None:
    if problems:
        raise DataError(problems)


def _check_unique(ids: Strings, origin: Origin, what: str, problems: list[str]) -> None:
    codes = ids.codes()
    n_distinct = int(codes.max(initial=-1)) + 1
    if n_distinct == len(ids):
        return
    first = np.full(n_distinct, -1, np.int64)
    for row, code in enumerate(codes.tolist()):
        if first[code] < 0:
            first[code] = row
        else:
            problems.append(
                f"{origin.at(row)}: {what} {ids[row]!r} was used before, {origin.on(int(first[code]))}. "
                f"Give every output its own {what}, or leave {what} out."
            )


def _value_codes(values: Values) -> Codes:
    """Number values; equal ones get equal numbers."""
    if isinstance(values, Strings):
        return values.codes().astype(np.int64)
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _merge_columns(
    columns: Mapping[str, Values], groups: Codes, ids: Strings, origin: Origin, what: str, problems: list[str]
) -> dict[str, Values]:
    merged: dict[str, Values] = {}
    for name, values in columns.items():
        first, contradicting = first_given(groups, len(ids), is_given(values), _value_codes(values))
        problems += _contradictions(origin, contradicting, first, groups, ids, what, name)
        merged[name] = take_values(values, first)
    return merged


def _contradictions(
    origin: Origin, rows: Codes, first: Codes, groups: Codes, ids: Strings, what: str, name: str
) -> list[str]:
    return [
        f"{origin.at(row)}: {what} {ids[group]!r} has another {name} than {origin.on(int(first[group]))}. "
        f"Make them equal, or give {name} once."
        for row, group in zip(rows.tolist(), groups[rows].tolist(), strict=True)
    ]


def _items(ids: Strings, codes: Codes, rows: ItemRows, problems: list[str]) -> Items:
    def merge(name: str, given: NDArray[np.bool_], values: Callable[[], Strings]) -> Codes:
        if not given.any():
            return np.full(len(ids), -1, np.int64)
        first, contradicting = first_given(codes, len(ids), given, _value_codes(values()))
        problems.extend(_contradictions(rows.origin, contradicting, first, codes, ids, "item", name))
        return first

    context = merge("context", rows.context.lengths > 0, lambda: rows.context)
    references = merge("references", rows.references.lengths > 0, rows.references.keys)
    choices = merge("choices", rows.choices.lengths > 0, rows.choices.keys)
    weights = Strings(rows.target.values.view(np.uint8), rows.target.offsets * 8)
    target = merge("target", rows.target.lengths > 0, lambda: weights)
    merged = Items(
        ids,
        _strings(take_values(rows.context, context)),
        _take_lists(rows.references, references),
        _take_lists(rows.choices, choices),
        _take_ragged(rows.target, target),
        _merge_columns(rows.columns, codes, ids, rows.origin, "item", problems),
    )
    for row in np.flatnonzero(rows.choices.lengths == 1).tolist():
        problems.append(
            f"{rows.origin.at(row)}: choices has a single choice ({rows.choices[row][0][:40]!r}). "
            "Give at least two, or none."
        )
    aimed = merged.target.lengths > 0
    for item in np.flatnonzero(aimed & (merged.target.lengths != merged.choices.lengths)).tolist():
        problems.append(
            f"{rows.origin.at(int(target[item]))}: the target of item {ids[item]!r} does not fit its "
            f"{merged.choices.lengths[item]} choices. Give an index into choices, or one probability per choice."
        )
    return merged


def _strings(values: Values) -> Strings:
    assert isinstance(values, Strings)
    return values


def _take_lists(lists: StringLists, rows: Codes) -> StringLists:
    padded = StringLists.concatenate([lists, StringLists.of([[]])])
    return padded.take(np.where(rows < 0, len(lists), rows))


def _take_ragged(ragged: Ragged, rows: Codes) -> Ragged:
    padded = Ragged(ragged.values, np.append(ragged.offsets, ragged.offsets[-1]))
    return padded.take(np.where(rows < 0, len(ragged), rows))


def _systems(ids: Strings, codes: Codes, rows: SystemRows, problems: list[str]) -> Systems:
    first, contradicting = first_given(codes, len(ids), rows.human >= 0, rows.human.astype(np.int64))
    problems += _contradictions(rows.origin, contradicting, first, codes, ids, "system", "human")
    human = (np.append(rows.human, 0)[np.where(first < 0, len(rows.human), first)] == 1).astype(np.bool_)
    return Systems(ids, human)


def _set_names(outputs: OutputRows, item: Codes, system: Codes, items: Strings, systems: Strings) -> Strings:
    missing = np.flatnonzero(outputs.set.lengths == 0)
    if not len(missing):
        return outputs.set
    default = joined([items.take(item[missing]), systems.take(system[missing])], "|")
    source = np.arange(len(outputs.set))
    source[missing] = len(outputs.set) + np.arange(len(missing))
    return Strings.concatenate([outputs.set, default]).take(source)


def _sets(
    ids: Strings,
    codes: Codes,
    item: Codes,
    items: Strings,
    origin: Origin,
    rows: SetRows,
    problems: list[str],
) -> Sets:
    of_output = codes[: len(item)]
    first, contradicting = first_given(of_output, len(ids), np.ones(len(item), bool), item)
    for row in contradicting.tolist():
        name, other = ids[int(of_output[row])], items[int(item[first[of_output[row]]])]
        problems.append(
            f"{origin.at(row)}: set {name!r} holds outputs of item {items[int(item[row])]!r} and of item {other!r}. "
            "A set is given for one item: rename one of them."
        )
    for code in np.flatnonzero(first < 0).tolist():
        row = int(np.flatnonzero(codes[len(item) :] == code)[0])
        problems.append(f"{rows.origin.at(row)}: set {ids[code]!r} has no outputs. Remove it, or add its outputs.")
    columns = _merge_columns(rows.columns, codes[len(item) :], ids, rows.origin, "set", problems)
    return Sets(ids, np.where(first < 0, -1, item[first]), columns)


def _look_up(names: Strings, known: Strings) -> Codes:
    """The rows of `names` in `known`, whose ids are unique; -1 if unknown."""
    if not len(names):
        return np.zeros(0, np.int64)
    codes = Strings.concatenate([known, names]).codes()[len(known) :].astype(np.int64)
    return np.where(codes < len(known), codes, -1)


def _logprobs(rows: LogProbRows, outputs: Outputs, systems: Systems, problems: list[str]) -> LogProbs:
    output = _look_up(rows.output, outputs.id)
    for row in np.flatnonzero(output < 0).tolist():
        problems.append(
            f"{rows.origin.at(row)}: a log-probability of the unknown output {rows.output[row]!r}. "
            "Correct the id, or add the output."
        )
    for row in np.flatnonzero(np.isnan(rows.value) | (rows.value == np.inf)).tolist():
        problems.append(
            f"{rows.origin.at(row)}: log-probability {rows.value[row]} of output {rows.output[row]!r}. "
            "Give a finite number, -inf for a text the system cannot say, or leave it out."
        )
    system = _look_up(rows.system, systems.id)
    bare = np.flatnonzero((rows.system.lengths == 0) & (output >= 0))
    own_system = outputs.system[output[bare]]
    machines = np.flatnonzero(~systems.human)
    is_human = systems.human[own_system]
    if is_human.any() and len(machines) != 1:
        for row in bare[is_human].tolist():
            problems.append(
                f"{rows.origin.at(row)}: a bare logprob on a human text, but the data has {len(machines)} other "
                'systems. Say under which: "logprobs": {"<system>": ...}.'
            )
    else:
        system[bare] = np.where(is_human, machines[0] if len(machines) else -1, own_system)
    pairs = output * len(systems) + system
    known = (output >= 0) & (system >= 0)
    _, repeated = first_given(np.unique(pairs, return_inverse=True)[1], len(pairs), known, np.arange(len(pairs)))
    for row in repeated.tolist():
        problems.append(
            f"{rows.origin.at(row)}: a second log-probability of output {rows.output[row]!r} under system "
            f"{systems.id[int(system[row])]!r}. Keep one."
        )
    order = np.argsort(output, kind="stable")
    return LogProbs(output[order], system[order], rows.value[order], rows.n_tokens[order])


def _judgments(rows: JudgmentRows, known: Mapping[str, Strings], declared: Criteria, problems: list[str]) -> Judgments:
    unit, other = np.full(len(rows.kind), -1, np.int64), np.full(len(rows.kind), -1, np.int64)
    for code, kind in enumerate(JUDGED):
        of_kind = np.flatnonzero(rows.kind == code)
        unit[of_kind] = _look_up(rows.unit.take(of_kind), known[kind])
        other[of_kind] = _look_up(rows.other.take(of_kind), known[kind])
    unknown_other = (other < 0) & (rows.other.lengths > 0)
    for row in np.flatnonzero((unit < 0) | unknown_other).tolist():
        name = rows.unit[row] if unit[row] < 0 else rows.other[row]
        kind = JUDGED[rows.kind[row]]
        problems.append(
            f"{rows.origin.at(row)}: a judgment about the unknown {kind} {name!r}. Correct the id, or add the {kind}."
        )
    for row in np.flatnonzero((rows.label.lengths == 0) & ~np.isfinite(rows.value)).tolist():
        problems.append(
            f"{rows.origin.at(row)}: a judgment without a finite value (criterion {rows.criterion[row]!r}). "
            "Give a number or a label, or leave the judgment out."
        )
    order = np.lexsort((other, unit, rows.kind))
    annotator, annotators = numbered([rows.annotator.take(order)])
    criterion, criteria = numbered([rows.criterion.take(order)])
    label, labels = numbered([rows.label.take(order)])
    judgments = Judgments(
        rows.kind[order],
        unit[order],
        other[order],
        annotator,
        criterion,
        rows.value[order],
        label,
        annotators,
        criteria,
        labels,
        {name: take_values(values, order) for name, values in rows.columns.items()},
    )
    return coded(judgments, declared, lambda row: rows.origin.at(int(order[row])), problems)
