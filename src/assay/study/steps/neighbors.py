"""The step `[neighbors]`: quality from the judged outputs most like each, checked by leaving one out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.records import Dataset
from assay.report.pieces import Part, Picture, Table
from assay.study.proposals import judged_criteria
from assay.study.step import Step

CITE = "Ethayarajh & Sadigh 2020, BLEU Neighbors: A Reference-less Approach to Automatic Evaluation"
MOST_TEXTS = 10_000  # every text is compared with every other: time and memory grow with the square
ENOUGH = 0.3  # a rank correlation below this is no basis for decisions


@dataclass(frozen=True)
class Neighbors(Step):
    """Leave-one-out estimates of one criterion, beside the baselines that any estimate must beat."""

    name: ClassVar[str] = "neighbors"
    about: ClassVar[str] = "Quality without references, from judged neighbours, with abstention."

    criterion: str
    kernel: str = "bleu"

    def run(self, dataset: Dataset, seed: int, resamples: int) -> Part:
        """Check the method on this data."""
        from assay.evaluators.neighbors.check import check
        from assay.evaluators.neighbors.judged import judged_outputs
        from assay.evaluators.neighbors.rule import Rule
        from assay.evaluators.neighbors.similarity import Similarity
        from assay.report.neighbor_figures import check_figure
        from assay.report.neighbors import check_json

        similarity = Similarity(self.kernel)
        judged = judged_outputs(dataset, criterion=self.criterion).with_quality()
        texts = judged.drawn(MOST_TEXTS, seed)
        found = check(texts, similarity, Rule(similarity.tau), n_resamples=resamples, seed=seed)
        told = check_json(found)
        told.pop("outputs")
        rows = [("neighbours", told["mse"], told["rho"], told["n_covered"])]
        rows += [(name, row["mse"], row["rho"], row["n"]) for name, row in told["baselines"].items()]
        return Part(
            title="Quality from neighbours",
            summary=(
                f"Each output's {self.criterion} estimated from the judged outputs most like it "
                f"({self.kernel}), or left open: {told['coverage']:.0%} have an estimate. "
                "An estimate is worth something only where it beats the mean and the length of the text."
                + ("" if texts is judged else f" {len(texts):,} of {len(judged):,} judged texts were drawn for this.")
            ),
            answers=_answers(told),
            numbers=(
                {
                    **told,
                    "criterion": self.criterion,
                    "n_judged": len(judged),
                    "n_missing": told["n"] - told["n_covered"],
                },
            ),
            tables=(Table("neighbors", "Estimates beside baselines", ("estimate", "MSE", "rho", "n"), tuple(rows)),),
            pictures=(Picture("neighbors", check_figure(found).svg(), "Estimates against judged quality."),),
            methods=(f"neighbors(kernel={told['kernel']!r}, tau={told['tau']})", CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """One criterion with numbers about outputs is needed."""
        criteria = judged_criteria(dataset)
        return {"criterion": criteria[0]} if criteria else None


def _answers(told: Mapping[str, Any]) -> dict[str, list[str]]:
    rho = told["rho"]
    if rho != rho:
        return {"trust": ["Neighbour estimates are undefined on this data."]}
    interval = f"{told['rho_low']:.2f} to {told['rho_high']:.2f}"
    if told["rho_low"] > ENOUGH:
        return {"trust": [f"Neighbour estimates follow people (rho {rho:.2f}, {interval})."]}
    return {"trust": [f"Neighbour estimates follow people too little to decide by them (rho {rho:.2f}, {interval})."]}
