"""What scoring data in parts will take, estimated from a small sample before anything runs."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from assay.evaluator import Evaluator
from assay.io.parts import DataParts
from assay.records import Dataset
from assay.run.executor import Executor
from assay.run.executor import executor as find_executor
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.run.one_pass import RunSettings
from assay.run.part_plan import GATHER_BYTES, Plan, make_plan
from assay.run.part_references import sources_of
from assay.run.part_scores import counts_of
from assay.run.scoring import score_units

# Outputs of the sample that is scored.
SAMPLE = 2_000


@dataclass(frozen=True)
class Estimate:
    """What will be read and how long it takes.

    Attributes:
        plan: what is scored part by part, and what in one process.
        n_parts: the number of parts.
        n_bytes: the size of all files.
        passes: what is read, in order: names, all the data in one process if anything needs it, and the parts.
        n_workers: how many processes or threads score at once.
        gather: the most memory that data brought together in one process may take.
        cpu_seconds: to read and score all parts, without what is gathered or fitted.
        count_bytes: the most memory that counts over all parts can take in each process.
        seconds_per_million: CPU seconds to score a million outputs by each evaluator alone, tokenizing included.
    """

    plan: Plan
    n_parts: int
    n_bytes: int
    passes: tuple[str, ...]
    n_workers: int
    gather: int
    cpu_seconds: float
    count_bytes: int = 0
    seconds_per_million: Mapping[str, float] = field(default_factory=dict)

    @property
    def seconds(self) -> float:
        """The time it takes if workers do nothing else, without what is gathered."""
        return self.cpu_seconds / max(1, min(self.n_workers, self.n_parts))


def plan_parts(
    data: str | Path | Sequence[str | Path],
    evaluators: Sequence[str | Evaluator],
    *,
    unit: str | None = None,
    gather: int = GATHER_BYTES,
    executor: str | Executor | None = None,
    train: Dataset | None = None,
    folds: Folds | int | str | None = None,
) -> Estimate:
    """Say what `score_parts` would do: refuse what it would refuse, and estimate the rest from a part."""
    parts = DataParts.find(data)
    parts.check_columns()
    plan = make_plan(parts, evaluators, unit, Learning(train, Folds.of(folds)))
    plan.check_gathered(gather)
    # The plan has read these parts already, so that what reading imports and compiles is there.
    start = time.process_time()
    n_read = sum(len(part.load()) for part in plan.first.parts)
    reading = (time.process_time() - start) / max(1, n_read)
    timed = {
        name: one for name, one in plan.mapped.items() if name not in plan.trained and not _looks_beyond(plan, one)
    }
    per_output = reading + _seconds_per_output(plan, timed)
    alone = {name: 1e6 * _seconds_per_output(plan, {name: one}) for name, one in timed.items()}
    passes = (
        "names of outputs, items and sets",
        *(["all the data, in one process"] * bool(plan.gathered and plan.kind != "system")),
        *(["pools of references"] * bool(plan.pooled)),
        *(["counts in parts"] * bool(plan.counted)),
        *(["texts shared with the training data"] * bool(plan.trained)),
        "parts",
        *(["parts again for one system after the other"] * bool(plan.by_system)),
        *(["all the data, in one process"] * bool(plan.gathered and plan.kind == "system")),
    )
    counted = [one for name, one in plan.counted.items() if name in timed]
    count_bytes = sum(one.n_bytes for one in counts_of(plan.sample, counted, plan.kind, {}))
    most_counts = int(count_bytes * plan.n_outputs / max(1, n_read))
    cpu_seconds = per_output * plan.n_outputs
    return Estimate(
        plan, len(parts), parts.n_bytes, passes, _n_workers(executor), gather, cpu_seconds, most_counts, alone
    )


def _looks_beyond(plan: Plan, evaluator: Evaluator) -> bool:
    """Whether its references are of other outputs, which the sample may lack."""
    return any(one.source.among is not None for one in sources_of([evaluator], plan.sample).values())


def _seconds_per_output(plan: Plan, evaluators: Mapping[str, Evaluator]) -> float:
    """CPU seconds to score an output of a sample; scored twice, so that kernels are compiled."""
    sample = _few(plan.sample)
    taken = 0.0
    for _ in range(2 if evaluators else 0):
        start = time.process_time()
        score_units(sample, evaluators, plan.kind, RunSettings(), "gaps")
        taken = time.process_time() - start
    return taken / max(1, len(sample))


def _few(dataset: Dataset) -> Dataset:
    """The outputs of the first items, SAMPLE of them or a few more."""
    item = dataset.outputs.item
    last = item[min(SAMPLE, len(dataset)) - 1] if len(dataset) else 0
    return dataset.select(np.asarray(item <= item[:SAMPLE].max(initial=last)))


def _n_workers(executor: str | Executor | None) -> int:
    engine = find_executor(executor or "serial")
    return int(getattr(engine, "n_workers", getattr(engine, "n", 1)))
