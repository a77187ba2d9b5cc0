"""The step `[huse]`: quality and diversity in one number, and the outputs that give each system away."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isnan
from typing import Any, ClassVar

import numpy as np

from assay.analyses.huse.analysis import HuseStudy, SystemHuse, huse
from assay.analyses.huse.equality import p_equal
from assay.analyses.huse.pictures import huse_figures
from assay.analyses.huse.stability import plan
from assay.analyses.words import ALPHA, interval, listed
from assay.evaluators.huse.measure import MEASURES
from assay.part import Cell, Number, Part, Picture, Table
from assay.records import Dataset
from assay.registry import factory, parse
from assay.study.keys import Positive
from assay.study.proposals import judged_criteria
from assay.study.step import Step
from assay.study.task import Task

CITE = "Hashimoto, Zhang & Liang 2019, Unifying Human and Statistical Evaluation for Natural Language Generation"
EXAMPLES = 40  # outputs per system and kind of failure; the counts are of all
HALF_WIDTH = 0.05  # an interval this narrow to each side is worth asking for
LOW = 0.75  # below this a part of HUSE is worth a sentence; what is surely above it is near people
FEWEST_NEAR = 50  # outputs on each side: of fewer HUSE comes out too high, since 16 neighbors are most of them
PARTS = {"huse_q": "quality", "huse_d": "diversity"}
NAMES = {"huse_q": "HUSE-Q", "huse_d": "HUSE-D"}


@dataclass(frozen=True)
class Huse(Step):
    """Every system against people: HUSE, HUSE-Q, HUSE-D."""

    name: ClassVar[str] = "huse"
    about: ClassVar[str] = "Quality and diversity in one number (HUSE), from judgments and log-probabilities."

    criterion: str
    k: Positive = 16

    def run(self, task: Task) -> Part:
        """Measure each system; intervals come from splits of the items, not from resamples."""
        dataset = task.dataset
        quality = f"human(criterion={self.criterion!r})"
        made = {name: factory(name)(k=self.k, quality=parse(quality)).signature for name in MEASURES}
        found = huse(
            dataset,
            k=self.k,
            quality=quality,
            train=task.train,
            folds=task.folds,
            seed=task.seed,
            progress=task.progress,
        )
        tested = {entry.system: parts_held_to_people(entry) for entry in found.systems}
        return Part(
            title="HUSE",
            summary=(
                "HUSE is twice the error of a classifier that must tell a system's outputs from people's by "
                "log-probability and judgment: 1 means that they cannot be told apart, 0 that they always can. "
                "HUSE-Q uses judgments alone; HUSE-D = 1 + HUSE - HUSE-Q says what diversity costs."
            ),
            answers={
                "best": _best(found),
                "wrong": [said_of(entry, tested[entry.system]) for entry in found.systems],
                "next": _next(found),
            },
            numbers=tuple(number for entry in found.systems for number in _numbers(entry, made, tested[entry.system])),
            tables=(_measures(found), _failures(found, dataset)),
            pictures=tuple(
                Picture(name, figure.draw(), _caption(name)) for name, figure in huse_figures(found, dataset).items()
            ),
            methods=(*made.values(), CITE),
        )

    @classmethod
    def proposal(cls, dataset: Dataset) -> Mapping[str, Any] | None:
        """Texts of people, judgments and log-probabilities are needed."""
        criteria = judged_criteria(dataset)
        if not criteria or not dataset.human.any() or not len(dataset.logprobs):
            return None
        return {"criterion": criteria[0]}


def _leader(found: HuseStudy) -> SystemHuse | None:
    known = [entry for entry in found.systems if not isnan(entry.huse)]
    return max(known, key=lambda entry: entry.huse, default=None)


def _best(found: HuseStudy) -> list[str]:
    best = _leader(found)
    if best is None:
        return []
    over = best.interval["huse"]
    said = f"By quality and diversity together, {best.system}: HUSE {best.huse:.2f} ({interval(over.low, over.high)})"
    others = [entry for entry in found.systems if entry is not best]
    if not others or isnan(over.low):
        return [f"{said}."]
    rivals = [entry.system for entry in others if not entry.interval["huse"].high < over.low]
    return [f"{said}; it is not clearly above {listed(rivals)}." if rivals else f"{said}, clearly above all others."]


def _next(found: HuseStudy) -> list[str]:
    """What it takes to know HUSE of the best system well."""
    best = _leader(found)
    if best is None or isnan(best.interval["huse"].low):
        return []
    needed = plan(best.problem, best.rules, best.interval, None, half_width=HALF_WIDTH, price=0.0).n_items
    has = len(np.unique(best.problem.group))
    if needed <= has:
        return []
    return [f"HUSE of {best.system} to within {HALF_WIDTH} takes about {needed} items; there are {has}."]


def parts_held_to_people(entry: SystemHuse) -> dict[str, float]:
    """Hold each part of HUSE that is low against a system equal to people: its p, or none where it is not low."""
    low = [name for name in PARTS if getattr(entry, name) < LOW]
    return {name: p_equal(entry.problem, entry.rules, name, entry.seed, ALPHA / len(PARTS)) for name in low}


def said_of(entry: SystemHuse, tested: Mapping[str, float]) -> str:
    """Say what a system lacks where a system equal to people would not show it, or that it is near people.

    Both parts are tested, so each at half the level. Near people means that all of the interval of HUSE lies above
    `LOW`: then quality and diversity do too, since neither exceeds what people have.
    """
    if isnan(entry.huse):
        return f"{entry.system}: HUSE is undefined ({entry.reasons.get('huse', 'not known')})."
    lacking = [
        f"{PARTS[name]} ({NAMES[name]} {getattr(entry, name):.2f}; p {p:.3f} against a system equal to people)"
        for name, p in tested.items()
        if p <= ALPHA / len(PARTS)
    ]
    if lacking:
        return f"{entry.system} lacks {' and '.join(lacking)}."
    over = entry.interval["huse"]
    measured = f"HUSE {entry.huse:.2f}, {interval(over.low, over.high)}"
    if over.low >= LOW and min(entry.n_human, entry.n_model) >= FEWEST_NEAR:
        return f"{entry.system} is near people in both: all of the interval is above {LOW} ({measured})."
    return f"{entry.system}: these outputs show neither a lack nor that it is near people ({measured})."


def _numbers(entry: SystemHuse, made: Mapping[str, str], tested: Mapping[str, float]) -> Iterator[Number]:
    for name in MEASURES:
        over, annotators = entry.interval[name], entry.annotator_interval[name]
        about = {
            "system": entry.system,
            "n_people": entry.n_human,
            "n_system": entry.n_model,
            "annotator_interval": None if isnan(annotators.low) else [annotators.low, annotators.high],
            "tie_range": list(entry.tie_range[name]),
            "dropped": dict(entry.problem.dropped),
        }
        if name in tested:
            about["p_equal_to_people"] = tested[name]
        yield Number(
            name,
            getattr(entry, name),
            entry.n_human + entry.n_model,
            made[name],
            sum(entry.problem.dropped.values()),
            over.low,
            over.high,
            entry.reasons.get(name, over.reason),
            about,
        )


def _measures(found: HuseStudy) -> Table:
    header = ("system", "HUSE", "low", "high", "HUSE-Q", "HUSE-D", "tie range", "people", "outputs")
    rows: list[tuple[Cell, ...]] = []
    for e in found.systems:
        over = e.interval["huse"]
        ties = e.tie_range["huse"]
        around = interval(*ties, 3)
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
    header = ("system", "failure", "text", "share of people among neighbors", "output")
    return Table("huse_failures", "What gives systems away", header, tuple(rows), note)


def _caption(name: str) -> str:
    if name == "huse-plane":
        return "Quality against diversity, with lines of equal HUSE; the shaded region is dominated."
    return "Outputs over the neighbors' vote: hover over a mark, or click it, to read its text."
