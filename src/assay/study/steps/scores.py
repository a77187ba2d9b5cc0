"""The step `[scores]`: every evaluator on every system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from assay.records import Dataset
from assay.report.pieces import Part, Table
from assay.study.proposals import usable_evaluators
from assay.study.step import Step


@dataclass(frozen=True)
class Scores(Step):
    """Scores of systems; a system's score comes from its outputs or sets, as the evaluator pools them."""

    name: ClassVar[str] = "scores"
    about: ClassVar[str] = "Every evaluator on every system."

    evaluators: tuple[str, ...]

    def run(self, dataset: Dataset, seed: int, resamples: int) -> Part:
        """Score the systems with each evaluator at its own unit."""
        from assay.registry import parse
        from assay.run import score

        rows: dict[str, list[float]] = {}
        numbers: list[Mapping[str, Any]] = []
        missing = []
        methods = []
        for name in self.evaluators:
            table = score(dataset, [name], seed=seed)
            systems = table.by_system()
            column = systems[name]
            groups = table.rows_by_system()
            methods.append(column.signature)
            cite = parse(name).about.cite
            if cite:
                methods.append(cite)
            for row, system in enumerate(systems.unit):
                own = table[name].take(groups[row])
                value = float(column.values[row])
                rows.setdefault(system, []).append(value)
                about = {"system": system, "evaluator": name, "unit": table.kind, "value": value}
                numbers.append({**about, "n": own.n, "n_missing": own.n_missing, "signature": column.signature})
            if table[name].n_missing:
                reasons = ", ".join(f"{reason}: {n}" for reason, n in table[name].gaps.counts().items())
                missing.append(
                    f"{name} has no score for {table[name].n_missing} of {len(table)} {table.kind}s ({reasons})."
                )
        header = ("system", *self.evaluators)
        return Part(
            title="Scores",
            summary=f"{len(rows)} systems, {len(self.evaluators)} evaluators. Each number is about a whole system.",
            answers={"missing": missing},
            numbers=tuple(numbers),
            tables=(Table("scores", "Scores of systems", header, tuple((s, *values) for s, values in rows.items())),),
            methods=tuple(methods),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any]:
        """Every evaluator that this data allows and that costs little."""
        return {"evaluators": usable_evaluators(dataset)}
