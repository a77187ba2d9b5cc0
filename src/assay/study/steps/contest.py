"""The steps `[contest]` and `[dectest]`: do diversity metrics see content, and do they see decoding?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isnan, nan
from typing import Any, ClassVar

import numpy as np

from assay.analyses.names import plain_name
from assay.analyses.words import ALPHA, FEW_UNITS, counted, listed
from assay.kernels.statistics.significance import holm
from assay.metaeval.questions.question import signature
from assay.metaeval.sets.clustered import Difference
from assay.metaeval.sets.contest import ContestRow, contest
from assay.metaeval.sets.dectest import DecTestRow, dectest
from assay.metaeval.sets.set_targets import context_clusters, set_values, two_classes
from assay.part import Cell, Number, Part, Picture, Table
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.report.diversity_figures import draw_histograms
from assay.study.keys import EvaluatorCall, Positive
from assay.study.step import Step
from assay.study.task import Task

CITE = "Tevet & Berant 2021, Evaluating the Evaluation of Diversity in Natural Language Generation"
METRICS = ("distinct", "cos_sim")
WITH_INTERVAL = ("rho", "oca, corrected")
NO_INTERVAL = "this number has no interval"
HEADER = ("evaluator", "rho", "low", "high", "OCA", "OCA corrected", "OCA low", "OCA high", "threshold", "n")
UNDEFINED = "all scores, or all targets, are the same"


@dataclass(frozen=True)
class ConTest(Step):
    """Sets of two classes, high and low diversity: which metric tells them apart?"""

    name: ClassVar[str] = "contest"
    about: ClassVar[str] = "Which diversity metrics tell sets of high from sets of low diversity (conTest)."

    label: str = "label_value"
    evaluators: tuple[EvaluatorCall, ...] = METRICS

    def run(self, task: Task) -> Part:
        """Hold each metric against the label."""
        target = set_values(task.dataset, self.label)
        two_classes(self.label, target)
        table = task.score(self.evaluators, "set")
        found = contest(table, target, context_clusters(task.dataset), how=task.resampling())
        made = {
            name: signature("contest", evaluator=column, label=self.label, resamples=task.resamples, seed=task.seed)
            for name, column in table.columns.items()
        }
        rows = tuple(
            (r.evaluator, r.rho, r.low, r.high, r.oca, r.oca_corrected, r.oca_low, r.oca_high, r.threshold, r.n)
            for r in found.results
        )
        return Part(
            title="Content diversity (conTest)",
            summary=(
                "Spearman's rho with the label, and OCA: the best accuracy that one threshold reaches on these sets. "
                "Having been chosen as the best it is too high; the corrected one and its interval are about all such "
                "sets."
            ),
            answers={"trust": [said(found.results, found.comparisons, f"the label {self.label}")]},
            numbers=tuple(n for row in found.results for n in _contest_numbers(row, made[row.evaluator])),
            tables=(Table("contest", "conTest", HEADER, rows),),
            pictures=tuple(
                Picture(f"contest-{plain_name(name)}", figure.draw(), "Scores of sets of high and low diversity.")
                for name, figure in draw_histograms(table, target, found).items()
            ),
            methods=(*made.values(), CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """A set column of two values is needed."""
        columns = dataset.sets.columns
        values = numbers_of(columns["label_value"]) if "label_value" in columns else None
        if values is None or len(np.unique(values[~np.isnan(values)])) != 2:
            return None
        return {"label": "label_value", "evaluators": list(METRICS)}


@dataclass(frozen=True)
class DecTest(Step):
    """Sets sampled with a decoding parameter: which metric follows it?"""

    name: ClassVar[str] = "dectest"
    about: ClassVar[str] = "Which diversity metrics follow a decoding parameter (decTest)."

    param: str = "temperature"
    evaluators: tuple[EvaluatorCall, ...] = METRICS
    subset: Positive = 200
    repeats: Positive = 100

    def run(self, task: Task) -> Part:
        """Hold each metric against the parameter."""
        target = set_values(task.dataset, self.param)
        table = task.score(self.evaluators, "set")
        groups = context_clusters(task.dataset)
        found = dectest(table, target, groups, subset=self.subset, repeats=self.repeats, how=task.resampling())
        settings = {"subset": self.subset, "repeats": self.repeats, "resamples": task.resamples, "seed": task.seed}
        made = {
            name: signature("dectest", evaluator=column, param=self.param, **settings)
            for name, column in table.columns.items()
        }
        rows: list[tuple[Cell, ...]] = [
            (r.evaluator, r.rho, r.low, r.high, r.n, r.rho_mean, r.rho_sd) for r in found.results
        ]
        header: tuple[str, ...] = ("evaluator", "rho", "low", "high", "n", "mean of subsets", "sd of subsets")
        how = f" and over {self.repeats} random subsets of {self.subset}"
        if all(row.n <= self.subset for row in found.results):
            # Subsets of all there is would only repeat the number.
            rows, header, how = [row[:5] for row in rows], header[:5], ""
        numbers = [n for row in found.results for n in _dectest_numbers(row, made[row.evaluator])]
        return Part(
            title="Diversity by decoding (decTest)",
            summary=f"Spearman's rho of each metric with {self.param}, over all sets{how}.",
            answers={"trust": [said(found.results, found.comparisons, self.param)]},
            numbers=tuple(n for n in numbers if how or "subsets" not in n.name),
            tables=(Table("dectest", "decTest", header, tuple(rows)),),
            methods=(*made.values(), CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """A numeric parameter with several values is needed."""
        for name, values in dataset.outputs.columns.items():
            if name.startswith("params.") and isinstance(values, np.ndarray):
                if len(np.unique(values[~np.isnan(values)])) > 1 and len(dataset.sets) < len(dataset.outputs):
                    return {"param": name.removeprefix("params."), "evaluators": list(METRICS)}
        return None


def said(rows: Sequence[ContestRow | DecTestRow], comparisons: Sequence[Difference], what: str) -> str:
    """Which metric follows the target, and which it is above, as far as tests adjusted for their number tell."""
    known = [row for row in rows if not isnan(row.rho)]
    if not known:
        return f"No metric can be held against {what}: {UNDEFINED}."
    best = max(known, key=lambda row: row.rho)
    if best.n < FEW_UNITS:
        return f"{counted(best.n, 'set')} with {what}: too few to trust a metric by."
    if isnan(best.p_value):
        return f"Whether a metric follows {what} cannot be told: {best.reason}."
    adjusted = holm(np.array([row.p_value for row in known]))
    if not (best.rho > 0 and adjusted[known.index(best)] < ALPHA):
        return f"No metric clearly follows {what}."
    pairs = [pair for pair in comparisons if best.evaluator in (pair.left, pair.right)]
    rivals = [pair.right if pair.left == best.evaluator else pair.left for pair in pairs if not pair.p_holm < ALPHA]
    here = f"(rho {best.rho:.2f} on these sets)"
    if rivals:
        return f"{best.evaluator} follows {what} {here}, but is not clearly above {listed(rivals)}."
    return f"{best.evaluator} follows {what} best {here}." if pairs else f"{best.evaluator} follows {what} {here}."


def _contest_numbers(row: ContestRow, made: str) -> list[Number]:
    found = [
        ("rho", row.rho, row.low, row.high),
        ("oca", row.oca, nan, nan),
        ("oca, corrected", row.oca_corrected, row.oca_low, row.oca_high),
        ("threshold", row.threshold, nan, nan),
        ("pearson", row.pearson, nan, nan),
    ]
    return [_number(*part, row, made) for part in found]


def _dectest_numbers(row: DecTestRow, made: str) -> list[Number]:
    found = [
        ("rho", row.rho, row.low, row.high),
        ("rho of subsets, mean", row.rho_mean, nan, nan),
        ("rho of subsets, sd", row.rho_sd, nan, nan),
        ("pearson of subsets, mean", row.pearson, nan, nan),
    ]
    return [_number(*part, row, made) for part in found]


def _number(name: str, value: float, low: float, high: float, row: ContestRow | DecTestRow, made: str) -> Number:
    missing = (row.reason or UNDEFINED) if isnan(value) else row.reason if isnan(low) else ""
    reason = missing if isnan(value) or name in WITH_INTERVAL else NO_INTERVAL
    return Number(name, value, row.n, made, row.n_missing, low, high, reason, {"evaluator": row.evaluator})
