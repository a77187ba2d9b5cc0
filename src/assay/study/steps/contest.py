"""The steps `[contest]` and `[dectest]`: do diversity metrics see content, and do they see decoding?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from assay.meta.contest import ContestRow, contest
from assay.meta.dectest import DecTestRow, dectest
from assay.meta.question import signature
from assay.meta.set_targets import context_clusters, set_values, two_classes
from assay.records import Dataset
from assay.report.diversity_figures import draw_histograms
from assay.report.pieces import Number, Part, Picture, Table
from assay.study.keys import EvaluatorCall
from assay.study.step import Step
from assay.study.task import Task

CITE = "Tevet & Berant 2021, Evaluating the Evaluation of Diversity in Natural Language Generation"
METRICS = ("distinct", "cos_sim")
NOT_RESAMPLED = "only rho and OCA are resampled"


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
        rows = tuple((r.evaluator, r.rho, r.low, r.high, r.oca, r.threshold, r.n) for r in found.results)
        best = max(found.results, key=lambda row: row.oca)
        return Part(
            title="Content diversity (conTest)",
            summary="Spearman's rho with the label, and OCA: the best accuracy that one threshold can reach.",
            answers={"trust": [f"{best.evaluator} tells high from low diversity best (OCA {best.oca:.2f})."]},
            numbers=tuple(number for row in found.results for number in _contest_numbers(row, made[row.evaluator])),
            tables=(Table("contest", "conTest", ("evaluator", "rho", "low", "high", "OCA", "threshold", "n"), rows),),
            pictures=tuple(
                Picture(f"contest-{name}", figure.svg(), "Scores of sets of high and low diversity.")
                for name, figure in draw_histograms(table, target, found).items()
            ),
            methods=(*made.values(), CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """A set column of two values is needed."""
        values = dataset.sets.columns.get("label_value")
        if not isinstance(values, np.ndarray) or len(np.unique(values[~np.isnan(values)])) != 2:
            return None
        return {"label": "label_value", "evaluators": list(METRICS)}


@dataclass(frozen=True)
class DecTest(Step):
    """Sets sampled with a decoding parameter: which metric follows it?"""

    name: ClassVar[str] = "dectest"
    about: ClassVar[str] = "Which diversity metrics follow a decoding parameter (decTest)."

    param: str = "temperature"
    evaluators: tuple[EvaluatorCall, ...] = METRICS
    subset: int = 200
    repeats: int = 100

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
        rows = tuple((r.evaluator, r.rho_mean, r.rho_sd, r.rho, r.low, r.high, r.n) for r in found.results)
        best = max(found.results, key=lambda row: row.rho)
        header = ("evaluator", "rho, mean of subsets", "sd", "rho, all", "low", "high", "n")
        return Part(
            title="Diversity by decoding (decTest)",
            summary=f"Spearman's rho of each metric with {self.param}, over all sets and over random subsets.",
            answers={"trust": [f"{best.evaluator} follows {self.param} best (rho {best.rho:.2f})."]},
            numbers=tuple(number for row in found.results for number in _dectest_numbers(row, made[row.evaluator])),
            tables=(Table("dectest", "decTest", header, rows),),
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


def _contest_numbers(row: ContestRow, made: str) -> list[Number]:
    about = {"evaluator": row.evaluator}
    return [
        Number("rho", row.rho, row.n, made, row.n_missing, row.low, row.high, about=about),
        Number("oca", row.oca, row.n, made, row.n_missing, row.oca_low, row.oca_high, about=about),
        Number("threshold", row.threshold, row.n, made, row.n_missing, reason=NOT_RESAMPLED, about=about),
        Number("pearson", row.pearson, row.n, made, row.n_missing, reason=NOT_RESAMPLED, about=about),
    ]


def _dectest_numbers(row: DecTestRow, made: str) -> list[Number]:
    about = {"evaluator": row.evaluator}
    return [
        Number("rho", row.rho, row.n, made, row.n_missing, row.low, row.high, about=about),
        Number("rho of subsets, mean", row.rho_mean, row.n, made, row.n_missing, reason=NOT_RESAMPLED, about=about),
        Number("rho of subsets, sd", row.rho_sd, row.n, made, row.n_missing, reason=NOT_RESAMPLED, about=about),
        Number("pearson of subsets, mean", row.pearson, row.n, made, row.n_missing, reason=NOT_RESAMPLED, about=about),
    ]
