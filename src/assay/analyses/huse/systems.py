"""HUSE of every system in a data set, with intervals and failures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analyses.huse.failures import Failures, failures
from assay.analyses.huse.stability import Curve, StudySize, annotator_curve, item_curve, study_size
from assay.analyses.huse.ties import tie_ranges
from assay.analyses.huse.uncertainty import JudgmentPanel, annotator_intervals, item_intervals, no_intervals
from assay.analyses.sources import refuse_unused
from assay.analyses.words import criteria_of
from assay.errors import DataError, EvaluatorError, did_you_mean
from assay.evaluator import Evaluator
from assay.evaluators.huse.measure import MEASURES, Measured, Rules, measure
from assay.evaluators.huse.problem import Problem, problem_from_arrays, problem_of_system
from assay.evaluators.huse.quality import quality_evaluator
from assay.metaeval.estimate import Estimate
from assay.metaeval.logprob_checks import Finding, check_logprobs
from assay.records import Dataset
from assay.registry import factory, parse
from assay.run import score
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.run.scoring import ScoringOptions
from assay.scores import Gaps

NOT_ASKED = "no intervals were asked for"


@dataclass(frozen=True, eq=False)
class SystemHuse:
    """HUSE of one system.

    `interval` is over other items, `annotator_interval` over other annotators of the same outputs; both hold the
    measures by name, NaN with a reason where there is none.
    """

    system: str
    measured: Measured = field(repr=False)
    interval: Mapping[str, Estimate]
    annotator_interval: Mapping[str, Estimate]
    panel: JudgmentPanel | None = field(repr=False)
    seed: int = 0

    def __getitem__(self, measure: str) -> float:
        return self.measured.values[measure]

    @property
    def problem(self) -> Problem:
        """The outputs that were compared."""
        return self.measured.problem

    @cached_property
    def tie_ranges(self) -> dict[str, tuple[float, float]]:
        """The lowest and highest value of each measure over the rules for ties."""
        return tie_ranges(self.measured)

    def failures(self) -> Failures | None:
        """The outputs that distinguish the system; None if HUSE is undefined."""
        return None if np.isnan(self["huse"]) else failures(self.measured)

    def item_curve(self) -> Curve:
        """The convergence of the measures with items."""
        return item_curve(self.problem, self.measured.rules, self.seed)

    def annotator_curve(self) -> Curve | None:
        """The convergence with annotators; None if quality is not a mean of judgments."""
        return None if self.panel is None else annotator_curve(self.problem, self.panel, self.measured.rules, self.seed)

    def study_size(self, half_width: float, price: float, annotators: Curve | None = None) -> StudySize | None:
        """The size of a study of a target precision; None if HUSE has no interval."""
        if np.isnan(self.interval["huse"].low):
            return None
        rules = self.measured.rules
        return study_size(self.problem, rules, self.interval, annotators, half_width=half_width, price=price)


@dataclass(frozen=True, eq=False)
class HuseResult:
    """One entry per system, what looks wrong in the log-probabilities, and the signature of each measure."""

    systems: tuple[SystemHuse, ...]
    findings: tuple[Finding, ...]
    signatures: Mapping[str, str]
    criteria: tuple[str, ...] = ()
    """The criteria of the judgments that quality is."""

    def __getitem__(self, system: str) -> SystemHuse:
        for entry in self.systems:
            if entry.system == system:
                return entry
        raise KeyError(system)


def compare_with_people(
    data: Dataset | ArrayLike,
    human: ArrayLike | None,
    rules: Rules,
    *,
    systems: Sequence[str] = (),
    quality: str | Evaluator | None = None,
    beside: Sequence[str | Evaluator] = (),
    per_token: bool = True,
    floor: float | None = None,
    intervals: bool = True,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **scoring: Unpack[ScoringOptions],
) -> HuseResult:
    """Measure each system, or the one system of an array; `assay.huse` says what the parameters mean."""
    if rules.k < 1:
        raise EvaluatorError(f"HUSE needs at least one neighbor: k must be 1 or more, not {rules.k}.")
    if not isinstance(data, Dataset):
        refuse_unused(scoring, "the features are given")
        problem = _array_problem(data, human, floor)
        entry = measure_system("system", problem, None, rules, intervals, seed)
        return HuseResult((entry,), (), _signatures(rules, floor, {}))
    evaluator = parse(quality) if isinstance(quality, str) else quality_evaluator(data, quality)
    others = tuple(parse(one) if isinstance(one, str) else one for one in beside)
    features, gaps = _features(data, (evaluator, *others), seed, scoring)
    entries: list[SystemHuse] = []
    codes = _chosen(data, systems)
    for code in codes:
        problem = problem_of_system(data, code, features, gaps, per_token=per_token, floor=floor)
        panel = _panel(data, problem, evaluator)
        entries.append(measure_system(data.systems.id[code], problem, panel, rules, intervals, seed))
        if progress:
            progress(len(entries), len(codes))
    chosen = {entry.system for entry in entries}
    findings = tuple(finding for finding in check_logprobs(data) if finding.system in chosen)
    named = {"quality": evaluator, "beside": others, "per_token": per_token}
    learns = any(one.learns(data) for one in (evaluator, *others))
    learning = Learning(scoring.get("train"), Folds.of(scoring.get("folds")), seed)
    fitting = f"|{learning.signature}" if learns else ""
    signatures = _signatures(rules, floor, named, fitting)
    return HuseResult(tuple(entries), findings, signatures, criteria_of((evaluator, *others)))


def measure_system(
    system: str, problem: Problem, panel: JudgmentPanel | None, rules: Rules, intervals: bool, seed: int
) -> SystemHuse:
    """Measure one system, with intervals over items and over annotators."""
    measured = measure(problem, rules)
    over_items = over_annotators = no_intervals(measured, NOT_ASKED)
    if intervals:
        over_items = item_intervals(measured, seed)
        over_annotators = (
            no_intervals(measured, "quality is no mean of judgments")
            if panel is None
            else annotator_intervals(measured, panel, seed)
        )
    return SystemHuse(system, measured, over_items, over_annotators, panel, seed)


def _signatures(rules: Rules, floor: float | None, named: Mapping[str, object], fitting: str = "") -> dict[str, str]:
    """The signature of each measure; HUSE-Q does not use log-probabilities."""
    settings = {"k": rules.k, "scale": rules.scale, "ties": rules.ties, "vote_tie": rules.vote_tie, **named}
    of_quality = {name: value for name, value in settings.items() if name != "per_token"}
    both = settings | {"floor": floor}
    return {name: factory(name)(**(of_quality if name == "huse_q" else both)).signature + fitting for name in MEASURES}


def _features(
    data: Dataset, evaluators: Sequence[Evaluator], seed: int, scoring: ScoringOptions
) -> tuple[NDArray[np.float64], Gaps]:
    """Score every output; a gap of any evaluator is a gap."""
    table = score(data, evaluators, unit="output", seed=seed, failures="error", **scoring)
    columns = list(table.columns.values())
    reasons = [next((column.gaps[row] for column in columns if column.gaps[row]), "") for row in range(len(table))]
    return np.column_stack([column.values for column in columns]), Gaps.of(reasons)


def _chosen(data: Dataset, systems: Sequence[str]) -> list[int]:
    """The systems to compare with people; an error if there are none."""
    if not data.human.any():
        raise DataError('HUSE compares systems with people, and no output is marked "human": true.')
    known = {data.systems.id[code]: code for code in np.flatnonzero(~data.systems.human).tolist()}
    with_outputs = set(np.unique(data.outputs.system).tolist())
    known = {name: code for name, code in known.items() if code in with_outputs}
    if not known:
        raise DataError("HUSE compares systems with people, and all outputs are of people.")
    unknown = [name for name in systems if name not in known]
    if unknown:
        raise DataError(f"the data has no outputs of a system {unknown[0]!r}.{did_you_mean(unknown[0], known)}")
    return [known[name] for name in (systems or known)]


def _panel(data: Dataset, problem: Problem, quality: Evaluator) -> JudgmentPanel | None:
    """The judgments behind a mean judgment; None if quality is something else."""
    if quality.name != "human" or quality.params["aggregate"] != "mean":
        return None
    judgments = data.judgments.about("output").of(quality.params["criterion"])
    place = np.full(len(data.outputs), -1, np.int64)
    place[problem.rows] = np.arange(len(problem))
    judgments = judgments.where(place[judgments.unit] >= 0)
    return JudgmentPanel(place[judgments.unit], judgments.annotator, judgments.value)


def _array_problem(features: ArrayLike, human: ArrayLike | None, floor: float | None) -> Problem:
    if human is None:
        raise DataError("huse(features, human) needs to know which rows people wrote: give `human`.")
    array, labels = np.asarray(features, np.float64), np.asarray(human, np.bool_)
    if array.ndim != 2 or array.shape[1] < 2 or len(array) != len(labels):
        raise DataError(
            f"huse(features, human) needs a row per output and at least two columns, the log-probability per token "
            f"and a quality, and as many labels as rows; got {array.shape} and {len(labels)} labels."
        )
    if np.isposinf(array).any() or np.isneginf(array[:, 1:]).any():
        raise DataError("huse(features, human): only the log-probability, the first column, may be infinite: -inf.")
    known = ~np.isnan(array).any(axis=1)
    dropped = {"no number": int(np.count_nonzero(~known))} if not known.all() else {}
    kept = np.flatnonzero(known)
    return problem_from_arrays(array[kept, 0], array[kept, 1:], labels[kept], rows=kept, floor=floor, dropped=dropped)
