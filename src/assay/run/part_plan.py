"""How scoring data in parts is distributed: what is scored part by part, and what needs all the data at once."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from assay.applied import Applied
from assay.errors import AssayError, EvaluatorError
from assay.evaluator import Counted, Evaluator, Fitted, PerRequest
from assay.io.parts import DataPart, DataParts
from assay.kernels.overlap.key_counts import KeyCounts
from assay.needs import check_needs, choose_unit, native_unit, parse_for
from assay.records import Dataset
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.scores import PAIRED

# The most memory that data brought together in one process may take, unless told otherwise.
GATHER_BYTES = 2 * 2**30
# Peak memory of a process: what it takes without data, and per byte of data to read, tokenize and score it. Measured
# with BLEU, chrF, ROUGE and distinct on parts of 2,000 to 200,000 outputs with five references.
PROCESS_BYTES = 320 * 2**20
WORKING_SPACE = 20


@dataclass(frozen=True)
class Plan:
    """What will be done.

    Attributes:
        kind: the unit of the scores.
        mapped: the evaluators that score part by part.
        counted: those of them that need counts over all parts first, such as document frequencies.
        trained: those of them that are fitted on a training set first.
        gathered: those that need all the data in one process, each with the reason.
        sample: the first part, on which the plan was made.
        n_outputs: in all parts.
        part_bytes: memory to score one part.
        whole_bytes: memory to score all the data at once.
    """

    kind: str
    mapped: Mapping[str, Evaluator]
    counted: Mapping[str, Evaluator]
    trained: Mapping[str, Evaluator]
    gathered: Mapping[str, tuple[Evaluator, str]]
    sample: Dataset
    n_outputs: int
    part_bytes: int
    whole_bytes: int

    @property
    def evaluators(self) -> dict[str, Evaluator]:
        """All evaluators."""
        return {**self.mapped, **{name: evaluator for name, (evaluator, _) in self.gathered.items()}}

    def check_gathered(self, limit: int) -> None:
        """Refuse to bring together more than fits."""
        if self.gathered and self.whole_bytes > limit:
            share = max(0, limit - PROCESS_BYTES) / (self.whole_bytes - PROCESS_BYTES)
            rows = int(self.n_outputs * share)
            reasons = [f"{name}: {why}." for name, (_, why) in self.gathered.items()]
            whole = f"All {self.n_outputs:,} outputs in one process would take about {size_text(self.whole_bytes)}"
            raise EvaluatorError(
                "\n".join(reasons) + f"\n{whole}, and the limit is {size_text(limit)}, about {rows:,} outputs. Leave "
                "these evaluators out, score a sample, or raise the limit with --gather."
            )


def make_plan(
    data: DataParts,
    evaluators: Sequence[str | Evaluator],
    unit: str | None,
    learning: Learning,
    sizes: Sequence[int] | None = None,
) -> Plan:
    """Decide how each evaluator is distributed, by its shape.

    `sizes` are the outputs of each part; without them, they are estimated from the sizes of the files.
    """
    sample, parsed, first = _sample(data, evaluators, of_pairs=unit in PAIRED)
    if sizes is None:
        sizes = [round(len(sample) * part.n_bytes / first.n_bytes) for part in data.parts]
    kind = choose_unit(sample, list(parsed.values()), unit)
    trains = learning.train is not None and learning.folds == Folds()
    why = {name: why_whole(_prepared(evaluator, trains), kind, sample) for name, evaluator in parsed.items()}
    if kind == "system":
        why = {name: reason or "the scores of systems have no parts" for name, reason in why.items()}
    per_output = WORKING_SPACE * len(pickle.dumps(sample)) / max(1, len(sample))
    mapped = {name: evaluator for name, evaluator in parsed.items() if not why[name]}
    trained = {name: evaluator for name, evaluator in mapped.items() if isinstance(evaluator.shape, Fitted)}
    learning.check(sample, list(trained.values()))
    return Plan(
        kind,
        mapped,
        {name: evaluator for name, evaluator in mapped.items() if isinstance(evaluator.shape, Counted)},
        trained,
        {name: (evaluator, why[name]) for name, evaluator in parsed.items() if why[name]},
        sample,
        sum(sizes),
        int(PROCESS_BYTES + per_output * max(sizes, default=0)),
        int(PROCESS_BYTES + per_output * sum(sizes)),
    )


def _prepared(evaluator: Evaluator, trains: bool) -> Evaluator:
    """The evaluator as it is once the counts over all parts, or a model of the training set, are there."""
    shape = evaluator.shape
    if isinstance(shape, Counted):
        return replace(evaluator, shape=shape.given(KeyCounts.total([])))
    if isinstance(shape, Fitted) and trains and not shape.offers:
        return replace(evaluator, shape=shape.given(None))
    return evaluator


def why_whole(evaluator: Evaluator, kind: str, dataset: Dataset) -> str:
    """Why an evaluator needs all the data at once, in words; empty if its shape says that it scores unit by unit."""
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
    if native == "output" and evaluator.references is not None and evaluator.references.whole:
        return f"{evaluator.references!r} looks for references among all outputs"
    if native == "system":
        return "the outputs of a system are in all parts"
    for use in evaluator.uses(dataset):
        inner = native if use.unit in (None, "pair") and native in PAIRED else use.unit or native
        reason = why_whole(use.evaluator, inner, dataset)
        if reason:
            return f"it uses {use.evaluator!r}, and {reason}"
    return ""


def _sample(
    data: DataParts, evaluators: Sequence[str | Evaluator], *, of_pairs: bool
) -> tuple[Dataset, dict[str, Evaluator], DataPart]:
    """The first part that can be read and has what evaluators need, and the evaluators by name."""
    failure: AssayError | None = None
    for part in data.parts:
        try:
            sample = part.load()
            parsed = {
                one if isinstance(one, str) else repr(one): parse_for(sample, one) if isinstance(one, str) else one
                for one in evaluators
            }
            if not parsed:
                raise EvaluatorError("no evaluators. Name one, such as bleu; `assay list` shows all.")
            check_needs(sample, list(parsed.values()), of_pairs=of_pairs)
            return sample, parsed, part
        except AssayError as error:
            failure = failure or error
    assert failure is not None
    raise failure


def size_text(n_bytes: float) -> str:
    """A number of bytes in words."""
    return f"{n_bytes / 2**30:.1f} GB" if n_bytes >= 2**30 else f"{n_bytes / 2**20:.0f} MB"
