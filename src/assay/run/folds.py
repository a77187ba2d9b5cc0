"""Folds: which outputs one model scores together, and what it may not have learnt from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError, did_you_mean
from assay.records import Dataset
from assay.records.tables import is_given
from assay.text.strings import Strings

Codes = NDArray[np.int64]

USUAL_NUMBER = 5
COLUMN = "column:"
KINDS = ("item", "system", "annotator", f"{COLUMN}NAME")


@dataclass(frozen=True)
class Folds:
    """How fitted evaluators are cross-fitted: every unit is scored by a model that never met what is left out.

    Identical texts are never on both sides, whatever is left out. `leave_out` is one of

    - `item`: the item with all of its outputs.
    - `system`: the system. Human-written texts are spread over the folds by item: a model that has never met a
      generator must still know human texts, and yet not those that it scores.
    - `annotator`: the item, and every judgment of any annotator who judged something in the fold.
    - `column:NAME`: the item, and all outputs with the same value in a column of the outputs.

    `n` is the number of folds: 5 by default for items and annotators, else one for every system or value.
    """

    leave_out: str = "item"
    n: int | None = None

    def __post_init__(self) -> None:
        if self.leave_out not in KINDS[:-1] and not self.column:
            raise EvaluatorError(f"folds cannot leave out {self.leave_out!r}.{did_you_mean(self.leave_out, KINDS)}")
        if self.n is not None and self.n < 2:
            raise EvaluatorError(f"cross-fitting needs at least 2 folds, not {self.n}.")

    @classmethod
    def of(cls, given: Folds | int | str | None) -> Folds:
        """Take folds as they are, a number of folds by item, or what is left out."""
        match given:
            case None:
                return cls()
            case int():
                return cls(n=given)
            case str():
                return cls(given)
        return given

    @property
    def column(self) -> str | None:
        """The column whose values are left out in turn."""
        return self.leave_out.removeprefix(COLUMN) if self.leave_out.startswith(COLUMN) else None

    def assign(self, dataset: Dataset, seed: int = 0) -> Codes:
        """The fold of every output, as `score` with this seed has it."""
        return self.drawn(dataset, np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0]))

    def drawn(self, dataset: Dataset, rng: np.random.Generator) -> Codes:
        """The fold of every output: groups go to the smallest fold so far, in random order, the largest first."""
        if self.leave_out == "system":
            return _by_system(dataset, self.n, rng)
        together = _independent_parts(dataset)
        if self.leave_out == "annotator":
            group = _main_annotator(dataset, together)
        else:
            group = together if self.column is None else column_codes(dataset, self.column)
        return _placed(group, self._number(group), rng, self.leave_out)

    def _number(self, group: Codes) -> int:
        return self.n or (len(np.unique(group)) if self.column is not None else USUAL_NUMBER)

    def keys(self, dataset: Dataset) -> Iterator[Codes]:
        """Codes of every output; a model scores no output that has one in common with what it learnt from."""
        yield dataset.outputs.text.codes().astype(np.int64)
        if self.leave_out == "system":
            # Human-written texts are kept apart by item instead.
            yield np.where(dataset.human, len(dataset.systems) + dataset.outputs.item, dataset.outputs.system)
            return
        yield dataset.outputs.item
        if self.column is not None:
            yield column_codes(dataset, self.column)


def column_codes(dataset: Dataset, name: str) -> Codes:
    """Number the values of a column of the outputs."""
    columns = dataset.outputs.columns
    if name not in columns:
        raise EvaluatorError(f"no column {name!r} of outputs to make folds by.{did_you_mean(name, columns)}")
    values = columns[name]
    n_gaps = int((~is_given(values)).sum())
    if n_gaps:
        raise EvaluatorError(f"folds by the column {name!r} need a value for every output, and {n_gaps} have none.")
    if isinstance(values, Strings):
        return values.codes().astype(np.int64)
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _by_system(dataset: Dataset, n: int | None, rng: np.random.Generator) -> Codes:
    """A fold for every generator, or n folds of them; human-written texts are spread over the folds by item."""
    human, fold = dataset.human, np.zeros(len(dataset.outputs), np.int64)
    written_by = dataset.outputs.system[~human]
    n = n or len(np.unique(written_by))
    if n < 2:
        raise EvaluatorError(
            f"leaving one system out needs at least two generators, and this data has {n}. Give a training set "
            "with --train, or leave out items."
        )
    fold[~human] = _placed(written_by, n, rng, "system")
    if human.any():
        fold[human] = _placed(_independent_parts(dataset)[human], n, rng, "item")
    return fold


def _independent_parts(dataset: Dataset) -> Codes:
    """Number the parts of the data: outputs that share an item or a text are in one part. Sharing is transitive."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    n = len(dataset.outputs)
    text = dataset.outputs.text.codes().astype(np.int64)
    items, texts = n, n + len(dataset.items)
    rows = np.concatenate([np.arange(n), np.arange(n)])
    columns = np.concatenate([items + dataset.outputs.item, texts + text])
    size = texts + int(text.max(initial=-1)) + 1
    graph = coo_array((np.ones(2 * n, np.int8), (rows, columns)), shape=(size, size))
    _, part = connected_components(graph, directed=False)
    return part[:n].astype(np.int64)


def _main_annotator(dataset: Dataset, part: Codes) -> Codes:
    """For every output who judged most of its part; a part that nobody judged stands for itself."""
    judged, annotator = judged_outputs_and_annotators(dataset)
    n_annotators, n_parts = len(dataset.judgments.annotators), int(part.max(initial=-1)) + 1
    pairs, votes = np.unique(part[judged] * n_annotators + annotator, return_counts=True)
    pairs = pairs[np.argsort(-votes, kind="stable")]
    judged_parts, first = np.unique(pairs // max(1, n_annotators), return_index=True)
    main = n_annotators + np.arange(n_parts)
    main[judged_parts] = pairs[first] % max(1, n_annotators)
    return main[part]


def judged_outputs_and_annotators(dataset: Dataset) -> tuple[Codes, Codes]:
    """Every judgment as an output it is about and who gave it; one of a set or a system is about all its outputs."""
    table = dataset.judgments
    outputs, annotators = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    for kind, members in enumerate((None, dataset.outputs_by_set, dataset.outputs_by_system)):
        for unit in (table.unit, table.other):
            rows = np.flatnonzero((table.kind == kind) & (unit >= 0))
            about = members.take(unit[rows]) if members is not None else None
            outputs.append(unit[rows] if about is None else about.values)
            annotators.append(table.annotator[rows] if about is None else table.annotator[rows][about.row_of])
    return np.concatenate(outputs), np.concatenate(annotators)


def _placed(group: Codes, n_folds: int, rng: np.random.Generator, what: str) -> Codes:
    groups, group = np.unique(group, return_inverse=True)
    if len(groups) < n_folds:
        needs = {
            "item": "independent parts, and this data has {} (outputs that share an item or a text belong together)",
            "annotator": "groups of outputs that different annotators judged, and this data has {}",
        }.get(what, f"values of {what.removeprefix(COLUMN)}, and this data has {{}}").format(len(groups))
        raise EvaluatorError(
            f"{n_folds} folds need data in at least {n_folds} {needs}. Ask for fewer folds, or give a training set "
            "with --train."
        )
    if len(groups) == n_folds and what not in ("item", "annotator"):
        return group.astype(np.int64)
    sizes = np.bincount(group)
    order = rng.permutation(len(groups))
    order = order[np.argsort(-sizes[order], kind="stable")]
    load = np.zeros(n_folds, np.int64)
    fold_of_group = np.zeros(len(groups), np.int64)
    for chosen in order.tolist():
        fold = int(load.argmin())
        fold_of_group[chosen] = fold
        load[fold] += sizes[chosen]
    return fold_of_group[group]
