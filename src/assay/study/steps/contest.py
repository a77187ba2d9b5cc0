"""The steps `[contest]` and `[dectest]`: do diversity metrics see content, and do they see decoding?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from assay.records import Dataset
from assay.report.pieces import Part, Picture, Table
from assay.study.step import Step

CITE = "Tevet & Berant 2021, Evaluating the Evaluation of Diversity in Natural Language Generation"
METRICS = ("distinct", "cos_sim")


@dataclass(frozen=True)
class ConTest(Step):
    """Sets of two classes, high and low diversity: which metric tells them apart?"""

    name: ClassVar[str] = "contest"
    about: ClassVar[str] = "Which diversity metrics tell sets of high from sets of low diversity (conTest)."

    label: str = "label_value"
    evaluators: tuple[str, ...] = METRICS

    def run(self, dataset: Dataset, seed: int, resamples: int) -> Part:
        """Hold each metric against the label."""
        from assay.meta.clustered import Resampling
        from assay.meta.contest import contest
        from assay.meta.set_targets import context_clusters, set_values, two_classes
        from assay.report.diversity_figures import draw_histograms
        from assay.run import score

        target = set_values(dataset, self.label)
        two_classes(self.label, target)
        table = score(dataset, self.evaluators, unit="set", seed=seed)
        found = contest(table, target, context_clusters(dataset), how=Resampling(resamples, seed))
        rows = tuple((r.evaluator, r.rho, r.low, r.high, r.oca, r.threshold, r.n) for r in found.results)
        best = max(found.results, key=lambda row: row.oca)
        return Part(
            title="Content diversity (conTest)",
            summary="Spearman's rho with the label, and OCA: the best accuracy that one threshold can reach.",
            answers={"trust": [f"{best.evaluator} tells high from low diversity best (OCA {best.oca:.2f})."]},
            numbers=tuple(map(asdict, found.results)),
            tables=(Table("contest", "conTest", ("evaluator", "rho", "low", "high", "OCA", "threshold", "n"), rows),),
            pictures=tuple(
                Picture(f"contest-{name}", figure.svg(), "Scores of sets of high and low diversity.")
                for name, figure in draw_histograms(table, target, found).items()
            ),
            methods=(*(r.signature for r in found.results), CITE),
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
    evaluators: tuple[str, ...] = METRICS
    subset: int = 200
    repeats: int = 100

    def run(self, dataset: Dataset, seed: int, resamples: int) -> Part:
        """Hold each metric against the parameter."""
        from assay.meta.clustered import Resampling
        from assay.meta.dectest import dectest
        from assay.meta.set_targets import context_clusters, set_values
        from assay.run import score

        target = set_values(dataset, self.param)
        table = score(dataset, self.evaluators, unit="set", seed=seed)
        how = Resampling(resamples, seed)
        found = dectest(table, target, context_clusters(dataset), subset=self.subset, repeats=self.repeats, how=how)
        rows = tuple((r.evaluator, r.rho_mean, r.rho_sd, r.rho, r.low, r.high, r.n) for r in found.results)
        best = max(found.results, key=lambda row: row.rho)
        header = ("evaluator", "rho, mean of subsets", "sd", "rho, all", "low", "high", "n")
        return Part(
            title="Diversity by decoding (decTest)",
            summary=f"Spearman's rho of each metric with {self.param}, over all sets and over random subsets.",
            answers={"trust": [f"{best.evaluator} follows {self.param} best (rho {best.rho:.2f})."]},
            numbers=tuple(map(asdict, found.results)),
            tables=(Table("dectest", "decTest", header, rows),),
            methods=(*(r.signature for r in found.results), CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """A numeric parameter with several values is needed."""
        for name, values in dataset.outputs.columns.items():
            if name.startswith("params.") and isinstance(values, np.ndarray):
                if len(np.unique(values[~np.isnan(values)])) > 1 and len(dataset.sets) < len(dataset.outputs):
                    return {"param": name.removeprefix("params."), "evaluators": list(METRICS)}
        return None
