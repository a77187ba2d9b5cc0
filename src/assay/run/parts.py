"""Scoring data in parts: a folder of parts in, a folder of scores out, on any executor."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, Unpack
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError, WorkerDied
from assay.evaluator import Evaluator
from assay.io.parts import DataPart, DataParts, PartNames, repeated_keys
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
# What must not span parts, where units of a kind are scored.
TOGETHER = {"set": "set", "pair": "set", "matchup": "item"}


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
    sources = sources_of(plan.mapped.values(), plan.sample)
    _check_parts(found, names, plan, sources.values())
    _check_references(found, names, sources.values(), engine)
    order = tuple(plan.evaluators)
    question: dict[str, Any] = {
        "unit": plan.kind,
        "evaluators": {name: evaluator.signature for name, evaluator in plan.evaluators.items()},
        "seed": seed,
        "fitting": _fitting(plan, learning),
    }
    folder = Path(output)
    open_score_folder(folder, question)
    of_systems = plan.kind == "system"
    among_others = any(one.source.among is not None for one in sources.values())
    others_matter = plan.counted or plan.trained or among_others or (plan.gathered and not of_systems)
    about = f"{question}\0{found.identity if others_matter else ''}\0{_code(plan)}"
    keys = {part: part_key(part, about) for part in found.parts}
    kept_of = kept_share if of_systems else kept_outcome
    outcomes = {part: kept for part in found.parts if (kept := kept_of(folder, part, keys[part])) is not None}
    n_kept = len(outcomes)
    missing = [part for part in found.parts if part not in outcomes]
    gathered = gather_all(found, names, plan, learning, scoring) if missing and not of_systems else Gathered()
    if not engine.in_process and not all(map(travels, plan.mapped.values())):
        engine = Serial()
    known = known_of_all(found, names, sources, engine) if missing else {}
    counts = _counts(found, plan, engine, known) if missing else {}
    models = train_models(found, plan, engine, learning) if missing else {}
    if not engine.in_process and not all(model.travels for model in models.values()):
        engine = Serial()
    mapped = {**plan.mapped, **{name: one.evaluator for name, one in gathered.cross_fitted.items()}}
    settings = known, counts, models, gathered.cross_fitted
    scoring_part = ScorePart(mapped, order, plan.kind, seed, folder.absolute(), *settings)
    work: Callable[[PartTask], PartOutcome] = share_part(scoring_part, plan) if of_systems else scoring_part
    tasks = [
        PartTask(replace(part, path=part.path.absolute()), keys[part], gathered.of_part.get(part, OfPart()))
        for part in missing
    ]
    for done, (part, outcome) in enumerate(zip(missing, _each(engine, work, tasks), strict=True), 1):
        outcomes[part] = outcome
        if pace:
            pace.add(outcome)
        if progress:
            progress(n_kept + done, len(found))
    failures |= {part.path.name: outcome.failure for part, outcome in outcomes.items() if outcome.failure}
    for name in failures:
        # What an earlier run found in the part as it was then.
        (folder / f"{Path(name).stem}.parquet").unlink(missing_ok=True)
    scored = [number for number, part in enumerate(found.parts) if not outcomes[part].failure]
    done_parts = [outcomes[found.parts[number]] for number in scored]
    n_scored = len(done_parts) - n_kept
    if of_systems and done_parts:
        whole = replace(found, parts=tuple(found.parts[number] for number in scored))
        in_whole = [names[number] for number in scored]
        done_parts = [_of_systems(whole, in_whole, plan, order, done_parts, engine, about, folder, learning, scoring)]
    systems, sums = _systems(plan, order, seed, done_parts)
    others = () if of_systems else _other_scores(folder, found)
    systems = replace(systems, notes=(*systems.notes, *_lost_references(sums, names), *others))
    return ScoredParts(folder, plan.kind, systems, sums, n_scored, n_kept, failures)


def _of_systems(
    data: DataParts,
    names: Sequence[PartNames],
    plan: Plan,
    order: Sequence[str],
    outcomes: Sequence[PartOutcome],
    engine: Executor,
    about: str,
    folder: Path,
    learning: Learning,
    scoring: ScoringOptions,
) -> PartOutcome:
    """Scores of whole systems: one file, since a system is in many parts."""
    whole = DataPart(folder / "systems", 0, 0)
    key = part_key(whole, f"{about}\0{data.identity}")
    kept = kept_outcome(folder, whole, key)
    if kept is not None:
        return kept

    def compared() -> ScoreTable:
        return scored_at_once(data.load(plan.read_at_once), plan, plan.gathered, learning, scoring)

    table = table_of_systems(data, names, plan, outcomes, engine, learning.seed, compared)
    table = replace(table, columns={name: table[name] for name in order})
    outcome = PartOutcome("", None, {name: ColumnSums.of(table, name) for name in order}, table.notes)
    save_part(replace(table, notes=()), score_path(folder, whole), {"key": key, "outcome": outcome.as_json()})
    return outcome


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


def _check_parts(data: DataParts, names: Sequence[PartNames], plan: Plan, sources: Collection[References]) -> None:
    """Refuse ids that two outputs share, and units that span parts."""
    for key, one, other in repeated_keys([part.id for part in names]):
        ids = [data.parts[number].ids_with(key) for number in {one, other}]
        shared = [name for name in ids[0] if ids[0].count(name) + (ids[1].count(name) if len(ids) > 1 else 0) > 1]
        if shared:
            where = f"{data.parts[one].path.name} and {data.parts[other].path.name}"
            raise DataError(f"the id {shared[0]!r} is in {where}. Give every output its own id.")
    for kind in dict.fromkeys([plan.kind, *plan.native.values()]):
        if kind in TOGETHER:
            _check_together(data, names, TOGETHER[kind], f"scores of {kind}s need them together")
    if any(part.has_marks for part in names) and sources:
        _check_together(data, names, "item", "outputs marked is_reference are references for the others of their item")
    for source in sources:
        if source.source.of_item:
            _check_together(data, names, "item", f"{source!r} needs them together")


def _check_together(data: DataParts, names: Sequence[PartNames], what: str, why: str) -> None:
    """Refuse a set or an item that spans parts."""
    for _, one, other in repeated_keys([getattr(part, what) for part in names]):
        where = f"{data.parts[one].path.name} and {data.parts[other].path.name}"
        raise DataError(
            f"outputs of one {what} are in {where}, and {why}. Bring them together once: assay partition "
            f"{data.where} -o PARTS"
        )


def _check_references(
    data: DataParts, names: Sequence[PartNames], sources: Collection[References], engine: Executor
) -> None:
    """Refuse an item that has other references in another part, as one file with both is refused."""
    shared = {number for _, *pair in repeated_keys([part.item for part in names]) for number in pair}
    if not shared or not sources:
        return
    parts = [replace(data.parts[number], path=data.parts[number].path.absolute()) for number in sorted(shared)]
    found = [(keys, part) for keys, part in zip(engine.map(_reference_keys, parts), parts, strict=True) if keys]
    if not found:
        return
    items, references = (np.concatenate([keys[side] for keys, _ in found]) for side in (0, 1))
    part_of = np.repeat(np.arange(len(found)), [len(keys[0]) for keys, _ in found])
    order = np.argsort(items, kind="stable")
    differ = (np.diff(items[order]) == 0) & (references[order][1:] != references[order][:-1])
    for at in np.flatnonzero(differ)[:1].tolist():
        one, other = (found[part_of[order[at + side]]][1] for side in (0, 1))
        of_item = one.load().items.id
        item = of_item[int(np.flatnonzero(of_item.keys() == items[order[at]])[0])]
        raise DataError(
            f"item {item!r} has other references in {other.path.name} than in {one.path.name}. Make them equal, or "
            "give them in one part with all outputs of the item."
        )


def _reference_keys(part: DataPart) -> tuple[NDArray[np.uint64], NDArray[np.uint64]] | None:
    try:
        return part.reference_keys()
    except (AssayError, OSError):
        return None  # it is named when it is scored


def _lost_references(sums: Mapping[str, ColumnSums], names: Sequence[PartNames]) -> Iterator[str]:
    """Say that references may stand in another part: data may give those of an item once."""
    for name, column in sums.items():
        n = sum(one.reasons["no references"] for one in column.systems.values())
        if n and next(repeated_keys([part.item for part in names]), None):
            yield (
                f"{name}: {n} units have no references in their part, and some items are in several parts. Give every "
                "line the references of its item, or bring items together: assay partition"
            )


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


def _fitting(plan: Plan, learning: Learning) -> str:
    """How evaluators are fitted, as far as it changes their scores."""
    train = learning.train.fingerprint if learning.train is not None else ""
    return f"{train} {learning.folds}" if plan.gathered or plan.trained else ""


def _counts(data: DataParts, plan: Plan, engine: Executor, known: Mapping[str, Known]) -> dict[str, KeyCounts]:
    """What evaluators need to know of all parts: each part counts, and the counts are added."""
    if not plan.counted:
        return {}
    parts = [replace(part, path=part.path.absolute()) for part in data.parts]
    totals: list[KeyCounts] = []
    for found in engine.map(CountPart(tuple(plan.counted.values()), plan.kind, known), parts):
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


def _systems(
    plan: Plan, order: Sequence[str], seed: int, outcomes: Sequence[PartOutcome]
) -> tuple[ScoreTable, dict[str, ColumnSums]]:
    """The scores of systems over all parts."""
    sums = {name: ColumnSums.total(one.sums[name] for one in outcomes if one.sums is not None) for name in order}
    systems = list(dict.fromkeys(system for column in sums.values() for system in column.systems))
    columns = {name: sums[name].column(name, plan.finish(name)) for name in order}
    facts = [one.facts for one in outcomes if one.facts is not None]
    notes = list(reduce(Facts.__add__, facts).notes(plan.evaluators)) if facts else []
    notes += dict.fromkeys(note for one in outcomes for note in one.notes)
    names = Strings.of(systems)
    return ScoreTable("system", names, Strings.of([""] * len(systems)), names, columns, seed, tuple(notes)), sums
