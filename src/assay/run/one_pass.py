"""Passes over the units of a data set: cached columns are read, the others are scored chunk by chunk."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch, TextBank, Used, text_numbers
from assay.errors import EvaluatorError
from assay.evaluator import Additive, Evaluator, PerRequest, Scored, Use
from assay.io.cache import ScoreCache
from assay.kernels.pairs.set_pairs import pairs_within
from assay.kernels.ragged import Ragged
from assay.needs import native_unit
from assay.outside_code import outside_code
from assay.records import Dataset
from assay.registry import travels
from assay.run.executor import Executor, Serial
from assay.run.fitting import fit_and_score
from assay.run.folds import Folds
from assay.run.guard import stacked
from assay.run.learning import Learning
from assay.run.requests import Progress, Requests, Sender, ask
from assay.run.work import Work
from assay.scores import FOR_NOW, PAIRED, Column, Gaps
from assay.units import Units

# Outputs per chunk: large enough that the work hides the overhead, small enough to bound memory.
CHUNK = 20_000


@dataclass(frozen=True, eq=False)
class Settings:
    """What holds for all passes of a run; see `score`."""

    learning: Learning = field(default_factory=Learning)
    executor: Executor = field(default_factory=Serial)
    cache: ScoreCache | None = None
    progress: Progress | None = None
    sender: Sender = field(default_factory=lambda: Sender(Requests()))


class FailedForNow(Exception):
    """Training units could not be scored for a reason outside the data, so what would be learnt is not to be kept."""


class Run:
    """The passes over one data set. An evaluator scores the units of a kind once, whoever asks for it."""

    def __init__(self, dataset: Dataset, settings: Settings) -> None:
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
        """Score the units of a kind; an evaluator that only scores finer ones is pooled."""
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
        """The scores behind those of a kind of unit, and the kind they are about."""
        native = native_unit(self.dataset, evaluator, kind)
        return self.over(native).columns([evaluator])[evaluator], native

    def used_columns(self, evaluators: Iterable[Evaluator], kind: str) -> dict[Evaluator, Column]:
        """Score the units of a kind for another evaluator; what is pooled is withheld where a score failed for now."""
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
        # Keys are made before anything is scored: a function of one's own may change what it reaches.
        cache = self.settings.cache
        keys = {evaluator: self._key(evaluator) for evaluator in fresh} if cache else {}
        for evaluator, key in keys.items():
            stored = cache.get(key, repr(evaluator)) if cache and key else None
            if stored is not None:
                self._columns[evaluator] = self._described(stored, evaluator)
        fresh = [evaluator for evaluator in fresh if evaluator not in self._columns]
        # What others use comes first, or it would be scored for them and then again.
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
        """All units as an evaluator is given them."""
        work, rows = self._work([evaluator]), np.arange(len(self.units))
        sources = [source for source in work.sources if source is not None]
        return work.batch(0, rows, TextBank(self.run.dataset, text_numbers(self.units, rows, sources)))

    def _chunks(self) -> list[NDArray[np.int64]]:
        """Units in runs of about CHUNK outputs each."""
        numbers = np.arange(len(self.units))
        cuts = np.searchsorted(
            self.units.members.offsets[1:], np.arange(CHUNK, int(self.units.members.offsets[-1]), CHUNK)
        )
        return [part for part in np.split(numbers, cuts) if len(part)]

    def _score_all(self, evaluators: Sequence[Evaluator]) -> None:
        """Score in chunks, wherever the executor runs them; here what needs all units at once, or cannot leave."""
        executor = self.settings.executor
        whole = [evaluator for evaluator in evaluators if evaluator.shape.whole]
        in_chunks = [evaluator for evaluator in evaluators if not evaluator.shape.whole]
        staying = [evaluator for evaluator in in_chunks if not (executor.in_process or travels(evaluator))]
        leaving = [evaluator for evaluator in in_chunks if evaluator not in staying]
        self._score(leaving, self._chunks(), executor)
        self._score(staying, self._chunks(), Serial())
        self._score(whole, [np.arange(len(self.units))], Serial())

    def _score(self, evaluators: Sequence[Evaluator], chunks: list[NDArray[np.int64]], executor: Executor) -> None:
        if not evaluators:
            return
        parts: list[list[Scored]] = [[] for _ in evaluators]
        for done, scored in enumerate(executor.map(self._work(evaluators).score, chunks), 1):
            for own, part in zip(parts, scored, strict=True):
                own.append(part)
            if self.settings.progress:
                self.settings.progress(done, len(chunks))
        for evaluator, own in zip(evaluators, parts, strict=True):
            self._columns[evaluator] = self._described(_column(evaluator, own), evaluator)

    def _work(self, evaluators: Sequence[Evaluator]) -> Work:
        return Work(
            self.units,
            tuple(evaluators),
            tuple(map(self._source, evaluators)),
            tuple(map(self._used, evaluators)),
            # What is fitted or asks a service scores all units at once, and never leaves this process.
            *((self._fit_and_score, self._ask) if evaluators[0].shape.whole else ()),
        )

    def _source(self, evaluator: Evaluator) -> Ragged | None:
        references = evaluator.references
        if references is None or self.units.kind != "output":
            return None
        if references.signature not in self._sources:
            self._sources[references.signature] = references.resolve(self.units.dataset)
        return self._sources[references.signature]

    def _used(self, evaluator: Evaluator) -> tuple[Used, ...]:
        """The scores that an evaluator uses; those about units of one kind are made together."""
        uses = evaluator.uses(self.run.dataset)
        columns: dict[Use, Used] = {}
        for about in dict.fromkeys((use.unit, use.max_pairs, use.both_ways) for use in uses):
            alike = [use for use in uses if (use.unit, use.max_pairs, use.both_ways) == about]
            columns |= self._alike(alike)
        return tuple(columns[use] for use in uses)

    def _alike(self, uses: Sequence[Use]) -> dict[Use, Used]:
        """The scores of evaluators that are all used in the same way."""
        use, evaluators = uses[0], [use.evaluator for use in uses]
        kind = self.units.kind
        if use.unit == "pair" and kind not in PAIRED:
            inside, groups = self._pairs_inside(use.max_pairs, use.both_ways)
            columns = inside.columns(evaluators)
        elif use.unit in (None, kind, "pair"):
            # Nothing is pooled to pairs, and these may be others than those inside the sets.
            columns = self.columns(evaluators) if kind in PAIRED else self.run.used_columns(evaluators, kind)
            groups = Ragged.singles(np.arange(len(self.units)))
        else:
            columns, groups = self.run.used_columns(evaluators, "output"), self.units.members
        # Statistics stay behind: they are large, and what finishes them does not travel to other processes.
        return {use: Used(replace(columns[use.evaluator], statistics=None, finish=None), groups) for use in uses}

    def _pairs_inside(self, max_pairs: int, both_ways: bool) -> tuple[Pass, Ragged]:
        """The pass over the pairs of outputs inside each unit, and the pairs of each unit."""
        if self.units.kind == "output":
            raise EvaluatorError("an output holds no pairs of outputs. Use an evaluator of sets or systems.")
        members = self.units.members
        left, right, ends = pairs_within(members.values, members.offsets, max_pairs, np.random.default_rng(0))
        if both_ways:
            # Side by side, so that a chunk tokenizes the texts of both directions once.
            pairs = Ragged.pairs(np.column_stack([left, right]).ravel(), np.column_stack([right, left]).ravel())
            return self.run.over_pairs(pairs), Ragged(np.arange(len(pairs)), 2 * ends)
        groups = Ragged(np.arange(len(left)), ends)
        sizes = members.lengths
        if self.units.kind == "set" and (sizes * (sizes - 1) // 2 <= max_pairs).all():
            return self.run.over("pair"), groups
        return self.run.over_pairs(Ragged.pairs(left, right)), groups

    def _fit_and_score(self, evaluator: Evaluator, batch: Batch) -> Scored:
        learning = self.settings.learning

        def prepared(units: Units) -> Batch:
            nested = Learning(folds=Folds(n=learning.folds.n), seed=learning.seed)
            run = Run(units.dataset, replace(self.settings, learning=nested, progress=None))
            batch = (run.over(units.kind) if units.pairs is None else run.over_pairs(units.pairs)).batch(evaluator)
            for reason in (reason for used in batch.used for reason in used.column.gaps.for_now):
                raise FailedForNow(reason.removeprefix(FOR_NOW))
            return batch

        return fit_and_score(evaluator, batch, learning, prepared)

    def _described(self, column: Column, evaluator: Evaluator) -> Column:
        finish = evaluator.shape.pooled if isinstance(evaluator.shape, Additive) else None
        how = f"|{self.settings.learning.signature}" if evaluator.learns(self.run.dataset) else ""
        signature = f"{evaluator.signature}{how}"
        better = evaluator.higher_is_better(self.run.dataset)
        return replace(column, signature=signature, higher_is_better=better, finish=finish)

    def _ask(self, shape: PerRequest, batch: Batch) -> Scored:
        return ask(shape, batch, self.settings.sender, self.settings.progress)

    def _key(self, evaluator: Evaluator) -> tuple[str, ...] | None:
        """What scores are kept by, None where they may not be kept."""
        dataset = self.run.dataset
        # What a service replied is kept by the store of answers, request by request.
        kept = evaluator.about.stored and not isinstance(evaluator.shape, PerRequest)
        code = outside_code(evaluator, dataset) if kept else None
        if code is None:
            return None
        key = (dataset.fingerprint, evaluator.signature, self.name, code)
        if evaluator.learns(dataset):
            return (*key, self.settings.learning.signature)
        return key


def _column(evaluator: Evaluator, parts: list[Scored]) -> Column:
    scored = stacked(parts)
    column = Column(repr(evaluator), scored.values, scored.gaps, texts=scored.texts)
    # Where no unit could be scored there are no statistics, and nobody knows how many a row would have.
    if isinstance(evaluator.shape, Additive) and scored.values.ndim == 2:
        column = replace(column, statistics=scored.values, values=_finished(evaluator.shape, scored))
    return column


def _finished(shape: Additive, statistics: Scored) -> NDArray[np.float64]:
    known = statistics.gaps.codes == 0
    if known.all():
        return shape.finish(statistics.values)
    values = np.full(len(statistics.values), np.nan)
    values[known] = shape.finish(statistics.values[known]) if known.any() else np.nan
    return values


def _groups(dataset: Dataset, native: str, kind: str) -> Ragged:
    """The units of the finer kind in each unit of the coarser one."""
    fine, coarse = Units(native, dataset), Units(kind, dataset)
    first_output = fine.members.values[fine.members.offsets[:-1]]
    if kind == "set":
        return Ragged.grouped(dataset.outputs.set[first_output], len(coarse))
    number = np.full(len(dataset.systems) + 1, -1)
    number[coarse.system] = np.arange(len(coarse))
    return Ragged.grouped(number[fine.system], len(coarse))
