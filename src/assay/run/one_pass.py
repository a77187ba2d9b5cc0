"""Passes over the units of a data set: read cached columns, score the others chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch, TextBank, Used, text_numbers
from assay.errors import EvaluatorError
from assay.evaluator import Additive, Evaluator, PerRequest, PerUnit, Scored, Use
from assay.io.cache import ScoreCache
from assay.kernels.overlap.key_counts import KeyCounts
from assay.kernels.pairs.set_pairs import pairs_within
from assay.kernels.ragged import Ragged
from assay.needs import native_unit
from assay.outside_code import outside_code
from assay.records import Dataset
from assay.references import Resolve
from assay.registry import travels
from assay.run.executor import Executor, ForPython, Serial, Threads
from assay.run.fitting import Models, Prepare, fit_and_score, fitted_models, with_training
from assay.run.guard import stacked
from assay.run.learning import Learning
from assay.run.requests import Progress, Requests, Sender, ask
from assay.run.work import Work
from assay.scores import FOR_NOW, PAIRED, Column, Gaps
from assay.units import Units

# Outputs per chunk: large enough to amortize overhead, small enough to bound memory.
CHUNK = 20_000
# Units that show how long a Python function takes, after some for what it does only once.
WARM_UP, TIMED = 8, 64


@dataclass(frozen=True, eq=False)
class RunSettings:
    """The settings of a run; see `score`.

    `sources` are what resolves references, by signature, where the data is a part of all that they are taken from.
    """

    learning: Learning = field(default_factory=Learning)
    executor: Executor = field(default_factory=Serial)
    cache: ScoreCache | None = None
    progress: Progress | None = None
    sender: Sender = field(default_factory=lambda: Sender(Requests()))
    sources: Mapping[str, Resolve] = field(default_factory=dict)


class FailedForNow(Exception):
    """A transient failure on training units: the resulting model must not be cached."""


class Run:
    """The passes over one data set. Each evaluator scores the units of a kind once."""

    def __init__(self, dataset: Dataset, settings: RunSettings) -> None:
        self.dataset = dataset
        self.settings = settings
        self._passes: dict[str, Pass] = {}

    def over(self, kind: str) -> Pass:
        """The pass over all units of a kind."""
        return self._passes.setdefault(kind, Pass(self, Units(kind, self.dataset), kind))

    def over_pairs(self, pairs: Ragged) -> Pass:
        """The pass over given pairs of outputs."""
        name = f"pair {blake2b(pairs.values.tobytes(), digest_size=16).hexdigest()}"
        return self._passes.setdefault(name, Pass(self, Units("pair", self.dataset, pairs), name))

    def columns(self, evaluators: Iterable[Evaluator], kind: str) -> dict[Evaluator, Column]:
        """Score the units of a kind, pooling the scores of evaluators of finer units."""
        by_native: dict[str, list[Evaluator]] = {}
        for evaluator in evaluators:
            by_native.setdefault(native_unit(self.dataset, evaluator, kind), []).append(evaluator)
        columns: dict[Evaluator, Column] = {}
        for native, group in by_native.items():
            scored = self.over(native).columns(group)
            if native != kind:
                groups = _groups(self.dataset, native, kind)
                scored = {evaluator: column.pooled(groups) for evaluator, column in scored.items()}
            columns.update(scored)
        return columns

    def native_column(self, evaluator: Evaluator, kind: str) -> tuple[Column, str]:
        """The scores before pooling, and the kind of their units."""
        native = native_unit(self.dataset, evaluator, kind)
        return self.over(native).columns([evaluator])[evaluator], native

    def used_columns(self, evaluators: Iterable[Evaluator], kind: str) -> dict[Evaluator, Column]:
        """Score the units of a kind for another evaluator; pooled scores are withheld after a transient failure."""
        columns = self.columns(evaluators, kind)
        for evaluator, column in columns.items():
            for_now = self.native_column(evaluator, kind)[0].gaps.for_now
            if for_now and not column.gaps.for_now:
                gaps = Gaps.where(len(column), {next(iter(for_now)): np.ones(len(column), np.bool_)})
                columns[evaluator] = replace(column, values=np.full(len(column), np.nan), gaps=gaps)
        return columns


class Pass:
    """One pass over units of one kind for several evaluators."""

    def __init__(self, run: Run, units: Units, name: str) -> None:
        self.run = run
        self.units = units
        self.name = name
        self.settings = run.settings
        self._columns: dict[Evaluator, Column] = {}
        self._sources: dict[str, Ragged] = {}

    def columns(self, evaluators: Iterable[Evaluator]) -> dict[Evaluator, Column]:
        """Score the units with each evaluator, or read the scores from the cache."""
        wanted = list(evaluators)
        fresh = [evaluator for evaluator in dict.fromkeys(wanted) if evaluator not in self._columns]
        # Keys come before scoring: a user's function may change state that its key depends on.
        cache = self.settings.cache
        keys = {evaluator: self._key(evaluator) for evaluator in fresh} if cache else {}
        for evaluator, key in keys.items():
            stored = cache.get(key, repr(evaluator)) if cache and key else None
            if stored is not None:
                self._columns[evaluator] = self._described(stored, evaluator)
        fresh = [evaluator for evaluator in fresh if evaluator not in self._columns]
        # Evaluators that others use come first, or they would be scored twice.
        uses = [use for evaluator in fresh for use in evaluator.uses(self.run.dataset)]
        shared = [use.evaluator for use in uses if use.unit in (None, self.units.kind) and use.evaluator in fresh]
        if shared:
            self.columns(shared)
            fresh = [evaluator for evaluator in fresh if evaluator not in self._columns]
        self._score_all(fresh)
        for evaluator in fresh:
            key, column = keys.get(evaluator), self._columns[evaluator]
            if cache and key and not column.gaps.for_now:
                cache.put(key, column)
        return {evaluator: self._columns[evaluator] for evaluator in wanted}

    def batch(self, evaluator: Evaluator) -> Batch:
        """All units in one batch."""
        work, rows = self._work([evaluator]), np.arange(len(self.units))
        sources = [source for source in work.sources if source is not None]
        return work.batch(0, rows, TextBank(self.run.dataset, text_numbers(self.units, rows, sources)))

    def fold_models(self, evaluator: Evaluator) -> tuple[Models, dict[int, Any]]:
        """The models of all folds by number, and which of them scores which unit."""
        learning = self.settings.learning
        batch = with_training(self._work([evaluator]).usable(0, self.batch(evaluator)), learning)
        models = Models.of(batch, learning)
        fitted = fitted_models(evaluator, batch, models, learning, self._preparing(evaluator))
        return models, {number: model for number, _, model in fitted}

    def counts(self, evaluators: Sequence[Evaluator]) -> list[KeyCounts]:
        """What each evaluator counts in all units."""
        found = [self._work(evaluators).count(rows) for rows in self._chunks()]
        return [KeyCounts.total(chunk[number] for chunk in found) for number in range(len(evaluators))]

    def _chunks(self) -> list[NDArray[np.int64]]:
        """The rows of the units, in chunks of about CHUNK outputs."""
        offsets = self.units.members.offsets
        cuts = np.searchsorted(offsets[1:], np.arange(CHUNK, int(offsets[-1]), CHUNK))
        return [rows for rows in np.split(np.arange(len(self.units)), cuts) if len(rows)]

    def _chunks_for_python(self, n_workers: int) -> list[NDArray[np.int64]]:
        """The rows of the units: a few to warm up, some to be timed, the others in enough chunks for all workers."""
        warm_up, timed, rest = np.split(np.arange(len(self.units)), [WARM_UP, WARM_UP + TIMED])
        n_chunks = max(4 * n_workers, int(self.units.members.offsets[-1]) // CHUNK + 1)
        return [rows for rows in (warm_up, timed, *np.array_split(rest, n_chunks)) if len(rows)]

    def _score_all(self, evaluators: Sequence[Evaluator]) -> None:
        """Score chunks on the executor, and in this process what needs all units at once or cannot be pickled."""
        executor = self.settings.executor
        whole = [evaluator for evaluator in evaluators if evaluator.shape.whole]
        in_chunks = [evaluator for evaluator in evaluators if not evaluator.shape.whole]
        local = [evaluator for evaluator in in_chunks if not (executor.in_process or travels(evaluator))]
        in_python: list[Evaluator] = []
        if isinstance(executor, Threads) and executor.n > 1:
            in_python = [one for one in in_chunks if isinstance(one.shape, PerUnit) and travels(one)]
            self._score(in_python, self._chunks_for_python(executor.n), ForPython(executor.n))
        elsewhere = {*local, *in_python}
        self._score([one for one in in_chunks if one not in elsewhere], self._chunks(), executor)
        self._score(local, self._chunks(), Serial())
        self._score(whole, [np.arange(len(self.units))], Serial())

    def _score(self, evaluators: Sequence[Evaluator], chunks: list[NDArray[np.int64]], executor: Executor) -> None:
        if not evaluators:
            return
        parts: list[list[Scored]] = [[] for _ in evaluators]
        for done, scored in enumerate(executor.map(self._work(evaluators).score, chunks), 1):
            for chunks_of_evaluator, chunk in zip(parts, scored, strict=True):
                chunks_of_evaluator.append(chunk)
            if self.settings.progress:
                self.settings.progress(done, len(chunks))
        for evaluator, chunks_of_evaluator in zip(evaluators, parts, strict=True):
            self._columns[evaluator] = self._described(_column(evaluator, chunks_of_evaluator), evaluator)

    def _work(self, evaluators: Sequence[Evaluator]) -> Work:
        return Work(
            self.units,
            tuple(evaluators),
            tuple(map(self._source, evaluators)),
            tuple(map(self._used, evaluators)),
            # Fitted evaluators and those that ask a service take all units at once, and stay in this process.
            *((self._fit_and_score, self._ask) if evaluators[0].shape.whole else ()),
        )

    def _source(self, evaluator: Evaluator) -> Ragged | None:
        references = evaluator.references
        if references is None or self.units.kind != "output":
            return None
        if references.signature not in self._sources:
            resolve = self.settings.sources.get(references.signature, references.resolve)
            self._sources[references.signature] = resolve(self.units.dataset)
        return self._sources[references.signature]

    def _used(self, evaluator: Evaluator) -> tuple[Used, ...]:
        """The scores that an evaluator uses; uses that differ in the evaluator alone share a pass."""
        uses = evaluator.uses(self.run.dataset)
        columns: dict[Use, Used] = {}
        for about in dict.fromkeys((use.unit, use.max_pairs, use.both_ways) for use in uses):
            alike = [use for use in uses if (use.unit, use.max_pairs, use.both_ways) == about]
            columns |= self._alike(alike)
        return tuple(columns[use] for use in uses)

    def _alike(self, uses: Sequence[Use]) -> dict[Use, Used]:
        """The scores of several evaluators used in the same way."""
        use, evaluators = uses[0], [use.evaluator for use in uses]
        kind = self.units.kind
        if use.unit == "pair" and kind not in PAIRED:
            inside, groups = self._pairs_inside(use.max_pairs, use.both_ways)
            columns = inside.columns(evaluators)
        elif use.unit in (None, kind, "pair"):
            # Nothing pools to pairs, and this pass may hold other pairs than those of the sets.
            columns = self.columns(evaluators) if kind in PAIRED else self.run.used_columns(evaluators, kind)
            groups = Ragged.singles(np.arange(len(self.units)))
        else:
            columns, groups = self.run.used_columns(evaluators, "output"), self.units.members
        # Statistics are dropped: they are large, and `finish` cannot be pickled.
        return {use: Used(replace(columns[use.evaluator], statistics=None, finish=None), groups) for use in uses}

    def _pairs_inside(self, max_pairs: int, both_ways: bool) -> tuple[Pass, Ragged]:
        """The pass over the pairs inside each unit, and the pairs of each unit."""
        if self.units.kind == "output":
            raise EvaluatorError("an output has no pairs. Use an evaluator of sets or systems.")
        members = self.units.members
        left, right, ends = pairs_within(members.values, members.offsets, max_pairs, np.random.default_rng(0))
        if both_ways:
            # Both directions side by side, so that a chunk tokenizes their texts once.
            pairs = Ragged.pairs(np.column_stack([left, right]).ravel(), np.column_stack([right, left]).ravel())
            return self.run.over_pairs(pairs), Ragged(np.arange(len(pairs)), 2 * ends)
        groups = Ragged(np.arange(len(left)), ends)
        sizes = members.lengths
        if self.units.kind == "set" and (sizes * (sizes - 1) // 2 <= max_pairs).all():
            return self.run.over("pair"), groups
        return self.run.over_pairs(Ragged.pairs(left, right)), groups

    def _fit_and_score(self, evaluator: Evaluator, batch: Batch) -> Scored:
        return fit_and_score(evaluator, batch, self.settings.learning, self._preparing(evaluator))

    def _preparing(self, evaluator: Evaluator) -> Prepare:
        """What makes a batch of training units, with the scores that an evaluator uses."""
        learning = self.settings.learning

        def prepared(units: Units) -> Batch:
            nested = Learning(folds=learning.folds.within(units.dataset), seed=learning.seed)
            run = Run(units.dataset, replace(self.settings, learning=nested, progress=None))
            try:
                batch = (run.over(units.kind) if units.pairs is None else run.over_pairs(units.pairs)).batch(evaluator)
            except EvaluatorError as error:
                raise EvaluatorError(
                    f"{evaluator.name}, fitting what it uses within its training data: {error}"
                ) from error
            for reason in (reason for used in batch.used for reason in used.column.gaps.for_now):
                raise FailedForNow(reason.removeprefix(FOR_NOW))
            return batch

        return prepared

    def _described(self, column: Column, evaluator: Evaluator) -> Column:
        finish = evaluator.shape.pooled if isinstance(evaluator.shape, Additive) else None
        fitting = f"|{self.settings.learning.signature}" if evaluator.learns(self.run.dataset) else ""
        signature = f"{evaluator.signature}{fitting}"
        better = evaluator.higher_is_better(self.run.dataset)
        return replace(column, signature=signature, higher_is_better=better, finish=finish)

    def _ask(self, shape: PerRequest, batch: Batch) -> Scored:
        return ask(shape, batch, self.settings.sender, self.settings.progress)

    def _key(self, evaluator: Evaluator) -> tuple[str, ...] | None:
        """The cache key of an evaluator's scores, None if they cannot be cached."""
        dataset = self.run.dataset
        # Replies of a service are in the answer store instead, request by request.
        cacheable = evaluator.about.stored and not isinstance(evaluator.shape, PerRequest)
        code = outside_code(evaluator, dataset) if cacheable else None
        if code is None:
            return None
        fitting = (self.settings.learning.signature,) if evaluator.learns(dataset) else ()
        return (dataset.fingerprint, evaluator.signature, self.name, code, *fitting)


def _column(evaluator: Evaluator, parts: list[Scored]) -> Column:
    scored = stacked(parts)
    column = Column(repr(evaluator), scored.values, scored.gaps, texts=scored.texts)
    # If no unit was scored, the number of statistics per row is unknown.
    if isinstance(evaluator.shape, Additive) and scored.values.ndim == 2:
        column = replace(column, statistics=scored.values, values=_finished(evaluator.shape, scored))
    return column


def _finished(shape: Additive, statistics: Scored) -> NDArray[np.float64]:
    scored = statistics.gaps.codes == 0
    if scored.all():
        return shape.finish(statistics.values)
    values = np.full(len(statistics.values), np.nan)
    values[scored] = shape.finish(statistics.values[scored]) if scored.any() else np.nan
    return values


def _groups(dataset: Dataset, native: str, kind: str) -> Ragged:
    """The finer units in each coarser one."""
    fine, coarse = Units(native, dataset), Units(kind, dataset)
    first_output = fine.members.values[fine.members.offsets[:-1]]
    if kind == "set":
        return Ragged.grouped(dataset.outputs.set[first_output], len(coarse))
    number = np.full(len(dataset.systems) + 1, -1)
    number[coarse.system] = np.arange(len(coarse))
    return Ragged.grouped(number[fine.system], len(coarse))
