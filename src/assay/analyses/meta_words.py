"""Sentences about evaluators, each backed by a test.

The best of several evaluators is named, so every test is corrected for their number: an evaluator follows the target if
its correlation is significant after Holm's correction, and leads alone if the first cluster holds no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from assay.analyses.words import ALPHA, FEW_SYSTEMS, FEW_UNITS, STRONG, counted, interval, listed
from assay.kernels.statistics.significance import holm
from assay.metaeval.questions.correlation import Correlation, correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.pair_tests import USUAL_PROCEDURE, Procedure
from assay.metaeval.questions.question import Question
from assay.metaeval.questions.statistics import Statistic, shown_statistic
from assay.metaeval.questions.study import MetaAnswers, answer, prepare
from assay.records import Dataset
from assay.scores import ScoreTable

WIDE = 0.4  # an interval of this width says little


@dataclass(frozen=True)
class Evidence:
    """The results for one target and one kind of unit.

    `within` and `between` are the correlations within and between systems, with simultaneous intervals for all
    evaluators; empty if there are too few systems.
    """

    study: Inquiry
    answers: MetaAnswers
    within: Sequence[Correlation] = ()
    between: Sequence[Correlation] = ()

    @property
    def target(self) -> str:
        """The name of the target."""
        return self.study.target.name

    @property
    def statistic(self) -> Statistic:
        """The statistic that sentences and figures show."""
        return shown_statistic(statistic.name for statistic in self.study.statistics)

    def shown(self, level: str = "") -> list[Correlation]:
        """The pooled correlations of one level (default: the finest), best first, undefined last."""
        rows = [
            row
            for row in self.answers.correlations
            if row.statistic == self.statistic.name and row.grouping == self.study.groupings[0]
        ]
        of_level = [row for row in rows if row.level == (level or rows[0].level)]
        sign = 1.0 if self.statistic.higher_is_closer else -1.0
        return sorted(of_level, key=lambda row: -sign * row.value if row.value == row.value else inf)

    def leaders(self, level: str) -> tuple[str, ...]:
        """The first cluster of a level: the best evaluator and those indistinguishable from it."""
        for group in self.answers.clusters:
            if (group.statistic, group.level, group.grouping) == (self.statistic.name, level, "pooled"):
                return group.clusters[0] if group.clusters else ()
        return ()


def gather(
    table: ScoreTable,
    question: Question,
    procedure: Procedure | None = USUAL_PROCEDURE,
    *,
    dataset: Dataset | None = None,
    ranking: bool = False,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Evidence:
    """Answer a question about a table, and compute what the sentences need besides."""
    study = prepare(table, question, procedure, dataset=dataset, workers=workers, progress=progress)
    evidence = Evidence(study, answer(study, procedure, dataset=dataset, ranking=ranking))
    if not has_sentences(evidence) or table.kind == "system" or len(study.sample.system_names) < 2:
        return evidence
    n = max(1, len(study.candidates))
    resampling = replace(question.resampling, confidence=1 - ALPHA / n)  # Bonferroni
    one_statistic = replace(question, statistics=(evidence.statistic.name,), resampling=resampling)
    within = correlate(study.asking(replace(one_statistic, levels=(table.kind,), groupings=("system",))))
    between = correlate(study.asking(replace(one_statistic, levels=("system",), groupings=("pooled",))))
    return replace(evidence, within=within, between=between)


def has_sentences(evidence: Evidence) -> bool:
    """Whether the tests back sentences: a pooled statistic with a symbol, and Holm's correction over all pairs."""
    corrected = {group.correction for group in evidence.answers.clusters} == {"holm"}
    return bool(evidence.statistic.symbol) and "pooled" in evidence.study.groupings[:1] and corrected


def trust(evidence: Evidence) -> list[str]:
    """Which evaluators can be trusted, for single units and for ranking systems."""
    if not has_sentences(evidence):
        return []
    rows = [row for row in evidence.shown() if row.value == row.value]
    if not rows:
        return [f"No evaluator can be compared with {evidence.target}: {row.reason}." for row in evidence.shown()[:1]]
    if rows[0].level == "system":
        return [*_between_systems(evidence)]
    return [*_between_units(evidence, rows), *_between_systems(evidence), *_different_stories(evidence)]


def following(rows: Sequence[Correlation]) -> list[Correlation]:
    """The correlations that are positive and significant after Holm's correction."""
    adjusted = holm(np.array([row.p_value for row in rows]))
    return [row for row, p in zip(rows, adjusted, strict=True) if p < ALPHA and row.value > 0]


def _between_units(evidence: Evidence, rows: Sequence[Correlation]) -> Iterator[str]:
    level, target = rows[0].level, evidence.target
    if rows[0].n < FEW_UNITS:
        yield f"{counted(rows[0].n, level)} with {target} are too few to trust an evaluator by."
        return
    good = [row for row in following(rows) if row.value >= STRONG]
    weak = [row.candidate for row in rows if row not in good]
    if not good:
        yield f"No evaluator is shown to follow {target} well, {level} by {level}."
        return
    best = good[0]
    inside = _inside(evidence, best)
    tells_apart = inside is None or (inside.value >= STRONG and inside.low > 0)
    leads_alone = evidence.leaders(level) == (best.candidate,)
    if tells_apart:
        what = f"follow {target}{' best' if leads_alone and len(rows) > 1 else ''}, {level} by {level}"
    else:
        what = f"agree{' most' if leads_alone and len(rows) > 1 else ''} with {target} over all {level}s"
    alone = f"{best.candidate} {_singular(what)} ({_numbers(evidence, best)})."
    yield alone if leads_alone else _together(evidence, good, what)
    if inside is not None and not tells_apart:
        symbol = evidence.statistic.symbol
        known = inside.value == inside.value
        has_value = f"has {symbol} {inside.value:.2f} with {target}" if known else f"has no {symbol}"
        yield f"Within systems {best.candidate} {has_value}: it is not shown to tell {level}s of one system apart."
    if weak:
        yield f"Not shown to be strong enough to decide {target} by: {listed(weak)}."


def _together(evidence: Evidence, good: Sequence[Correlation], what: str) -> str:
    """Name the leaders that follow the target; no superlative, as none leads alone."""
    best = good[0]
    first = [row.candidate for row in good if row.candidate in evidence.leaders(best.level)]
    if len(first) < 2:
        alone = f"{best.candidate} {_singular(what)} ({_numbers(evidence, best)})"
        return f"{alone}, but is not shown to be better than all others."
    return f"{listed(first)} {what}, and cannot be told apart ({best.candidate}: {_numbers(evidence, best)})."


def _singular(what: str) -> str:
    """Turn a plural verb into a singular one: "follow it" becomes "follows it"."""
    return what.replace(" ", "s ", 1)


def _numbers(evidence: Evidence, row: Correlation) -> str:
    return f"{evidence.statistic.symbol} {row.value:.2f}, {interval(row.low, row.high)}"


def _inside(evidence: Evidence, best: Correlation) -> Correlation | None:
    """The correlation within systems, possibly undefined; None without systems."""
    return next((row for row in evidence.within if row.candidate == best.candidate), None)


def _between_systems(evidence: Evidence) -> Iterator[str]:
    rows = [row for row in evidence.shown("system") if row.value == row.value]
    if not rows or rows[0].n < FEW_SYSTEMS:
        return
    n, target = rows[0].n, evidence.target
    good = following(rows)
    if not good:
        yield f"No evaluator is shown to order the {n} systems like {target}."
        return
    best = good[0]
    if evidence.leaders("system") == (best.candidate,):
        like = "like" if len(rows) == 1 else "most like"
        yield f"{best.candidate} orders the {n} systems {like} {target} ({_numbers(evidence, best)})."
    else:
        yield _together(evidence, good, f"order the {n} systems like {target}")


def _different_stories(evidence: Evidence) -> Iterator[str]:
    """Name the evaluators whose simultaneous intervals between and within systems do not overlap."""
    within = {row.candidate: row for row in evidence.within}
    apart = [
        row.candidate
        for row in evidence.between
        if row.candidate in within and (row.low > within[row.candidate].high or row.high < within[row.candidate].low)
    ]
    if apart:
        yield f"Between and within systems tell different stories of {evidence.target} for {listed(apart)}."


def advice(evidence: Evidence) -> list[str]:
    """What would narrow the intervals."""
    if not has_sentences(evidence):
        return []
    wide = [row for row in evidence.shown() if row.high - row.low > WIDE]
    if not wide:
        return []
    drawn = " or ".join(wide[0].resampled)
    return [f"More {drawn} with {evidence.target}: {len(wide)} evaluators have intervals wider than {WIDE}."]
