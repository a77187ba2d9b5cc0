"""The step `[huse]`: quality and diversity in one number, and the outputs that give each system away."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from assay.records import Dataset
from assay.report.pieces import Cell, Part, Picture, Table
from assay.study.proposals import judged_criteria
from assay.study.step import Step

if TYPE_CHECKING:
    from assay.study.huse import HuseStudy, SystemHuse

CITE = "Hashimoto, Zhang & Liang 2019, Unifying Human and Statistical Evaluation for Natural Language Generation"
EXAMPLES = 40  # outputs per system and kind of failure; the counts are of all
LOW = 0.75  # below this a part of HUSE is worth a sentence


@dataclass(frozen=True)
class Huse(Step):
    """Every system against people: HUSE, HUSE-Q, HUSE-D."""

    name: ClassVar[str] = "huse"
    about: ClassVar[str] = "Quality and diversity in one number (HUSE), from judgments and log-probabilities."

    criterion: str
    k: int = 16

    def run(self, dataset: Dataset, seed: int, resamples: int) -> Part:
        """Measure each system; intervals come from splits of the items, not from resamples."""
        from assay.study.huse import huse
        from assay.study.huse_figures import huse_figures

        found = huse(dataset, k=self.k, quality=f"human(criterion={self.criterion!r})", seed=seed)
        return Part(
            title="HUSE",
            summary=(
                "HUSE is twice the error of a classifier that must tell a system's outputs from people's by "
                "log-probability and judgment: 1 means that they cannot be told apart, 0 that they always can. "
                "HUSE-Q uses judgments alone; HUSE-D = 1 + HUSE - HUSE-Q says what diversity costs."
            ),
            answers={"best": _best(found), "wrong": [_wrong(entry) for entry in found.systems]},
            numbers=tuple(_numbers(entry) for entry in found.systems),
            tables=(_measures(found), _failures(found, dataset)),
            pictures=tuple(
                Picture(name, figure.svg(), _caption(name)) for name, figure in huse_figures(found, dataset).items()
            ),
            methods=(*(entry.signature for entry in found.systems), CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Texts of people, judgments and log-probabilities are needed."""
        criteria = judged_criteria(dataset)
        if not criteria or not dataset.human.any() or not len(dataset.logprobs):
            return None
        return {"criterion": criteria[0]}


def _best(found: HuseStudy) -> list[str]:
    known = [entry for entry in found.systems if not np.isnan(entry.huse)]
    if not known:
        return []
    best = max(known, key=lambda entry: entry.huse)
    over = best.interval["huse"]
    return [
        f"By quality and diversity together, {best.system}: HUSE {best.huse:.2f} ({over.low:.2f} to {over.high:.2f})."
    ]


def _wrong(entry: SystemHuse) -> str:
    if np.isnan(entry.huse):
        return f"{entry.system}: HUSE is undefined ({entry.reasons.get('huse', 'not known')})."
    parts = []
    if entry.huse_q < LOW:
        parts.append(f"quality (HUSE-Q {entry.huse_q:.2f})")
    if entry.huse_d < LOW:
        parts.append(f"diversity (HUSE-D {entry.huse_d:.2f})")
    return f"{entry.system} lacks {' and '.join(parts)}." if parts else f"{entry.system} is near people in both."


def _numbers(entry: SystemHuse) -> dict[str, Any]:
    return {
        "system": entry.system,
        "huse": entry.huse,
        "huse_q": entry.huse_q,
        "huse_d": entry.huse_d,
        "interval": {name: asdict(part) for name, part in entry.interval.items()},
        "tie_range": dict(entry.tie_range),
        "n": entry.n_human + entry.n_model,
        "n_missing": sum(entry.problem.dropped.values()),
        "reasons": dict(entry.reasons),
        "signature": entry.signature,
    }


def _measures(found: HuseStudy) -> Table:
    header = ("system", "HUSE", "low", "high", "HUSE-Q", "HUSE-D", "tie range", "people", "outputs")
    rows: list[tuple[Cell, ...]] = []
    for e in found.systems:
        over = e.interval["huse"]
        ties = e.tie_range["huse"]
        around = f"{ties[0]:.3f} to {ties[1]:.3f}"
        rows.append((e.system, e.huse, over.low, over.high, e.huse_q, e.huse_d, around, e.n_human, e.n_model))
    return Table("huse", "HUSE of each system", header, tuple(rows), "Intervals are over items, at 95%.")


def _failures(found: HuseStudy, dataset: Dataset) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for entry in found.systems:
        lists = entry.failures()
        if lists is None:
            continue
        for kind in ("quality", "diversity", "indistinguishable"):
            for at in getattr(lists, kind)[:EXAMPLES].tolist():
                row = int(entry.problem.rows[at])
                share = float(lists.human_share[at])
                rows.append((entry.system, kind, dataset.outputs.text[row], share, dataset.outputs.id[row]))
    note = (
        f"At most {EXAMPLES} of each kind for each system, the plainest first. A quality failure is given away by its "
        "judgments, a diversity failure only by its log-probability; the others cannot be told from people's texts."
    )
    header = ("system", "failure", "text", "share of people among neighbours", "output")
    return Table("huse_failures", "What gives systems away", header, tuple(rows), note)


def _caption(name: str) -> str:
    if name == "huse-plane":
        return "Quality against diversity, with lines of equal HUSE; the shaded region is dominated."
    return "Outputs over the neighbours' vote: hover over a mark to read its text."
