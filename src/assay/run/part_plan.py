"""How scoring data in parts is distributed: what is scored part by part, and what needs all the data at once."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.applied import Applied, Saved, saved_models
from assay.errors import AssayError, EvaluatorError
from assay.evaluator import Additive, Counted, Evaluator, Fitted, PerRequest
from assay.io.part_fields import EVERYTHING, Fields
from assay.io.parts import DataPart, DataParts, PartNames
from assay.kernels.overlap.key_counts import KeyCounts
from assay.needs import check_needs, choose_unit, native_unit, parse_for
from assay.records import Dataset
from assay.references import References
from assay.registry import travels
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.run.part_references import sources_of
from assay.scores import PAIRED, Finish
from assay.shapes import Apart, Field

# The most memory that data brought together in one process may take, unless told otherwise.
GATHER_BYTES = 2 * 2**30
OF_SYSTEM = "it needs all outputs of a system"
# What stands on the line of an output and is about it alone. The rest may stand with outputs of other systems.
OF_LINES: Fields = frozenset({"text", "logprobs"})
# What is read to keep training data apart.
KEPT_APART: Mapping[Apart, Fields] = {
    "text": frozenset({"text"}),
    "context": frozenset({"text", "context"}),
    "game": frozenset({"text", "choices"}),
}
# Peak memory of a process: what it takes without data, and per byte of data to read, tokenize and score it. Measured
# with BLEU, chrF, ROUGE and distinct on parts of 2,000 to 200,000 outputs with five references.
PROCESS_BYTES = 320 * 2**20
WORKING_SPACE = 20


@dataclass(frozen=True)
class Plan:
    """What will be done.

    Attributes:
        kind: the unit of the scores.
        evaluators: all of them, in the order in which they were asked.
        mapped: those that score part by part.
        counted: those of them that need counts over all parts first, such as document frequencies.
        trained: those of them that are fitted on a training set first.
        pooled: those of them whose references are chosen from the texts of all parts.
        by_system: those that need all outputs of a system, and score one system after the other.
        gathered: those that need all the data in one process, each with the reason.
        cross_fitted: those of them that are fitted there, and can then score part by part.
        read_at_once: what is read of the data for the gathered ones.
        saved: the saved models in all of them.
        first: the first parts that together have what evaluators need, as a rule one, on which the plan was made.
        sample: what is in them.
        n_outputs: in all parts.
        n_largest: of the largest system.
        n_pooled: in all pools of references together.
        part_bytes: memory to score one part.
        pool_bytes: memory for the pools of references, in each process.
        system_bytes: memory to score the largest system.
        whole_bytes: memory to score all the data at once, or what the gathered ones read of it.
    """

    kind: str
    evaluators: Mapping[str, Evaluator]
    mapped: Mapping[str, Evaluator]
    counted: Mapping[str, Evaluator]
    trained: Mapping[str, Evaluator]
    pooled: Mapping[str, Evaluator]
    by_system: Mapping[str, Evaluator]
    gathered: Mapping[str, tuple[Evaluator, str]]
    cross_fitted: Mapping[str, Evaluator]
    read_at_once: Fields
    saved: Saved
    first: DataParts
    sample: Dataset
    n_outputs: int
    n_largest: int
    n_pooled: int
    part_bytes: int
    pool_bytes: int
    system_bytes: int
    whole_bytes: int

    @property
    def in_parts(self) -> dict[str, Evaluator]:
        """Those that score part by part, once they are fitted."""
        return {**self.mapped, **self.cross_fitted}

    @property
    def native(self) -> dict[str, str]:
        """The units that evaluators score by themselves where they score part by part."""
        return {name: native_unit(self.sample, evaluator, self.kind) for name, evaluator in self.in_parts.items()}

    def finish(self, name: str) -> Finish | None:
        """What turns sums of statistics into scores, if an evaluator has statistics."""
        shape = self.evaluators[name].shape
        return shape.pooled if isinstance(shape, Additive) else None

    def check_gathered(self, limit: int) -> None:
        """Refuse to bring together more than fits."""
        if self.gathered:
            reasons = {name: why for name, (_, why) in self.gathered.items()}
            what = f"All {self.n_outputs:,} outputs in one process"
            _check_fits(reasons, what, self.n_outputs, self.whole_bytes, limit)
        if self.pooled:
            reasons = dict.fromkeys(self.pooled, "its references are chosen from a pool of texts, in every process")
            _check_fits(reasons, f"Pools of {self.n_pooled:,} texts", self.n_pooled, self.pool_bytes, limit)
        if self.by_system:
            reasons = dict.fromkeys(self.by_system, OF_SYSTEM)
            what = f"The {self.n_largest:,} outputs of the largest system in one process"
            _check_fits(reasons, what, self.n_largest, self.system_bytes, limit)


def make_plan(
    data: DataParts,
    evaluators: Sequence[str | Evaluator],
    unit: str | None,
    learning: Learning,
    names: Sequence[PartNames] | None = None,
) -> Plan:
    """Decide how each evaluator is distributed, by its shape.

    `names` are those in each part; without them, numbers of outputs are estimated from the sizes of the files.
    """
    sample, parsed, kind, first = first_parts(data, evaluators, unit)
    sizes = Sizes.of(names) if names is not None else Sizes.estimated(data, sample, first)
    trains = learning.train is not None and learning.folds == Folds()
    why = {name: why_whole(_prepared(one, kind, sample, trains), kind, sample) for name, one in parsed.items()}
    by_system = {name: parsed[name] for name, reason in why.items() if reason == OF_SYSTEM}
    gathered = {name: (parsed[name], reason) for name, reason in why.items() if reason not in ("", OF_SYSTEM)}
    mapped = {name: evaluator for name, evaluator in parsed.items() if not why[name]}
    trained = {name: evaluator for name, evaluator in mapped.items() if isinstance(evaluator.shape, Fitted)}
    learning.check(sample, list(trained.values()))
    pools = {name: pool for name, evaluator in mapped.items() if (pool := _pools(evaluator, sample))}
    n_pooled = sum(sizes.n_of(one) for one in {one for pool in pools.values() for one in pool})
    of_systems = fields_read(by_system.values(), sample)
    at_once = fields_read([evaluator for evaluator, _ in gathered.values()], sample)
    if any(evaluator.learns(sample) for evaluator, _ in gathered.values()):
        at_once |= learning.folds.reads
    return Plan(
        kind,
        parsed,
        mapped,
        {name: evaluator for name, evaluator in mapped.items() if isinstance(evaluator.shape, Counted)},
        trained,
        {name: mapped[name] for name in pools},
        by_system,
        gathered,
        {name: evaluator for name, (evaluator, _) in gathered.items() if _scores_in_parts(evaluator, kind, sample)},
        at_once,
        saved_models(parsed, sample),
        first,
        sample,
        sizes.n_outputs,
        sizes.n_largest,
        n_pooled,
        bytes_for(sizes.largest_part, sample),
        bytes_for(n_pooled, first.load(frozenset({"text"}))) if pools else 0,
        bytes_for(sizes.n_largest, first.load(of_systems)) if by_system else 0,
        bytes_for(sizes.n_outputs, first.load(at_once)) if gathered else 0,
    )


@dataclass(frozen=True)
class Sizes:
    """Numbers of outputs, in the largest part and of each system, and which systems are human."""

    largest_part: int
    n_of_system: Mapping[str, int]
    humans: frozenset[str]
    is_estimate: bool = False

    @classmethod
    def of(cls, names: Sequence[PartNames]) -> Sizes:
        """Those of all parts."""
        n_of_system = sum((Counter(part.n_of_system) for part in names), Counter[str]())
        humans = frozenset[str]().union(*(part.humans for part in names))
        return cls(max(len(part.id) for part in names), n_of_system, humans)

    @classmethod
    def estimated(cls, data: DataParts, sample: Dataset, first: DataParts) -> Sizes:
        """As if all parts were like the sample, by the sizes of their files."""
        counts = sample.outputs_by_system.lengths * data.n_bytes / first.n_bytes
        n_of_system = dict(zip(sample.systems.id, np.rint(counts).astype(int).tolist(), strict=True))
        humans = frozenset(sample.systems.id.take(np.flatnonzero(sample.systems.human)))
        largest = max(part.n_bytes for part in data.parts)
        return cls(round(len(sample) * largest / first.n_bytes), n_of_system, humans, is_estimate=True)

    @property
    def n_outputs(self) -> int:
        """The number of all outputs."""
        return sum(self.n_of_system.values())

    @property
    def n_largest(self) -> int:
        """The outputs of the largest system."""
        return max(self.n_of_system.values(), default=0)

    def n_of(self, references: References) -> int:
        """The outputs that may serve as references; raises if there are none."""
        try:
            systems = references.systems({name: name in self.humans for name in self.n_of_system})
        except EvaluatorError:
            if self.is_estimate:  # other parts may have them
                return 0
            raise
        return sum(self.n_of_system[name] for name in systems)


def _pools(evaluator: Evaluator, sample: Dataset) -> list[References]:
    """The sources of an evaluator that choose references from the texts of all parts."""
    return [one for one in sources_of([evaluator], sample).values() if one.source.choose is not None]


def _prepared(evaluator: Evaluator, kind: str, sample: Dataset, trains: bool) -> Evaluator:
    """The evaluator as it is once the counts over all parts, or a model of the training set, are there.

    These are made for units that are in one part.
    """
    shape = evaluator.shape
    if native_unit(sample, evaluator, kind) == "system":
        return evaluator
    if isinstance(shape, Counted):
        return replace(evaluator, shape=shape.given(KeyCounts.total([])))
    if isinstance(shape, Fitted) and trains and not shape.offers:
        return replace(evaluator, shape=shape.given(None))
    return evaluator


def why_whole(evaluator: Evaluator, kind: str, dataset: Dataset) -> str:
    """Why an evaluator needs all the data at once, in words; empty if its shape says that it scores unit by unit.

    OF_SYSTEM if all the data of one system is enough.
    """
    shape = evaluator.shape
    if isinstance(shape, Fitted):
        return (
            "it is fitted on the other outputs; give it training data (--train), or `assay fit` once and score with "
            "model='FOLDER', part by part"
        )
    if isinstance(shape, PerRequest):
        return "it asks a service, with one budget and one store of answers"
    if shape.whole:
        return "each of its scores depends on all units"
    if (shape.offers or callable(shape.uses)) and not isinstance(shape, Applied):
        return "what it scores depends on the judgments or columns of all the data"
    native = native_unit(dataset, evaluator, kind)
    for use in evaluator.uses(dataset):
        inner = native if use.unit in (None, "pair") and native in PAIRED else use.unit or native
        reason = why_whole(use.evaluator, inner, dataset)
        if reason not in ("", OF_SYSTEM):
            return f"it uses {use.evaluator!r}, and {reason}"
    if native != "system":
        return ""
    beyond = sorted(fields_read([evaluator], dataset) - OF_LINES)
    if beyond:
        return f"{OF_SYSTEM}, and may read what stands with others: {', '.join(beyond)} (`reads` says what it reads)"
    return OF_SYSTEM


def _scores_in_parts(evaluator: Evaluator, kind: str, dataset: Dataset) -> bool:
    """Whether an evaluator that is fitted on all the data scores unit by unit then, wherever its models are."""
    shape = evaluator.shape
    if not isinstance(shape, Fitted) or shape.offers or kind == "system" or not travels(evaluator):
        return False
    if any(one.source.among is not None for one in sources_of([evaluator], dataset).values()):
        return False
    return not why_whole(replace(evaluator, shape=shape.given(None)), kind, dataset)


def first_parts(
    data: DataParts, evaluators: Sequence[str | Evaluator], unit: str | None
) -> tuple[Dataset, dict[str, Evaluator], str, DataParts]:
    """What is in the first parts that have what evaluators need, the evaluators by name, the unit, and these parts.

    As a rule that is one part. What one evaluator needs may be in other parts than what another needs.
    """
    if not evaluators:
        raise EvaluatorError("no evaluators. Name one, such as bleu; `assay list` shows all.")
    chosen: list[tuple[DataPart, Dataset]] = []
    parsed: dict[str, Evaluator] = {}
    unmet: list[Evaluator] = []
    failures: list[AssayError] = []
    for part in data.parts:
        try:
            dataset = part.load()
        except AssayError as error:
            failures.append(error)
            continue
        if not chosen:
            parsed = {
                one if isinstance(one, str) else repr(one): parse_for(dataset, one) if isinstance(one, str) else one
                for one in evaluators
            }
            unmet = list(parsed.values())
        lacking = [evaluator for evaluator in unmet if _lacks(dataset, evaluator, unit)]
        if not chosen or len(lacking) < len(unmet):
            chosen.append((part, dataset))
        unmet = lacking
        if not unmet:
            break
    if not chosen:
        raise failures[0]
    first = replace(data, parts=tuple(part for part, _ in chosen))
    sample = chosen[0][1] if len(chosen) == 1 else first.load()
    check_needs(sample, list(parsed.values()), of_pairs=unit in PAIRED)
    return sample, parsed, choose_unit(sample, list(parsed.values()), unit), first


def _lacks(dataset: Dataset, evaluator: Evaluator, unit: str | None) -> bool:
    """Whether the data lacks what an evaluator needs."""
    try:
        check_needs(dataset, [evaluator], of_pairs=unit in PAIRED)
        choose_unit(dataset, [evaluator], unit)
    except AssayError:
        return True
    return False


def fields_read(evaluators: Iterable[Evaluator], dataset: Dataset) -> Fields:
    """What evaluators, and those that they use, may read of the data."""
    return frozenset[Field]().union(*(_read_by(evaluator, dataset, of_pairs=False) for evaluator in evaluators))


def _read_by(evaluator: Evaluator, dataset: Dataset, *, of_pairs: bool) -> Fields:
    shape = evaluator.shape
    if shape.reads is None:
        return EVERYTHING
    read = {*shape.reads, *EVERYTHING.intersection(evaluator.about.needs)}
    if isinstance(shape, Fitted):
        read |= KEPT_APART[shape.apart]
    if evaluator.references is not None:
        read |= {"text", "references"}  # outputs may be references
    if of_pairs:
        read.discard("references")  # one text is the reference of the other
    for use in evaluator.uses(dataset):
        of_its_pairs = use.unit == "pair" or (use.unit is None and of_pairs)
        read |= _read_by(use.evaluator, dataset, of_pairs=of_its_pairs)
    return frozenset(read)


def bytes_for(n: int, sample: Dataset) -> int:
    """Memory to score so many outputs like those of a sample."""
    return int(PROCESS_BYTES + n * WORKING_SPACE * len(pickle.dumps(sample)) / max(1, len(sample)))


def outputs_within(limit: int, n: int, needed: int) -> int:
    """How many outputs fit in a limit, if n of them take `needed` bytes."""
    return int(n * max(0, limit - PROCESS_BYTES) / max(1, needed - PROCESS_BYTES))


def _check_fits(reasons: Mapping[str, str], what: str, n: int, needed: int, limit: int) -> None:
    if needed > limit:
        rows = outputs_within(limit, n, needed)
        named = [f"{name}: {why}." for name, why in reasons.items()]
        raise EvaluatorError(
            "\n".join(named) + f"\n{what} would take about {size_text(needed)}, and the limit is {size_text(limit)}, "
            f"about {rows:,} outputs. Leave these evaluators out, score a sample, or raise the limit with --gather."
        )


def size_text(n_bytes: float) -> str:
    """A number of bytes in words."""
    return f"{n_bytes / 2**30:.1f} GB" if n_bytes >= 2**30 else f"{n_bytes / 2**20:.0f} MB"
