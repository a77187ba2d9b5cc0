"""`assay.huse`: the measures of every system, what each lacks, and the outputs behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from typing import Unpack

import numpy as np
from numpy.typing import ArrayLike

from assay.analyses.huse.equality import p_equal
from assay.analyses.huse.pictures import huse_pictures
from assay.analyses.huse.settings import SettingCurve, curves_of, settings_pictures, settings_table
from assay.analyses.huse.stability import Curve
from assay.analyses.huse.systems import HuseResult, SystemHuse, compare_with_people
from assay.analyses.words import ALPHA, interval, listed, p_value, wording
from assay.errors import DataError
from assay.evaluator import Evaluator
from assay.evaluators.huse.measure import MEASURES, Rules, Ties
from assay.kernels.points.huse import VoteTie
from assay.part import Bounded, Cell, Number, Part, Table
from assay.records import Dataset
from assay.run.scoring import ScoringOptions

CITE = "Hashimoto, Zhang & Liang 2019, Unifying Human and Statistical Evaluation for Natural Language Generation"
HALF_WIDTH = 0.05  # an interval this narrow to each side is worth asking for
MUCH_IMPOSSIBLE = 0.05  # of human texts
LOW = 0.75  # below this a part of HUSE is worth a sentence; what is surely above it is near people
FEWEST_NEAR = 50  # outputs on each side: of fewer HUSE comes out too high, since 16 neighbors are most of them
NAMES = {"huse": "HUSE", "huse_q": "HUSE-Q", "huse_d": "HUSE-D"}
PARTS = {"huse_q": "quality", "huse_d": "diversity"}
FAILURES = ("quality", "diversity", "indistinguishable")


def huse(
    data: Dataset | ArrayLike,
    human: ArrayLike | None = None,
    *,
    systems: Sequence[str] = (),
    k: int = 16,
    quality: str | Evaluator | None = None,
    beside: Sequence[str | Evaluator] = (),
    per_token: bool = True,
    scale: bool = True,
    ties: Ties = "exact",
    vote_tie: VoteTie = "human",
    floor: float | None = None,
    intervals: bool = True,
    plan: bool = False,
    half_width: float = HALF_WIDTH,
    price: float = 0.05,
    examples: int = 3,
    figures: bool = True,
    frequency: str | None = None,
    curve: str | None = None,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Compare systems with people by HUSE, HUSE-Q and HUSE-D (Hashimoto, Zhang and Liang, 2019).

    Args:
        data: a data set; or an array with a row per output, the log-probability per token first, then one or more
            columns of quality.
        human: with an array, whether each output is human-written.
        systems: which systems of the data set; all by default.
        k: neighbors that vote.
        quality: the quality feature, instead of the mean judgment; a fitted evaluator is cross-fitted.
        beside: evaluators that are additional features.
        per_token: whether to divide log-probabilities by the number of tokens.
        scale: whether to divide features by their standard deviations.
        ties: `exact`, or `paper` for the arithmetic of the published numbers.
        vote_tie: who gets a tied vote.
        floor: where -inf is put, by default three standard deviations below the smallest finite value.
        intervals: whether to compute intervals and tests, which takes hundreds of times as long.
        plan: whether to plan the items and annotators of a study.
        half_width: the target half-width of the interval of HUSE in that study.
        price: of one judgment in it.
        examples: outputs of each kind of failure for each system, the clearest first.
        figures: whether to draw the figures; arrays have none.
        frequency: a column with the log corpus frequency of outputs, to draw judgments against.
        curve: a decoding parameter of the outputs, such as `temperature`: also show the measures by its values.
        seed: of the random splits behind the intervals, of the tests, and of what learns.
        progress: called with (systems done, systems in all).
        scoring: how evaluators are scored: `train`, `folds`, `executor`, `cache` and `requests` of `assay.score`.
    """
    result = compare_with_people(
        data,
        human,
        Rules(k, ties, vote_tie, scale),
        systems=systems,
        quality=quality,
        beside=beside,
        per_token=per_token,
        floor=floor,
        intervals=intervals or plan,
        seed=seed,
        progress=progress,
        **scoring,
    )
    tested = {entry.system: p_of_parts(entry) if intervals else {} for entry in result.systems}
    curves = [_curves(entry) if plan else {} for entry in result.systems]
    tables = [_measures(result)]
    if isinstance(data, Dataset) and examples:
        tables.append(_failures(result, data, examples))
    by_setting: list[SettingCurve] = []
    if curve is not None:
        if not isinstance(data, Dataset):
            raise DataError("an array of features has no decoding parameters: leave curve out, or give a data set.")
        by_setting = curves_of(result, data, curve)
        tables.insert(1, settings_table(by_setting, curve))
    if plan:
        tables += [_plan(result, curves, half_width, price), _settling(result, curves)]
    return Part(
        title="HUSE",
        summary=(
            "HUSE is twice the error of a classifier that must tell a system's outputs from people's by "
            "log-probability and judgment: 1 means that they cannot be told apart, 0 that they always can. "
            "HUSE-Q uses judgments alone; HUSE-D = 1 + HUSE - HUSE-Q says what diversity costs."
            f"{wording(data, result.criteria) if isinstance(data, Dataset) else ''}"
        ),
        answers={
            "best": _best(result),
            "wrong": [sentence(entry, tested[entry.system]) for entry in result.systems] if intervals else [],
            "next": _next(result),
        },
        numbers=tuple(number for entry in result.systems for number in _numbers(entry, result, tested[entry.system])),
        tables=tuple(tables),
        pictures=(
            *(settings_pictures(by_setting, curve) if figures and curve is not None else ()),
            *(huse_pictures(result, data, curves, frequency) if figures and isinstance(data, Dataset) else ()),
        ),
        methods=(*result.signatures.values(), CITE),
        notes=tuple(_notes(result)),
        seed=seed,
    )


def _leader(result: HuseResult) -> SystemHuse | None:
    known = [entry for entry in result.systems if not isnan(entry["huse"])]
    return max(known, key=lambda entry: entry["huse"], default=None)


def _best(result: HuseResult) -> list[str]:
    best = _leader(result)
    if best is None:
        return []
    over = best.interval["huse"]
    claim = f"By quality and diversity together, {best.system}: HUSE {over.value:.2f} ({interval(over.low, over.high)})"
    others = [entry for entry in result.systems if entry is not best]
    if not others or isnan(over.low):
        return [f"{claim}."]
    rivals = [entry.system for entry in others if not entry.interval["huse"].high < over.low]
    return [f"{claim}; it is not clearly above {listed(rivals)}." if rivals else f"{claim}, clearly above all others."]


def _next(result: HuseResult) -> list[str]:
    """The study that HUSE of the best system needs."""
    best = _leader(result)
    size = None if best is None else best.study_size(HALF_WIDTH, 0.0)
    if best is None or size is None:
        return []
    n_items = len(np.unique(best.problem.group))
    if size.n_items <= n_items:
        return []
    return [f"HUSE of {best.system} to within {HALF_WIDTH} takes about {size.n_items} items; there are {n_items}."]


def p_of_parts(entry: SystemHuse) -> dict[str, float]:
    """Test each low part of HUSE against a system equal to people: p by part."""
    low = [name for name in PARTS if entry[name] < LOW]
    return p_equal(entry.measured, low, entry.seed, ALPHA / len(PARTS))


def sentence(entry: SystemHuse, tested: Mapping[str, float]) -> str:
    """Say what a system significantly lacks, or that it is near people.

    Both parts are tested, each at half the level. A system is near people if the whole interval of HUSE is above `LOW`;
    quality and diversity are then too, as neither exceeds that of people.
    """
    if isnan(entry["huse"]):
        return f"{entry.system}: HUSE is undefined ({entry.measured.reasons.get('huse', 'not known')})."
    lacking = [
        f"{PARTS[name]} ({NAMES[name]} {entry[name]:.2f}; {p_value(p)})"
        for name, p in tested.items()
        if p <= ALPHA / len(PARTS)
    ]
    if lacking:
        return f"{entry.system} lacks {' and '.join(lacking)}."
    over = entry.interval["huse"]
    measured = f"HUSE {over.value:.2f}, {interval(over.low, over.high)}"
    if over.low >= LOW and min(entry.problem.n_human, entry.problem.n_model) >= FEWEST_NEAR:
        return f"{entry.system} is near people in both: all of the interval is above {LOW} ({measured})."
    return f"{entry.system}: these outputs show neither a lack nor that it is near people ({measured})."


def _numbers(entry: SystemHuse, result: HuseResult, tested: Mapping[str, float]) -> Iterator[Number]:
    problem, ties = entry.problem, entry.tie_ranges
    for name in MEASURES:
        over, annotators = entry.interval[name], entry.annotator_interval[name]
        about = {
            "system": entry.system,
            "n_people": problem.n_human,
            "n_system": problem.n_model,
            "annotator_interval": None if isnan(annotators.low) else [annotators.low, annotators.high],
            "tie_range": list(ties[name]),
            "dropped": dict(problem.dropped),
        }
        if name in tested:
            about["p_equal_to_people"] = tested[name]
        n_missing = sum(problem.dropped.values())
        signature = result.signatures[name]
        yield Number(name, over.value, over.n, signature, n_missing, over.low, over.high, over.reason, about)


def _measures(result: HuseResult) -> Table:
    header = ("system", *(column for name in NAMES.values() for column in (name, f"{name} ties")), "people", "outputs")
    rows: list[tuple[Cell, ...]] = []
    for entry in result.systems:
        ties = entry.tie_ranges
        row: list[Cell] = [entry.system]
        for name in MEASURES:
            over = entry.interval[name]
            row += [Bounded(over.value, over.low, over.high), "" if isnan(over.value) else interval(*ties[name], 3)]
        rows.append((*row, entry.problem.n_human, entry.problem.n_model))
    note = "Ties are the range over all rules for tied neighbors and votes."
    if any(not isnan(entry.interval[name].low) for entry in result.systems for name in MEASURES):
        note = f"Intervals are over items, at 95%. {note}"
    return Table("huse", "HUSE of each system", header, tuple(rows), note)


def _failures(result: HuseResult, dataset: Dataset, examples: int) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for entry in result.systems:
        lists = entry.failures()
        for kind in FAILURES if lists is not None else ():
            positions = getattr(lists, kind)
            for place, at in enumerate(positions[:examples].tolist(), 1):
                row = int(entry.problem.rows[at])
                rows.append(
                    (
                        entry.system,
                        kind,
                        f"{place} of {len(positions)}",
                        "people" if entry.problem.human[at] else entry.system,
                        float(entry.problem.quality[at, 0]),
                        float(lists.human_share_by_quality[at]) if lists is not None else None,
                        float(lists.human_share[at]) if lists is not None else None,
                        dataset.outputs.id[row],
                        dataset.outputs.text[row],
                    )
                )
    note = (
        f"At most {examples} of each kind for each system, the plainest first. A quality failure is given away by its "
        "judgments, a diversity failure only by its log-probability; the others cannot be told from people's texts."
    )
    header = (
        *("system", "failure", "case", "written by", "quality"),
        *("share of people by quality", "share of people among neighbors", "output", "text"),
    )
    return Table("huse_failures", "What gives systems away", header, tuple(rows), note)


def _curves(entry: SystemHuse) -> dict[str, Curve]:
    """The convergence of the measures, with items and with annotators."""
    curves = {"items": entry.item_curve(), "annotators": entry.annotator_curve()}
    return {of: curve for of, curve in curves.items() if curve is not None}


def _plan(result: HuseResult, curves: Sequence[Mapping[str, Curve]], half_width: float, price: float) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for entry, settling in zip(result.systems, curves, strict=True):
        size = entry.study_size(half_width, price, settling.get("annotators"))
        if size is None:
            rows.append((entry.system, *[None] * 7, "HUSE has no interval on this data"))
            continue
        note = "" if size.enough_annotators else "all annotators there are; HUSE still moved with the last of them"
        others = (size.n_items_by_measure["huse_q"], size.n_items_by_measure["huse_d"])
        rows.append(
            (entry.system, size.n_items, *others, size.n_outputs, size.n_annotators, size.n_judgments, size.cost, note)
        )
    header = (
        *("system", "items", "items for HUSE-Q", "items for HUSE-D", "outputs", "judgments per output"),
        *("judgments", "cost", "note"),
    )
    title = f"What a 95% interval of +-{half_width:g} around HUSE takes, at {price:g} for a judgment"
    return Table("huse_plan", title, header, tuple(rows), "Outputs include those of people.")


def _settling(result: HuseResult, curves: Sequence[Mapping[str, Curve]]) -> Table:
    """The curves as numbers."""
    rows = [
        (entry.system, of, size, *(part[name][at] for name in MEASURES for part in (curve.mean, curve.deviation)))
        for entry, settling in zip(result.systems, curves, strict=True)
        for of, curve in settling.items()
        for at, size in enumerate(curve.sizes.tolist())
    ]
    header = ("system", "of", "number", *(column for name in NAMES.values() for column in (name, f"{name} sd")))
    title = "How HUSE settles with more items and more annotators"
    return Table("huse_curves", title, header, tuple(rows), in_file=True)


def _notes(result: HuseResult) -> Iterator[str]:
    """What is undefined, what was left out, and what looks wrong."""
    for entry in result.systems:
        reasons = entry.measured.reasons
        for reason in dict.fromkeys(reasons.values()):
            without = ", ".join(name for name, why in reasons.items() if why == reason)
            yield f"{entry.system}: no {without}: {reason}"
        problem = entry.problem
        for reason, count in problem.dropped.items():
            yield f"{entry.system}: {count} outputs left out: {reason}"
        if problem.floored.any():
            n_floored = int(problem.floored.sum())
            yield f"{entry.system}: {n_floored} log-probabilities of -inf stand at {problem.floor:.3f}"
            n_people = int((problem.floored & problem.human).sum())
            if n_people > MUCH_IMPOSSIBLE * problem.human.sum():
                yield (
                    f"{entry.system}: {n_people} of {int(problem.human.sum())} human texts are impossible under it, so "
                    "HUSE tells how it truncates (top-k, top-p, retrieval) more than what it writes. Give "
                    "log-probabilities without truncation too, as a system of their own, and show HUSE by setting."
                )
    for finding in result.findings:
        yield f"{finding.system}: {finding.name}: {finding.seen}. {finding.remedy}"
