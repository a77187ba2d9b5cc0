"""HUSE of every system in a data set, with its uncertainty and what gives each system away."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.analyses.huse.failures import Failures, failures
from assay.analyses.huse.stability import Curve, Plan, annotator_curve, item_curve, plan
from assay.analyses.huse.ties import tie_ranges
from assay.analyses.huse.uncertainty import Interval, Panel, annotator_intervals, item_intervals
from assay.errors import DataError, EvaluatorError, did_you_mean
from assay.evaluator import Evaluator
from assay.evaluators.huse.measure import MEASURES, Measured, Rules, Ties, measure
from assay.evaluators.huse.problem import Problem, problem_from_arrays, problem_of_system
from assay.evaluators.huse.quality import quality_evaluator
from assay.kernels.points.huse import VoteTie
from assay.metaeval.logprob_checks import Finding, check_logprobs
from assay.records import Dataset
from assay.registry import factory, parse
from assay.run import score
from assay.run.folds import Folds
from assay.run.learning import Learning
from assay.scores import Gaps

Range = tuple[float, float]


@dataclass(frozen=True, eq=False)
class SystemHuse:
    """What HUSE says of one system.

    `interval` is over other items, `annotator_interval` over other annotators of the same outputs, `tie_range` over
    rules for ties. Values that cannot be computed are NaN, with the reason in `reasons`.
    """

    system: str
    huse: float
    huse_q: float
    huse_d: float
    interval: Mapping[str, Interval]
    annotator_interval: Mapping[str, Interval]
    tie_range: Mapping[str, Range]
    reasons: Mapping[str, str]
    signature: str
    rules: Rules
    problem: Problem = field(repr=False)
    measured: Measured = field(repr=False)
    panel: Panel | None = field(repr=False)
    seed: int = 0

    @property
    def n_human(self) -> int:
        """How many outputs of people were compared."""
        return self.problem.n_human

    @property
    def n_model(self) -> int:
        """How many outputs of the system were compared."""
        return self.problem.n_model

    def failures(self) -> Failures | None:
        """Which outputs give the system away; None where HUSE could not be computed."""
        return failures(self.measured) if not np.isnan(self.huse) else None

    def item_curve(self) -> Curve:
        """How the measures settle with the number of items."""
        return item_curve(self.problem, self.rules, self.seed)

    def annotator_curve(self) -> Curve | None:
        """How the measures settle with the number of annotators; None where quality is no mean of judgments."""
        return None if self.panel is None else annotator_curve(self.problem, self.panel, self.rules, self.seed)


@dataclass(frozen=True, eq=False)
class HuseStudy:
    """One entry per system, what looks wrong in the log-probabilities, and the seed of the intervals."""

    systems: tuple[SystemHuse, ...]
    findings: tuple[Finding, ...]
    seed: int

    def plans(self, *, half_width: float = 0.05, price: float = 0.05) -> dict[str, Plan | None]:
        """What a study of the wanted precision takes, for each system; None where HUSE has no interval."""
        found: dict[str, Plan | None] = {}
        for entry in self.systems:
            found[entry.system] = None
            if not np.isnan(entry.interval["huse"].low):
                curve = entry.annotator_curve()
                found[entry.system] = plan(
                    entry.problem, entry.rules, entry.interval, curve, half_width=half_width, price=price
                )
        return found

    def __getitem__(self, system: str) -> SystemHuse:
        for entry in self.systems:
            if entry.system == system:
                return entry
        raise KeyError(system)


def huse(
    data: Dataset | ArrayLike,
    human: ArrayLike | None = None,
    *,
    systems: Sequence[str] = (),
    k: int = 16,
    quality: str | Evaluator | None = None,
    beside: Sequence[str | Evaluator] = (),
    per_token: bool = True,
    scale: bool = True,
    ties: Ties = "exact",
    vote_tie: VoteTie = "human",
    floor: float | None = None,
    intervals: bool = True,
    train: Dataset | None = None,
    folds: Folds | int | str | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> HuseStudy:
    """Compare systems with people by HUSE, HUSE-Q and HUSE-D (Hashimoto, Zhang and Liang, 2019).

    Args:
        data: a data set; or an array with a row per output, the log-probability per token first, then one or more
            columns of quality.
        human: with an array, whether people wrote each output.
        systems: which systems of the data set; all by default.
        k: neighbors that vote.
        quality: what stands for quality instead of the mean judgment; an evaluator that learns is cross-fitted.
        beside: evaluators that are used beside it.
        per_token: divide log-probabilities by the number of tokens.
        scale: divide features by their standard deviations.
        ties: `exact`, or `paper` for the arithmetic of the published numbers.
        vote_tie: to whom a tied vote goes.
        floor: where -inf is put, by default three standard deviations below the smallest finite value.
        intervals: whether to compute intervals, which takes a hundred times as long.
        train: what evaluators that learn are fitted on; without it they are cross-fitted.
        folds: how they are cross-fitted, as `assay.score` takes it.
        seed: of the random splits behind the intervals, and of what learns.
        progress: called with (systems done, systems in all).
    """
    if k < 1:
        raise EvaluatorError(f"HUSE needs at least one neighbor: k must be 1 or more, not {k}.")
    rules = Rules(k, ties, vote_tie, scale)
    settings = {"k": k, "scale": scale, "ties": ties, "vote_tie": vote_tie, "floor": floor}
    if not isinstance(data, Dataset):
        problem = _array_problem(data, human, floor)
        signature = factory("huse")(**settings).signature
        return HuseStudy((measured_system("system", problem, None, rules, signature, intervals, seed),), (), seed)
    evaluator = parse(quality) if isinstance(quality, str) else quality_evaluator(data, quality)
    others = tuple(parse(one) if isinstance(one, str) else one for one in beside)
    learning = Learning(train, Folds.of(folds), seed)
    features, gaps = _features(data, (evaluator, *others), learning)
    made = factory("huse")(quality=evaluator, beside=others, per_token=per_token, **settings)
    signature = f"{made.signature}|{learning.signature}" if made.learns(data) else made.signature
    entries = []
    codes = _chosen(data, systems)
    for code in codes:
        problem = problem_of_system(data, code, features, gaps, per_token=per_token, floor=floor)
        panel = _panel(data, problem, evaluator)
        entries.append(measured_system(data.systems.id[code], problem, panel, rules, signature, intervals, seed))
        if progress:
            progress(len(entries), len(codes))
    chosen = {entry.system for entry in entries}
    findings = tuple(finding for finding in check_logprobs(data) if finding.system in chosen)
    return HuseStudy(tuple(entries), findings, seed)


def measured_system(
    system: str, problem: Problem, panel: Panel | None, rules: Rules, signature: str, intervals: bool, seed: int
) -> SystemHuse:
    """Compute what there is to say of one system."""
    measured = measure(problem, rules)
    nothing = {name: Interval(np.nan, np.nan, "not asked for") for name in MEASURES}
    over_items = over_annotators = nothing
    if intervals:
        over_items = item_intervals(problem, rules, seed)
        no_panel = {name: Interval(np.nan, np.nan, "quality is no mean of judgments") for name in MEASURES}
        over_annotators = no_panel if panel is None else annotator_intervals(problem, panel, rules, seed)
    return SystemHuse(
        system,
        measured.values["huse"],
        measured.values["huse_q"],
        measured.values["huse_d"],
        over_items,
        over_annotators,
        tie_ranges(measured, rules),
        {name: reason for name, reason in measured.reasons.items() if reason},
        signature,
        rules,
        problem,
        measured,
        panel,
        seed,
    )


def _features(data: Dataset, evaluators: Sequence[Evaluator], learning: Learning) -> tuple[NDArray[np.float64], Gaps]:
    """Score every output; a run does it, so that evaluators that learn are cross-fitted."""
    table = score(
        data,
        evaluators,
        unit="output",
        train=learning.train,
        folds=learning.folds,
        seed=learning.seed,
        failures="error",
    )
    columns = list(table.columns.values())
    reasons = [next((column.gaps[row] for column in columns if column.gaps[row]), "") for row in range(len(table))]
    return np.column_stack([column.values for column in columns]), Gaps.of(reasons)


def _chosen(data: Dataset, systems: Sequence[str]) -> list[int]:
    """Return the systems to compare with people, or say why there are none."""
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


def _panel(data: Dataset, problem: Problem, quality: Evaluator) -> Panel | None:
    """Return the judgments behind a mean judgment, None where quality is something else."""
    if quality.name != "human" or quality.params["aggregate"] != "mean":
        return None
    judgments = data.judgments.about("output").of(quality.params["criterion"])
    place = np.full(len(data.outputs), -1, np.int64)
    place[problem.rows] = np.arange(len(problem))
    judgments = judgments.where(place[judgments.unit] >= 0)
    return Panel(place[judgments.unit], judgments.annotator, judgments.value)


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
