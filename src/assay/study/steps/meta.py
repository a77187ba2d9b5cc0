"""The step `[meta]`: which evaluators can be trusted here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from assay.errors import EvaluatorError
from assay.records import Dataset
from assay.report.pieces import Cell, Part, Picture, Table
from assay.study.proposals import human_evaluators, usable_evaluators
from assay.study.step import Step

if TYPE_CHECKING:
    from assay.meta.matrix import Matrix
    from assay.meta.study import Answers

SHOWN = "spearman"
STRONG = 0.3  # below this, or with an interval that reaches 0, an evaluator is no stand-in for its target


@dataclass(frozen=True)
class Meta(Step):
    """Every evaluator against a target, output by output, between systems and within them."""

    name: ClassVar[str] = "meta"
    about: ClassVar[str] = "Which evaluators can be trusted: each against a target, usually people."

    target: str
    evaluators: tuple[str, ...]
    levels: tuple[str, ...] = ()

    def run(self, dataset: Dataset, seed: int, resamples: int) -> Part:
        """Correlate, compare and cluster the evaluators."""
        from assay.meta.contrast import Procedure
        from assay.meta.question import Question, Resampling
        from assay.meta.study import ask
        from assay.run import score

        candidates = tuple(name for name in self.evaluators if name != self.target)
        finer = [level for level in self.levels if level != "system"]
        if len(finer) > 1:
            raise EvaluatorError(f"levels {', '.join(finer)}: a study takes one unit beside system. Leave one out.")
        table = score(dataset, (*candidates, self.target), unit=finer[0] if finer else None, seed=seed)
        resampling = Resampling(resamples, seed=seed)
        question = Question(self.target, candidates, levels=self.levels, resampling=resampling)
        found = ask(table, question, Procedure(), dataset=dataset)
        return Part(
            title="Evaluators",
            summary=(
                f"{len(candidates)} evaluators against {self.target}, over {len(table)} {table.kind}s. Between-system "
                "agreement says whether an evaluator orders generators; within-system agreement whether it orders "
                "texts of one generator. They are different questions."
            ),
            answers={"trust": _trust(found, self.target), "next": _next(found)},
            numbers=tuple(asdict(row) for row in found.correlations),
            tables=_tables(found),
            pictures=_pictures(found, self.target),
            methods=tuple(dict.fromkeys(row.signature for row in found.correlations)),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """A criterion of people, and something to hold against it."""
        people = human_evaluators(dataset)
        candidates = [name for name in usable_evaluators(dataset, unit="output") if name not in people[:1]]
        return {"target": people[0], "evaluators": candidates} if people and candidates else None


def _shown(found: Answers, level: str | None = None) -> list[Any]:
    rows = [row for row in found.correlations if row.statistic == SHOWN and row.grouping == "pooled"]
    finest = rows[0].level if rows else ""
    return sorted((row for row in rows if row.level == (level or finest)), key=lambda row: -_or_low(row.value))


def _or_low(value: float) -> float:
    return value if value == value else -2.0


def _trust(found: Answers, target: str) -> list[str]:
    rows = _shown(found)
    if not rows:
        return []
    good = [row for row in rows if row.low > 0 and row.value >= STRONG]
    weak = [row.candidate for row in rows if row not in good]
    sentences = []
    if good:
        best = good[0]
        sentences.append(
            f"{best.candidate} follows {target} best, {best.level} by {best.level} "
            f"(rho {best.value:.2f}, {best.low:.2f} to {best.high:.2f})."
        )
    else:
        sentences.append(f"No evaluator follows {target} well {rows[0].level} by {rows[0].level}.")
    if weak:
        sentences.append(f"Too weak to decide by: {', '.join(weak)}.")
    apart = [side.candidate for side in found.between_within if side.warning and side.statistic == SHOWN]
    if apart:
        sentences.append(f"Between and within systems tell different stories for {', '.join(apart)}.")
    return sentences


def _next(found: Answers) -> list[str]:
    wide = [row for row in _shown(found) if row.high - row.low > 0.4]
    if not wide:
        return []
    return [f"More judged {wide[0].level}s: the intervals of {len(wide)} evaluators are wider than 0.4."]


def _tables(found: Answers) -> tuple[Table, ...]:
    rows: list[tuple[Cell, ...]] = [
        (r.candidate, r.level, r.statistic, r.value, r.low, r.high, r.n, r.n_missing, r.coverage)
        for r in found.correlations
    ]
    header = ("evaluator", "level", "statistic", "value", "low", "high", "n", "missing", "coverage")
    tables = [Table("correlations", "Agreement with the target", header, tuple(rows))]
    clusters: list[tuple[Cell, ...]] = [
        (found_.level, found_.statistic, place, ", ".join(names))
        for found_ in found.clusters
        for place, names in enumerate(found_.clusters, 1)
    ]
    if clusters:
        note = "Evaluators in one cluster cannot be told apart on this data."
        tables.append(
            Table("clusters", "Clusters", ("level", "statistic", "cluster", "evaluators"), tuple(clusters), note)
        )
    sides: list[tuple[Cell, ...]] = [
        (side.candidate, side.between, side.within, side.pooled, side.n_systems, side.n_units)
        for side in found.between_within
        if side.statistic == SHOWN
    ]
    if sides:
        sides_header = ("evaluator", "between systems", "within systems", "pooled", "systems", "units")
        tables.append(Table("between_within", f"Between and within systems ({SHOWN})", sides_header, tuple(sides)))
    return tuple(tables)


def _pictures(found: Answers, target: str) -> tuple[Picture, ...]:
    from assay.report.plot import Figure

    pictures = []
    rows = _shown(found)
    if rows:
        names = [row.candidate for row in rows]
        figure = Figure(
            f"Agreement with {target}", f"Spearman's rho, {rows[0].level} level", y_categories=names, id="agreement"
        )
        figure.intervals([row.value for row in rows], [row.low for row in rows], [row.high for row in rows])
        figure.rule(x=0.0)
        pictures.append(Picture("agreement", figure.svg(), "Each evaluator with its 95% interval."))
    matrix = next((part for part in found.matrices if part.statistic == SHOWN), None)
    if matrix is not None and len(matrix.names) > 2:
        pictures.append(Picture("matrix", _heat_map(matrix).svg(), "How evaluators agree with each other."))
    return tuple(pictures)


def _heat_map(matrix: Matrix) -> Any:
    import numpy as np

    from assay.report.plot import Figure

    names = list(matrix.names)
    edges = np.arange(len(names) + 1) - 0.5
    figure = Figure("Evaluator by evaluator", x_categories=names, y_categories=names, id="matrix")
    return figure.grid(edges, edges, matrix.values, name="rho", low=-1, high=1, middle=0, cell_text=".2f")
