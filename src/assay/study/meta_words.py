"""What a study says of its evaluators: sentences, each from a test that backs it.

Several evaluators are looked at and the best is named, so every test here is corrected for their number: an evaluator
follows the target where Holm's correction over all evaluators leaves its correlation significant, and leads alone where
every difference that the clusters rest on says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assay.analyses.words import ALPHA, FEW_SYSTEMS, FEW_UNITS, STRONG, counted, interval, listed
from assay.kernels.statistics.significance import holm
from assay.metaeval.questions.correlation import Correlation, Study, correlate
from assay.metaeval.questions.pair_tests import Procedure
from assay.metaeval.questions.question import Question
from assay.metaeval.questions.sample import Sample
from assay.metaeval.questions.study import Answers, ask
from assay.records import Dataset
from assay.scores import ScoreTable

SHOWN = "spearman"
WIDE = 0.4  # an interval of this width says little


@dataclass(frozen=True)
class Evidence:
    """What was found about one target at one unit.

    `within` and `between` are the correlations inside systems and over them, at a confidence that holds for all
    evaluators at once; empty where there are too few systems.
    """

    target: str
    table: ScoreTable
    answers: Answers
    within: Sequence[Correlation]
    between: Sequence[Correlation]

    def shown(self, level: str = "") -> list[Correlation]:
        """The pooled correlations of one level, by default the finest, the best first, the undefined last."""
        rows = [row for row in self.answers.correlations if row.statistic == SHOWN and row.grouping == "pooled"]
        mine = [row for row in rows if row.level == (level or rows[0].level)]
        return sorted(mine, key=lambda row: -row.value if row.value == row.value else 2.0)

    def leaders(self, level: str) -> tuple[str, ...]:
        """The first cluster of a level: the best evaluator and those that cannot be told apart from it."""
        for found in self.answers.clusters:
            if (found.statistic, found.level, found.grouping) == (SHOWN, level, "pooled") and found.clusters:
                return found.clusters[0]
        return ()


def gather(
    table: ScoreTable,
    question: Question,
    *,
    dataset: Dataset | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Evidence:
    """Ask a question of a table, with what the sentences need beside the answers."""
    answers = ask(table, question, Procedure(), dataset=dataset, progress=progress)
    if table.kind == "system" or len(Sample.of(table).system_names) < 2:
        return Evidence(question.target, table, answers, (), ())
    n = max(1, len(question.candidates))
    resampling = replace(question.resampling, confidence=1 - ALPHA / n)  # Bonferroni
    asked = replace(question, statistics=(SHOWN,), resampling=resampling)
    within = correlate(Study(table, replace(asked, levels=(table.kind,), groupings=("system",))))
    between = correlate(Study(table, replace(asked, levels=("system",), groupings=("pooled",))))
    return Evidence(question.target, table, answers, within, between)


def trust(evidence: Evidence) -> list[str]:
    """Which evaluators can be trusted, unit by unit and to order systems."""
    rows = [row for row in evidence.shown() if row.value == row.value]
    if not rows:
        return [f"No evaluator can be held against {evidence.target}: {row.reason}." for row in evidence.shown()[:1]]
    if rows[0].level == "system":
        return [*_between_systems(evidence)]
    return [*_between_units(evidence, rows), *_between_systems(evidence), *_different_stories(evidence)]


def following(rows: Sequence[Correlation]) -> list[Correlation]:
    """Those that agree with the target more than by chance, though the best of them were looked for."""
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
    yield f"{best.candidate} {_singular(what)} ({_numbers(best)})." if leads_alone else _together(evidence, good, what)
    if inside is not None and not tells_apart:
        has_rho = f"has rho {inside.value:.2f} with {target}" if inside.value == inside.value else "has no rho"
        yield f"Within systems {best.candidate} {has_rho}: it is not shown to tell {level}s of one system apart."
    if weak:
        yield f"Not shown to be strong enough to decide {target} by: {listed(weak)}."


def _together(evidence: Evidence, good: Sequence[Correlation], what: str) -> str:
    """Those of the first cluster that were shown to agree; without a superlative, for none leads alone."""
    best = good[0]
    first = [row.candidate for row in good if row.candidate in evidence.leaders(best.level)]
    if len(first) < 2:
        return f"{best.candidate} {_singular(what)} ({_numbers(best)}), but is not shown to be better than all others."
    return f"{listed(first)} {what}, and cannot be told apart ({best.candidate}: {_numbers(best)})."


def _singular(what: str) -> str:
    """What several do, said of one: "follow it" becomes "follows it"."""
    return what.replace(" ", "s ", 1)


def _numbers(row: Correlation) -> str:
    return f"rho {row.value:.2f}, {interval(row.low, row.high)}"


def _inside(evidence: Evidence, best: Correlation) -> Correlation | None:
    """The correlation inside systems, which may be undefined; None where there are no systems to look inside."""
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
        yield f"{best.candidate} orders the {n} systems {like} {target} ({_numbers(best)})."
    else:
        yield _together(evidence, good, f"order the {n} systems like {target}")


def _different_stories(evidence: Evidence) -> Iterator[str]:
    """Where the intervals between and within systems, held for all evaluators at once, do not meet."""
    within = {row.candidate: row for row in evidence.within}
    apart = [
        row.candidate
        for row in evidence.between
        if row.candidate in within and (row.low > within[row.candidate].high or row.high < within[row.candidate].low)
    ]
    if apart:
        yield f"Between and within systems tell different stories of {evidence.target} for {listed(apart)}."


def advice(evidence: Evidence) -> list[str]:
    """What would make the answer sharper."""
    wide = [row for row in evidence.shown() if row.high - row.low > WIDE]
    if not wide:
        return []
    drawn = " or ".join(wide[0].resampled)
    return [f"More {drawn} with {evidence.target}: {len(wide)} evaluators have intervals wider than {WIDE}."]
