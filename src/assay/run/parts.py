"""Scoring data in parts: a folder of parts in, a folder of scores out, on any executor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, Unpack
from uuid import uuid4

from assay.errors import AssayError, DataError, WorkerDied
from assay.evaluator import Evaluator
from assay.io.parts import DataPart, DataParts, PartNames
from assay.io.score_parts import open_score_folder, save_part, score_files
from assay.kernels.overlap.key_counts import KeyCounts
from assay.outside_code import outside_code
from assay.references import References
from assay.registry import travels
from assay.run.executor import Executor, Serial
from assay.run.executor import executor as find_executor
from assay.run.facts import Facts
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.run.part_checks import check_items, check_parts, lost_references
from assay.run.part_gather import Gathered, gather_all, scored_at_once
from assay.run.part_models import train_models
from assay.run.part_pace import Pace
from assay.run.part_plan import GATHER_BYTES, Plan, make_plan
from assay.run.part_references import Known, known_of_all, sources_of
from assay.run.part_scores import (
    CountPart,
    OfPart,
    PartOutcome,
    PartTask,
    ScorePart,
    kept_outcome,
    part_key,
    score_path,
)
from assay.run.part_shares import kept_share, share_part
from assay.run.part_systems import table_of_systems
from assay.run.partial_sums import ColumnSums
from assay.run.scoring import ScoringOptions
from assay.scores import ScoreTable
from assay.text.strings import Strings

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class ScoredParts:
    """What became of the parts.

    Attributes:
        folder: where the scores are; `load_scores` reads them as one table.
        kind: the unit of the scores.
        systems: the scores of systems, pooled over all parts.
        sums: the sums behind them, by evaluator.
        n_scored: the parts that were scored now.
        n_kept: the parts whose scores an earlier run had written.
        failures: the parts without scores, and why.
    """

    folder: Path
    kind: str
    systems: ScoreTable
    sums: Mapping[str, ColumnSums]
    n_scored: int
    n_kept: int
    failures: Mapping[str, str]


def score_parts(
    data: str | Path | Sequence[str | Path],
    evaluators: Sequence[str | Evaluator],
    output: str | Path,
    *,
    unit: str | None = None,
    seed: int = 0,
    gather: int = GATHER_BYTES,
    progress: Progress | None = None,
    pace: Pace | None = None,
    **scoring: Unpack[ScoringOptions],
) -> ScoredParts:
    """Score data in parts, each in the memory of one part, and write a Parquet file of scores for each.

    The scores are, to the last bit, those of all the data at once. Parts that an earlier call finished are kept, so a
    call that was interrupted is resumed by the same call. A part that cannot be read or scored is named in the result,
    and the others are scored.

    Args:
        data: a folder of Parquet or JSON-lines files, a pattern, or several files.
        evaluators: by name, signature or value.
        output: a folder, made if it is not there.
        unit: output, pair, matchup or set; by default the coarsest that any of the evaluators needs.
        seed: the random seed.
        gather: evaluators that need all the data at once get it in this process if it takes up to this many bytes.
        progress: called with (parts done, parts in all).
        pace: is told of every part that is scored.
        scoring: `executor`, where parts are scored; the rest is for evaluators that need all the data at once.
    """
    engine = find_executor(scoring.get("executor") or "serial")
    found, names, failures = survey(DataParts.find(data), engine)
    learning = Learning(scoring.get("train"), Folds.of(scoring.get("folds")), seed)
    plan = make_plan(found, evaluators, unit, learning, names)
    plan.check_gathered(gather)
    job = Job(found, names, plan, sources_of(plan.in_parts.values(), plan.sample), learning, scoring, Path(output))
    check_parts(found, names, plan, job.sources.values())
    references_elsewhere = check_items(found, names, plan, job.sources.values(), engine)
    open_score_folder(job.folder, job.question)
    kept_of = kept_share if plan.kind == "system" else kept_outcome
    outcomes = {part: kept for part in found.parts if (kept := kept_of(job.folder, part, job.keys[part])) is not None}
    n_kept = len(outcomes)
    missing = [part for part in found.parts if part not in outcomes]
    if missing:
        engine, work, tasks = _prepared(job, missing, engine)
        for done, (part, outcome) in enumerate(zip(missing, _each(engine, work, tasks), strict=True), 1):
            outcomes[part] = outcome
            if pace:
                pace.add(outcome)
            if progress:
                progress(n_kept + done, len(found))
    failures |= {part.path.name: outcome.failure for part, outcome in outcomes.items() if outcome.failure}
    for name in failures:
        # What an earlier run found in the part as it was then.
        (job.folder / f"{Path(name).stem}.parquet").unlink(missing_ok=True)
    done_parts = {part: outcomes[part] for part in found.parts if not outcomes[part].failure}
    n_scored = len(done_parts) - n_kept
    if plan.kind == "system":
        total = _of_systems(job, done_parts, engine)
        others: Iterable[str] = ()
    else:
        total, others = list(done_parts.values()), _other_scores(job.folder, found)
    systems, sums = _systems(plan, seed, total)
    lost = lost_references(plan, list(done_parts.values())) if references_elsewhere else ()
    systems = replace(systems, notes=(*systems.notes, *lost, *others))
    return ScoredParts(job.folder, plan.kind, systems, sums, n_scored, n_kept, failures)


@dataclass(frozen=True)
class Job:
    """Parts to score: what is in them, how they are scored, and the folder of their scores."""

    data: DataParts
    names: Sequence[PartNames]
    plan: Plan
    sources: Mapping[str, References]
    learning: Learning
    scoring: ScoringOptions
    folder: Path

    @property
    def question(self) -> dict[str, Any]:
        """What is asked of the parts. Scores in a folder answer one question."""
        plan, train = self.plan, self.learning.train
        how = f"{train.fingerprint if train is not None else ''} {self.learning.folds}"
        return {
            "unit": plan.kind,
            "evaluators": {name: evaluator.signature for name, evaluator in plan.evaluators.items()},
            "seed": self.learning.seed,
            "fitting": how if plan.gathered or plan.trained else "",
        }

    @property
    def whole(self) -> DataPart:
        """What the scores of whole systems are called after."""
        return DataPart(self.folder / "systems", 0, 0)

    @cached_property
    def about(self) -> str:
        """All that scores of a part depend on, but for the part: other parts only if they matter."""
        plan = self.plan
        among_others = any(one.source.among is not None for one in self.sources.values())
        others_matter = plan.counted or plan.trained or among_others or (plan.gathered and plan.kind != "system")
        return f"{self.question}\0{self.data.identity if others_matter else ''}\0{_code(plan)}"

    @cached_property
    def keys(self) -> dict[DataPart, str]:
        """The keys under which scores of parts are kept."""
        return {part: part_key(part, self.about) for part in self.data.parts}


def _prepared(
    job: Job, missing: Sequence[DataPart], engine: Executor
) -> tuple[Executor, Callable[[PartTask], PartOutcome], list[PartTask]]:
    """What parts need to know of each other, in the function that scores each of them, and an engine that can."""
    plan, of_systems = job.plan, job.plan.kind == "system"
    gathered = Gathered() if of_systems else gather_all(job.data, job.names, plan, job.learning, job.scoring)
    if not engine.in_process and not all(map(travels, plan.mapped.values())):
        engine = Serial()
    known = known_of_all(job.data, job.names, job.sources, engine)
    counts = _counts(job.data, plan, engine, known)
    models = train_models(job.data, plan, engine, job.learning)
    if not engine.in_process and not all(model.travels for model in models.values()):
        engine = Serial()
    mapped = {**plan.mapped, **{name: one.evaluator for name, one in gathered.cross_fitted.items()}}
    settings = plan.saved, known, counts, models, gathered.cross_fitted
    scoring = ScorePart(mapped, tuple(plan.evaluators), plan.kind, job.learning.seed, job.folder.absolute(), *settings)
    tasks = [PartTask(part, job.keys[part], gathered.of_part.get(part, OfPart())) for part in missing]
    return engine, share_part(scoring, plan) if of_systems else scoring, tasks


def _of_systems(job: Job, outcomes: Mapping[DataPart, PartOutcome], engine: Executor) -> list[PartOutcome]:
    """Scores of whole systems, over the parts that could be read: one file, since a system is in many parts."""
    plan = job.plan
    data = replace(job.data, parts=tuple(outcomes))
    names = [own for part, own in zip(job.data.parts, job.names, strict=True) if part in outcomes]
    key = part_key(job.whole, f"{job.about}\0{data.identity}")
    kept = kept_outcome(job.folder, job.whole, key)
    if kept is not None:
        return [kept]
    path = score_path(job.folder, job.whole)
    path.unlink(missing_ok=True)  # what an earlier run found
    if not outcomes:
        return []

    def compared() -> ScoreTable:
        return scored_at_once(data.load(plan.read_at_once), plan, plan.gathered, job.learning, job.scoring)

    shares = list(outcomes.values())
    table = table_of_systems(data, names, plan, shares, engine, job.learning.seed, compared)
    table = replace(table, columns={name: table[name] for name in plan.evaluators})
    outcome = PartOutcome("", None, {name: ColumnSums.of(table, name) for name in plan.evaluators}, table.notes)
    save_part(replace(table, notes=()), path, {"key": key, "outcome": outcome.as_json()})
    return [outcome]


def survey(data: DataParts, engine: Executor) -> tuple[DataParts, list[PartNames], dict[str, str]]:
    """The parts that can be read, the names in each, and why the others cannot."""
    data.check_columns()
    found: list[tuple[DataPart, PartNames]] = []
    failures: dict[str, str] = {}
    for part, names in zip(data.parts, engine.map(_names, data.parts), strict=True):
        if isinstance(names, str):
            failures[part.path.name] = names
        else:
            found.append((part, names))
    if not found:
        raise DataError(list(failures.values()))
    return replace(data, parts=tuple(part for part, _ in found)), [names for _, names in found], failures


def _names(part: DataPart) -> PartNames | str:
    try:
        return part.names()
    except AssayError as error:
        return str(error)


def _other_scores(folder: Path, data: DataParts) -> Iterator[str]:
    """Say that the folder has scores of what is not in the data."""
    names = {part.name for part in data.parts}
    others = [file.name for file in score_files(folder) if file.stem not in names]
    if others:
        yield (
            f"{folder} also has scores of other parts ({others[0]}{', ...' if others[1:] else ''}), which are not in "
            "this table. Remove them if their data is gone"
        )


def _code(plan: Plan) -> str:
    """What evaluators from elsewhere do; never the same where that cannot be known, so that nothing is kept."""
    codes = [outside_code(evaluator, plan.sample) for evaluator in plan.evaluators.values()]
    return "\0".join(uuid4().hex if code is None else code for code in codes)


def _counts(data: DataParts, plan: Plan, engine: Executor, known: Mapping[str, Known]) -> dict[str, KeyCounts]:
    """What evaluators need to know of all parts: each part counts, and the counts are added."""
    if not plan.counted:
        return {}
    totals: list[KeyCounts] = []
    for found in engine.map(CountPart(tuple(plan.counted.values()), plan.kind, known), data.parts):
        if isinstance(found, str):
            raise DataError(f"{found}\n{', '.join(plan.counted)} needs the counts of every part.")
        totals = [KeyCounts.total(pair) for pair in zip(totals, found, strict=True)] if totals else found
    return dict(zip(plan.counted, totals, strict=True))


def _each(
    engine: Executor, work: Callable[[PartTask], PartOutcome], tasks: Sequence[PartTask]
) -> Iterator[PartOutcome]:
    """Score parts in order; a part that kills its workers is a failure of that part."""
    start = 0
    while start < len(tasks):
        try:
            for outcome in engine.map(work, tasks[start:]):
                start += 1
                yield outcome
        except WorkerDied as error:
            yield PartOutcome(tasks[start].part.name, failure=f"{tasks[start].part.path.name}: {error}")
            start += 1


def _systems(plan: Plan, seed: int, outcomes: Sequence[PartOutcome]) -> tuple[ScoreTable, dict[str, ColumnSums]]:
    """The scores of systems over all parts."""
    sums = {
        name: ColumnSums.total(one.sums[name] for one in outcomes if one.sums is not None) for name in plan.evaluators
    }
    systems = list(dict.fromkeys(system for column in sums.values() for system in column.systems))
    columns = {name: of_parts.column(name, plan.finish(name)) for name, of_parts in sums.items()}
    facts = [one.facts for one in outcomes if one.facts is not None]
    notes = list(reduce(Facts.__add__, facts).notes(plan.evaluators)) if facts else []
    notes += dict.fromkeys(note for one in outcomes for note in one.notes)
    names = Strings.of(systems)
    return ScoreTable("system", names, Strings.of([""] * len(systems)), names, columns, seed, tuple(notes)), sums
