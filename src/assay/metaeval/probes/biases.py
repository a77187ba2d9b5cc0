"""Biases of a judge's answers: length, its own family, position, repeated questions, use of the scale.

Where people answered too, a bias is what the judge has beyond people: people may like longer texts for a reason.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from math import nan

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, did_you_mean
from assay.metaeval.probes.bounded import BoundedMean, ModalShare, bounded_mean, modal_share
from assay.metaeval.probes.bounded_difference import BoundedDifference, bounded_difference
from assay.metaeval.probes.slopes import ROUNDING, ClusterEstimate, cluster_slope
from assay.records import Criterion, Dataset, JudgmentView
from assay.records.preferences import preferred

Floats = NDArray[np.float64]
LEAST_ROWS = 20
UNCERTAIN = "too few items, or nothing varies"


@dataclass(frozen=True)
class Bias:
    """One probe of one judge. `about` says in what unit the estimate is, and compared with what.

    `p_value` is against no bias, which is 0; NaN where the probe describes a judge and tests nothing.
    """

    judge: str
    probe: str
    about: str
    estimate: ClusterEstimate | BoundedMean | BoundedDifference | ModalShare
    reason: str = ""
    p_value: float = nan
    p_adjusted: float = nan


def answers_biases(
    dataset: Dataset,
    judge: str,
    criterion: str,
    *,
    scores: Floats | None = None,
    own: Collection[str] = (),
    ignore: Collection[str] = (),
) -> list[Bias]:
    """Biases of answers about single outputs; `scores` are those of an evaluator that is the judge."""
    view = dataset.judgments.about("output").of(criterion)
    by_judge, by_people = _sides(dataset, view, judge, ignore)
    n = len(dataset)
    people = _means(view.unit[by_people], view.value[by_people], n)
    answered = _means(view.unit[by_judge], view.value[by_judge], n) if scores is None else scores.copy()
    scale = "answers"
    if scores is not None:
        # An evaluator has a scale of its own: both are compared in standard deviations.
        answered, people = _standardized(answered), _standardized(people)
        scale = "standard deviations"
    gap, beyond = _beyond(answered, people)
    rows = np.flatnonzero(~np.isnan(gap))
    item = dataset.outputs.item
    words = np.log2(np.maximum([len(dataset.outputs.text[int(row)].split()) for row in rows], 1))
    results = [
        _bias(
            judge,
            "length",
            f"{scale} per doubling of length{beyond}",
            lambda: cluster_slope(words, gap[rows], item[rows]),
            len(rows),
        )
    ]
    if own:
        mine = _own(dataset, own)[dataset.outputs.system[rows]]
        about = f"{scale} more for its own systems{beyond}"
        few = 0 if mine.all() or not mine.any() else len(rows)
        results.append(
            _bias(
                judge,
                "self-preference",
                about,
                lambda: bounded_difference(gap[rows], mine, item[rows]),
                few,
                "texts of its own systems beside those of others",
            )
        )
    if scores is None:
        results += _retest(judge, dataset.criterion(criterion), view, by_judge, item)
        results += _scale_use(judge, view, by_judge, item, _codes(view)[by_people])
    return results


def preference_biases(
    dataset: Dataset, judge: str, criterion: str, *, own: Collection[str] = (), ignore: Collection[str] = ()
) -> list[Bias]:
    """Biases of preferences between two outputs, -1 to 1; both orders of a pair are needed for position."""
    view = dataset.judgments.about("pair").of(criterion)
    by_judge, by_people = _sides(dataset, view, judge, ignore)
    value = np.sign(preferred(dataset, view))
    swapped = view.unit > view.other
    first, second = np.minimum(view.unit, view.other), np.maximum(view.unit, view.other)
    keys, pair = np.unique(np.stack([first, second], axis=1), axis=0, return_inverse=True)
    pair, toward = pair.ravel(), np.where(swapped, -value, value)
    n, item = len(keys), dataset.outputs.item[keys[:, 0]]
    # Each order counts once, however often it was asked, so that position cannot pass for another bias.
    orders = [
        _means(pair[by_judge & (swapped == order)], toward[by_judge & (swapped == order)], n) for order in (False, True)
    ]
    both = np.flatnonzero(~np.isnan(orders[0]) & ~np.isnan(orders[1]))
    results = _position(judge, orders[0][both], orders[1][both], item[both])
    answered = _mean_of(orders)
    people = _means(pair[by_people], toward[by_people], n)
    gap, beyond = _beyond(answered, people)
    rows = np.flatnonzero(~np.isnan(gap))
    lengths = np.array([max(len(text.split()), 1) for text in dataset.outputs.text])
    ratio = np.log2(lengths[keys[:, 0]] / lengths[keys[:, 1]])
    results.append(
        _bias(
            judge,
            "length",
            f"preference per doubling of length{beyond}",
            lambda: cluster_slope(ratio[rows], gap[rows], item[rows]),
            len(rows),
        )
    )
    if own:
        mine = _own(dataset, own)[dataset.outputs.system[keys]].astype(np.float64)
        side = mine[:, 0] - mine[:, 1]
        mixed = rows[side[rows] != 0]
        # Preferences are -1 to 1, and differences from those of people twice as far apart.
        most = 2.0 if gap is not answered else 1.0
        results.append(
            _bias(
                judge,
                "self-preference",
                f"preference for its own systems{beyond}",
                lambda: bounded_mean(gap[mixed] * side[mixed], item[mixed], -most, most),
                len(mixed),
                "pairs of its own systems and others",
            )
        )
    return results


def _position(judge: str, forward: Floats, backward: Floats, item: NDArray[np.int64]) -> list[Bias]:
    """The first text is preferred in both orders more often than the second: (forward - backward) / 2."""
    lead, flips = (forward - backward) / 2, (forward * backward < 0).astype(np.float64)
    n, what = len(forward), "pairs in both orders"
    about = "preference for the text that is shown first"
    position = _bias(judge, "position", about, lambda: bounded_mean(lead, item, -1.0, 1.0), n, what)
    about = "share of verdicts that flip with the order"
    flip_rate = _bias(judge, "flip rate", about, lambda: bounded_mean(flips, item, 0.0, 1.0), n, what)
    return [position, replace(flip_rate, p_value=nan)]


def _retest(
    judge: str, criterion: Criterion, view: JudgmentView, rows: NDArray[np.bool_], item: NDArray[np.int64]
) -> list[Bias]:
    """How far the answers to a question are apart that was asked twice; of names, how often they differ."""
    unit, value = view.unit[rows], _codes(view)[rows]
    order = np.argsort(unit, kind="stable")
    unit, value = unit[order], value[order]
    again = np.flatnonzero(unit[1:] == unit[:-1])
    if not len(again):
        return []
    differences = np.abs(value[again + 1] - value[again])
    declared, seen = _declared(criterion, view.value), float(np.ptp(view.value))
    widest = seen if declared is None else declared
    about = f"mean difference of two answers to the same question ({(differences == 0).mean():.0%} are equal)"
    if declared is None:
        about += f"; the scale, {seen:g} wide, is that of the answers seen"
    if criterion.scale == "nominal" or np.isnan(view.value).any():
        about, widest = "share of the questions asked twice whose answers differ", 1.0
        differences = (differences > 0).astype(np.float64)
    estimate = bounded_mean(differences, item[unit[again]], 0.0, widest)
    reason = "" if widest > 0 else "every answer is the same, and the criterion declares no scale"
    return [_described(Bias(judge, "test-retest", about, estimate, reason))]


def _scale_use(
    judge: str, view: JudgmentView, rows: NDArray[np.bool_], item: NDArray[np.int64], people: Floats
) -> list[Bias]:
    """How much of the answers is one answer; people's beside it."""
    answers = _codes(view)[rows]
    if not len(answers):
        return []
    beside = ""
    if len(people):
        most_of_people = max(np.unique(people, return_counts=True)[1]) / len(people)
        beside = f"; people: {len(np.unique(people))}, {most_of_people:.0%}"
    about = f"share of the most frequent answer; {len(np.unique(answers))} different answers{beside}"
    return [_described(Bias(judge, "scale use", about, modal_share(answers, item[view.unit[rows]])))]


def _codes(view: JudgmentView) -> Floats:
    """Answers as numbers; labels that have none get numbers of their own, above all others."""
    named = np.isnan(view.value)
    above = 1 + np.floor(view.value[~named].max(initial=-1.0))
    return np.where(named, view.table.label[view.rows] + above, view.value).astype(np.float64)


def _described(bias: Bias) -> Bias:
    """A probe that tests nothing, with the reason where it has no interval."""
    return bias if bias.estimate.has_interval or bias.reason else replace(bias, reason="too few items")


def _declared(criterion: Criterion, answers: Floats) -> float | None:
    """How far two answers can be apart by the declared scale; None without one, or if an answer lies outside of it."""
    return criterion.span if criterion.span is not None and criterion.accepts(answers).all() else None


def _bias(
    judge: str,
    probe: str,
    about: str,
    estimate: Callable[[], ClusterEstimate | BoundedMean | BoundedDifference],
    n: int,
    what: str = "units",
) -> Bias:
    if n < LEAST_ROWS:
        return Bias(judge, probe, about, ClusterEstimate(nan, nan, nan, n), f"too few {what} ({n} < {LEAST_ROWS})")
    measured = estimate()
    if not measured.has_interval:
        return Bias(judge, probe, about, measured, UNCERTAIN)
    return Bias(judge, probe, about, measured, p_value=measured.p_value)


def _beyond(judge: Floats, people: Floats) -> tuple[Floats, str]:
    """The judge's answers minus those of people where people answered; else as they are."""
    both = ~np.isnan(judge) & ~np.isnan(people)
    if np.count_nonzero(both) >= LEAST_ROWS:
        gap = judge - people
        gap[np.abs(gap) <= ROUNDING * (np.abs(judge) + np.abs(people))] = 0.0
        return gap, ", beyond people"
    return judge, ", not compared with people"


def _sides(
    dataset: Dataset, view: JudgmentView, judge: str, ignore: Collection[str]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    names = dataset.judgments.annotators.to_list()
    out = {judge, *ignore} | dataset.judgments.models()
    is_judge = np.array([name == judge for name in names], np.bool_)
    is_person = np.array([name not in out for name in names], np.bool_)
    return is_judge[view.annotator], is_person[view.annotator]


def _own(dataset: Dataset, own: Collection[str]) -> NDArray[np.bool_]:
    systems = dataset.systems.id.to_list()
    for name in own:
        if name not in systems:
            raise AssayError(f"no system {name!r}.{did_you_mean(name, systems)}")
    return np.array([name in own for name in systems])


def _means(unit: NDArray[np.int64], values: Floats, n: int) -> Floats:
    counts = np.bincount(unit, minlength=n)
    return np.divide(np.bincount(unit, values, n), counts, out=np.full(n, nan), where=counts > 0)


def _mean_of(orders: list[Floats]) -> Floats:
    known = np.stack(orders)
    n = (~np.isnan(known)).sum(axis=0)
    return np.divide(np.nansum(known, axis=0), n, out=np.full(known.shape[1], nan), where=n > 0)


def _standardized(values: Floats) -> Floats:
    deviation = np.nanstd(values) if not np.isnan(values).all() else 0.0
    return (values - np.nanmean(values)) / deviation if deviation > 0 else values * nan
