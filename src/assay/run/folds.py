"""Folds: which outputs are scored by one model, and what that model may not be trained on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.errors import EvaluatorError, did_you_mean
from assay.kernels.statistics.components import connected
from assay.records import Dataset
from assay.records.tables import is_given
from assay.shapes import Field
from assay.text.strings import Strings

Codes = NDArray[np.int64]

USUAL_NUMBER = 5
COLUMN = "column:"
KINDS = ("item", "system", "annotator", f"{COLUMN}NAME")


@dataclass(frozen=True)
class Folds:
    """How evaluators are cross-fitted: each unit is scored by a model trained without what is left out.

    Identical texts are never on both sides. `leave_out` is one of

    - `item`: the item with all of its outputs.
    - `system`: the system. Human texts are spread over the folds by item: a model that has never seen a generator
      must still have seen human texts, though not those it scores.
    - `annotator`: the item, and all judgments of annotators who judged something in the fold.
    - `column:NAME`: the item, and all outputs with the same value in an output column.

    `n` is the number of folds: 5 by default for items and annotators, else one per system or value.
    """

    leave_out: str = "item"
    n: int | None = None

    def __post_init__(self) -> None:
        if self.leave_out not in KINDS[:-1] and not self.column:
            raise EvaluatorError(f"folds cannot leave out {self.leave_out!r}.{did_you_mean(self.leave_out, KINDS)}")
        if self.n is not None and self.n < 2:
            raise EvaluatorError(f"cross-fitting needs at least 2 folds, not {self.n}.")

    @classmethod
    def of(cls, folds: Folds | int | str | None) -> Folds:
        """Make folds from a number of folds by item, or from what is left out."""
        if isinstance(folds, Folds):
            return folds
        return cls(folds) if isinstance(folds, str) else cls(n=folds)

    @property
    def column(self) -> str | None:
        """The column whose values are left out in turn, if any."""
        return self.leave_out.removeprefix(COLUMN) if self.leave_out.startswith(COLUMN) else None

    @property
    def reads(self) -> frozenset[Field]:
        """What of the data decides the folds, beside the names of items and systems."""
        if self.leave_out == "annotator":
            return frozenset({"text", "judgments"})
        return frozenset({"text", "columns"} if self.column is not None else {"text"})

    def within(self, dataset: Dataset) -> Folds:
        """Folds by the same rule within training data, which lacks one fold already: by default fewer, if need be."""
        n = self.n
        if n is not None and (self.leave_out == "system" or self.column is not None):
            n = n - 1 if n > 2 else None
        if n is None and self.leave_out == "item":
            n_parts = len(np.unique(independent_parts(dataset)))
            n = n_parts if 2 <= n_parts < USUAL_NUMBER else None
        return Folds(self.leave_out, n)

    def assign(self, dataset: Dataset, seed: int = 0) -> Codes:
        """The fold of every output, the same as in `score` with this seed."""
        return self.drawn(dataset, np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0]))

    def drawn(self, dataset: Dataset, rng: np.random.Generator) -> Codes:
        """The fold of every output: groups, largest first and ties shuffled, go to the smallest fold so far."""
        if self.leave_out == "system":
            return _by_system(dataset, self.n, rng)
        together = independent_parts(dataset)
        if self.leave_out == "annotator":
            group = _main_annotator(dataset, together)
        else:
            group = together if self.column is None else column_codes(dataset, self.column)
        n = self.n or (USUAL_NUMBER if self.column is None else len(np.unique(group)))
        return _placed(group, n, rng, self.leave_out)

    def keys(self, dataset: Dataset) -> Iterator[Codes]:
        """Codes of every output; a model scores no output that shares one with its training data."""
        yield dataset.outputs.text.codes().astype(np.int64)
        if self.leave_out == "system":
            # Human texts are kept apart by item instead.
            yield np.where(dataset.human, len(dataset.systems) + dataset.outputs.item, dataset.outputs.system)
            return
        yield dataset.outputs.item
        if self.column is not None:
            yield column_codes(dataset, self.column)


def column_codes(dataset: Dataset, name: str) -> Codes:
    """Number the values of an output column."""
    columns = dataset.outputs.columns
    if name not in columns:
        raise EvaluatorError(f"no output column {name!r} to make folds by.{did_you_mean(name, columns)}")
    values = columns[name]
    n_gaps = int((~is_given(values)).sum())
    if n_gaps:
        raise EvaluatorError(f"folds by column {name!r} need a value for every output, and {n_gaps} have none.")
    if isinstance(values, Strings):
        return values.codes().astype(np.int64)
    return np.unique(values, return_inverse=True)[1].astype(np.int64)


def _by_system(dataset: Dataset, n: int | None, rng: np.random.Generator) -> Codes:
    """A fold per generator, or n folds of them; human texts are spread over the folds by item."""
    human, fold = dataset.human, np.zeros(len(dataset.outputs), np.int64)
    written_by = dataset.outputs.system[~human]
    n = n or len(np.unique(written_by))
    if n < 2:
        raise EvaluatorError(
            f"leaving one system out needs at least two generators, and this data has {n}. Give training data with "
            "--train, or leave out items."
        )
    fold[~human] = _placed(written_by, n, rng, "system")
    if human.any():
        fold[human] = _placed(independent_parts(dataset)[human], n, rng, "item")
    return fold


def independent_parts(dataset: Dataset) -> Codes:
    """Number the connected components of outputs that share an item or a text."""
    return connected([dataset.outputs.item, dataset.outputs.text.codes().astype(np.int64)])


def _main_annotator(dataset: Dataset, component: Codes) -> Codes:
    """For every output, who judged most of its component; an unjudged component gets a code of its own."""
    judged, annotator = judged_outputs_and_annotators(dataset)
    n_annotators, n_components = len(dataset.judgments.annotators), int(component.max(initial=-1)) + 1
    pairs, votes = np.unique(component[judged] * n_annotators + annotator, return_counts=True)
    pairs = pairs[np.argsort(-votes, kind="stable")]
    judged_components, first = np.unique(pairs // max(1, n_annotators), return_index=True)
    main = n_annotators + np.arange(n_components)
    main[judged_components] = pairs[first] % max(1, n_annotators)
    return main[component]


def judged_outputs_and_annotators(dataset: Dataset) -> tuple[Codes, Codes]:
    """The output and the annotator of every judgment; one of a set or a system counts for all its outputs."""
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
            f"{n_folds} folds need at least {n_folds} {needs}. Use fewer folds, or give training data with --train."
        )
    if len(groups) == n_folds and what not in ("item", "annotator"):
        return group.astype(np.int64)
    sizes = np.bincount(group)
    order = rng.permutation(len(groups))
    order = order[np.argsort(-sizes[order], kind="stable")]
    load = np.zeros(n_folds, np.int64)
    fold_of_group = np.zeros(len(groups), np.int64)
    for number in order.tolist():
        fold = int(load.argmin())
        fold_of_group[number] = fold
        load[fold] += sizes[number]
    return fold_of_group[group]
