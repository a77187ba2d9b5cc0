"""Whether a system may take the place of a baseline: better than it, or not worse by more than a margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isnan
from typing import Unpack

from assay.analyses.sources import Data, people_of, source_of, tables_by_unit
from assay.analyses.words import ALPHA, counted, listed
from assay.errors import AssayError, did_you_mean
from assay.metaeval.questions.oriented import orientation
from assay.metaeval.questions.pair_tests import Procedure
from assay.metaeval.questions.question import Resampling
from assay.metaeval.systems.comparison import SystemDifference, compare_systems
from assay.part import Bounded, Cell, Number, Part, Table
from assay.run.scoring import ScoringOptions
from assay.scores import ScoreTable

# Items on which a system must equal the baseline to be not worse without a test, as few as a t test needs.
FEWEST_EQUAL = 3


def gate(
    data: Data,
    baseline: str,
    evaluators: Sequence[str],
    *,
    systems: Sequence[str] = (),
    margin: float | None = None,
    alpha: float = ALPHA,
    unit: str | None = None,
    missing: bool = False,
    seed: int = 0,
    workers: int = 1,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Test whether systems are better than a baseline by every evaluator, or not worse by more than a margin.

    Passes only if each system passes by each evaluator, so that systems no better than the baseline pass with a
    probability of at most alpha, however many evaluators there are. `headline["passed"]` is the verdict.

    Args:
        data: a data set, or a table of scores.
        baseline: the system to beat.
        evaluators: names or calls; of a table, columns.
        systems: those to test; by default all generators but the baseline.
        margin: by how much a system may be worse, in the evaluator's units; by default it must be better.
        alpha: the probability of letting a system pass that should not.
        unit: of the scores; by default each evaluator's own.
        missing: whether a system may lack scores on some items. By default that fails: a system that answers only
            easy items looks better than it is.
        seed: of everything random.
        workers: threads; the result does not depend on it.
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    if not evaluators:
        raise AssayError("a gate needs an evaluator to decide by.")
    if not 0 < alpha < 0.5:
        raise AssayError(f"alpha must lie between 0 and 0.5, not {alpha:g}.")
    if margin is not None and not margin > 0:
        raise AssayError(f"the margin must be above 0, not {margin:g}. Leave it out to test for better.")
    source = source_of(data, seed, workers, **scoring)
    # The lower end of this interval is the bound of a one-sided test at alpha.
    resampling = Resampling(0, ("items",), "t", 1 - 2 * alpha, seed)
    trials = [
        _Trial.of(table, name, system, baseline, resampling, margin or 0.0, missing)
        for table in tables_by_unit(source, tuple(dict.fromkeys(evaluators)), unit)
        for name in table.columns
        for system in systems or _others(table, baseline, people_of(source))
    ]
    failed = [trial for trial in trials if not trial.passed]
    wanted = f"better than {baseline}" if margin is None else f"not worse than {baseline} by {margin:g} or more"
    return Part(
        title="Gate",
        summary=_summary(trials, failed, wanted, alpha),
        numbers=tuple(trial.number() for trial in trials),
        tables=(_table(trials, wanted),),
        methods=tuple(dict.fromkeys(trial.difference.signature for trial in trials)),
        headline={"passed": not failed, "baseline": baseline, "margin": margin, "alpha": alpha},
        seed=seed,
    )


@dataclass(frozen=True)
class _Trial:
    """One system against the baseline by one evaluator."""

    difference: SystemDifference
    gain: Bounded
    """The difference, positive where the system is better."""
    margin: float
    reason: str
    """Why it cannot pass whatever the numbers are."""

    @classmethod
    def of(
        cls,
        table: ScoreTable,
        evaluator: str,
        system: str,
        baseline: str,
        resampling: Resampling,
        margin: float,
        missing: bool,
    ) -> _Trial:
        if table[evaluator].higher_is_better is None:
            raise AssayError(f"{evaluator} has no direction: neither high nor low is better, so it cannot decide.")
        sign = orientation(table[evaluator])
        (one,), _ = compare_systems(
            table, (system, baseline), (evaluator,), resampling=resampling, procedure=Procedure("t", (), "none")
        )
        low, high = sorted((sign * one.low, sign * one.high))
        reason = one.reason if isnan(one.low) else ""
        if one.paired and one.n >= FEWEST_EQUAL and one.tie == one.n and one.difference == 0:
            # The same score on every item has no spread to test by, and needs no test: nothing was lost.
            low, high, reason = 0.0, 0.0, ""
        if one.n_missing and not missing:
            reason = f"{counted(one.n_missing, 'item')} without a score of both"
        return cls(one, Bounded(sign * one.difference, low, high), margin, reason)

    @property
    def passed(self) -> bool:
        return not self.reason and self.gain.low > -self.margin

    @property
    def verdict(self) -> str:
        if self.passed:
            return "passed"
        return f"failed: {self.reason}" if self.reason else "failed"

    def number(self) -> Number:
        number = self.difference.number()
        return replace(number, about={**number.about, "passed": self.passed})


def _others(table: ScoreTable, baseline: str, people: set[str]) -> list[str]:
    names = list(dict.fromkeys(table.by_system().unit))
    if baseline not in names:
        raise AssayError(f"there is no system {baseline!r}.{did_you_mean(baseline, names)}")
    others = [name for name in names if name != baseline and name not in people]
    if not others:
        raise AssayError(f"there is no system to compare with {baseline}.")
    return others


def _summary(trials: Sequence[_Trial], failed: Sequence[_Trial], wanted: str, alpha: float) -> str:
    systems = list(dict.fromkeys(trial.difference.left for trial in trials))
    evaluators = list(dict.fromkeys(trial.difference.evaluator for trial in trials))
    tested = f"{listed(systems)}: {wanted} by {listed(evaluators)}, one-sided t tests over items, alpha {alpha:g}"
    if not failed:
        return f"Passed. {tested}."
    which = listed([f"{trial.difference.left} by {trial.difference.evaluator}" for trial in failed])
    return f"Failed: {which}. {tested}."


def _table(trials: Sequence[_Trial], wanted: str) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (d.evaluator, d.left, d.left_value, d.right_value, trial.gain, d.n, trial.verdict)
        for trial in trials
        for d in (trial.difference,)
    ]
    header = ("evaluator", "system", "score", "baseline", "gain", "items", "verdict")
    note = "A gain is positive where the system is better, whatever the direction of the evaluator."
    return Table("gate", f"Systems that must be {wanted}", header, tuple(rows), note)
