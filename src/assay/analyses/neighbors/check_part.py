"""The check of neighbor estimates as a result: agreement with judgments, beside the baselines to beat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan, nan
from typing import Any

import numpy as np

from assay.analyses.neighbors.check import Checked, check
from assay.analyses.neighbors.figures import check_figure
from assay.analyses.neighbors.neighborhood import EstimateAgreement
from assay.analyses.neighbors.settings import NeighborSettings, drawn_note
from assay.analyses.words import ALPHA, FEW_UNITS, counted, follows, interval
from assay.metaeval.questions.question import signature as meta_signature
from assay.part import Bounded, Cell, Number, Part, Picture, Table

CITE = "Ethayarajh & Sadigh 2020, BLEU Neighbors: A Reference-less Approach to Automatic Evaluation"
RIVALS = {"mean": "the mean", "length": "the length of a text"}
NOT_RESAMPLED = "only rho of the neighbors is resampled"


def check_part(settings: NeighborSettings) -> Part:
    """Estimate, and compare the estimates with the judgments."""
    checked = check(
        settings.test,
        settings.similarity,
        settings.rule,
        train=settings.train,
        fold=settings.fold,
        subsample=settings.subsample,
        alpha=settings.alpha,
        n_resamples=settings.n_resamples,
        most=settings.most,
        seed=settings.seed,
        workers=settings.workers,
    )
    known = checked.agreement.n > 0
    tables = [_baselines(checked)] if known else []
    return Part(
        title="Quality from neighbors",
        summary=_summary(checked, settings),
        answers={"trust": [sentence(checked)]} if known else {},
        numbers=tuple(_numbers(checked, settings)),
        tables=(*tables, _estimates(checked, in_file=known)),
        pictures=(Picture.of("neighbors", check_figure(checked), "Estimates against judged quality."),),
        methods=(settings.signature(), CITE),
        notes=tuple(_notes(checked)),
        seed=settings.seed,
    )


def _summary(checked: Checked, settings: NeighborSettings) -> str:
    drawn = len(checked.train)
    some = f" {drawn:,} of {checked.n_judged:,} judged texts were drawn for this." if drawn < checked.n_judged else ""
    return (
        f"Each output's {settings.criterion} estimated from the judged outputs most like it "
        f"({settings.similarity.kernel}), or left open: {checked.estimates.coverage:.0%} have an estimate. "
        f"Estimates are useful only if they beat the mean and the length of the text.{some}"
    )


def agreement_numbers(agreement: EstimateAgreement, signature: str, about: Mapping[str, Any]) -> Iterator[Number]:
    """Rho, squared error and coverage, with the reason for what is undefined or has no interval."""
    why, uncovered = no_agreement(agreement), agreement.n - agreement.n_covered
    yield Number(
        "rho", agreement.rho, agreement.n_covered, signature, uncovered, reason=why or NOT_RESAMPLED, about=about
    )
    yield Number(
        "mse", agreement.mse, agreement.n_covered, signature, uncovered, reason=why or NOT_RESAMPLED, about=about
    )
    yield Number("coverage", agreement.coverage, agreement.n, signature, reason=NOT_RESAMPLED, about=about)


def no_agreement(agreement: EstimateAgreement) -> str:
    """Why agreement is undefined; empty where it is not."""
    if not agreement.n:
        return "no output has a known quality"
    if not agreement.n_covered:
        return "no output has an estimate"
    return "ranks need at least two different estimates and qualities" if isnan(agreement.rho) else ""


def _numbers(checked: Checked, settings: NeighborSettings) -> Iterator[Number]:
    near, over = checked.agreement, checked.rho_interval
    every = {"criterion": settings.criterion, "n_judged": checked.n_judged}
    about: dict[str, Any] = {"estimate": "neighbors", **every}
    signature = settings.signature()
    rho, mse, coverage = agreement_numbers(near, signature, about)
    reason = no_agreement(near) or _no_interval(over.low, settings.n_resamples)
    drawn = about | {"resampled": ["outputs"], "resamples": settings.n_resamples}
    yield Number("rho", rho.value, rho.n, signature, rho.n_missing, over.low, over.high, reason, drawn)
    beaten = {f"p_against_{name}": None if isnan(rival.p) else rival.p for name, rival in checked.rivals.items()}
    yield Number("mse", mse.value, mse.n, signature, mse.n_missing, reason=mse.reason, about=about | beaten)
    yield coverage
    held = about | {"alpha": settings.alpha}
    share = _share_inside(checked)
    yield Number("interval_coverage", share, near.n_covered, signature, reason=mse.reason, about=held)
    for name, row in checked.baselines.items():
        about = {"estimate": name, **every}
        made_by = meta_signature("baseline", estimate=name, criterion=settings.criterion)
        yield Number("rho", row.rho, row.n, made_by, reason=row.reason or NOT_RESAMPLED, about=about)
        yield Number("mse", row.mse, row.n, made_by, reason=NOT_RESAMPLED, about=about)


def _no_interval(low: float, n_resamples: int) -> str:
    if not isnan(low):
        return ""
    return "too few resamples have a value" if n_resamples else "no resamples were asked for"


def _share_inside(checked: Checked) -> float:
    """The share of known qualities inside their interval; NaN without any."""
    known = checked.estimates.covered & ~np.isnan(checked.test.quality)
    inside = (checked.low <= checked.test.quality) & (checked.test.quality <= checked.high)
    return float(inside[known].mean()) if known.any() else nan


def sentence(checked: Checked) -> str:
    """Say whether the estimates follow people and beat trivial baselines."""
    near, over = checked.agreement, checked.rho_interval
    if isnan(near.rho) or near.n_covered < FEW_UNITS:
        return f"{counted(near.n_covered, 'neighbor estimate')}: too few to say whether they can be trusted."
    numbers = f"rho {near.rho:.2f}, {interval(over.low, over.high)}"
    if not follows(near.rho, over.low):
        return f"Neighbor estimates follow people too little to decide by them ({numbers})."
    same = f"on the {counted(near.n_covered, 'text')} that have an estimate"
    unbeaten = [name for name, rival in checked.rivals.items() if not rival.beaten(ALPHA)]
    if unbeaten:
        named = " or ".join(RIVALS[name] for name in unbeaten)
        return f"Neighbor estimates follow people ({numbers}), but are not shown to be better than {named} {same}."
    return f"Neighbor estimates follow people ({numbers}), better than the mean and the length of a text {same}."


def _baselines(checked: Checked) -> Table:
    near, over = checked.agreement, checked.rho_interval
    rho = Bounded(near.rho, over.low, over.high)
    rows: list[tuple[Cell, ...]] = [("neighbors", near.mse, rho, near.coverage, near.n_covered)]
    rows += [(f"{name}, the same texts", r.mse, nan, near.coverage, r.n) for name, r in checked.rivals.items()]
    rows += [(name.replace("_", " "), b.mse, b.rho, 1.0, b.n) for name, b in checked.baselines.items()]
    header = ("estimate", "MSE", "rho", "coverage", "n")
    return Table("neighbors", "Estimates beside baselines", header, tuple(rows))


def _estimates(checked: Checked, *, in_file: bool) -> Table:
    """One row per output: the estimate with its interval and nearest neighbors, or the reason of the gap."""
    rows: list[tuple[Cell, ...]] = []
    for row, output in enumerate(checked.test.ids):
        start, stop = checked.neighbors.offsets[row : row + 2]
        order = start + np.argsort(-checked.neighbors.values[start:stop], kind="stable")
        rows_of = checked.neighbors.columns[order].tolist()
        similarities = checked.neighbors.values[order].tolist()
        nearest = [f"{checked.train.ids[at]} ({alike:.3f})" for at, alike in zip(rows_of, similarities, strict=True)]
        rows.append(
            (
                output,
                Bounded(float(checked.estimates.values[row]), float(checked.low[row]), float(checked.high[row])),
                float(checked.test.quality[row]),
                int(checked.estimates.n_neighbors[row]),
                ", ".join(nearest),
                checked.estimates.gaps[row],
            )
        )
    header = ("output", "estimate", "quality", "neighbors", "nearest", "why not")
    note = f"Intervals are at {1 - checked.alpha:.0%}; the nearest neighbors are followed by their similarity."
    return Table("neighbors_estimates", "Estimates of single outputs", header, tuple(rows), note, in_file)


def _notes(checked: Checked) -> Iterator[str]:
    counts: dict[str, int] = {}
    for reason, n in checked.estimates.gaps.counts().items():
        kind = reason.partition(" (")[0]
        counts[kind] = counts.get(kind, 0) + n
    yield from (f"{n} outputs have no estimate: {reason}" for reason, n in counts.items())
    if len(checked.train) < checked.n_judged:
        yield drawn_note(len(checked.train), checked.n_judged)
    if checked.n_shared:
        yield f"{checked.n_shared} training texts are also estimated, and were left out of training"
