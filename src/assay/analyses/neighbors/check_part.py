"""Estimates as a result: held against what is known, beside the baselines that any estimate must beat."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan, nan
from typing import Any

import numpy as np

from assay.analyses.neighbors.check import Checked, check
from assay.analyses.neighbors.figures import check_figure
from assay.analyses.neighbors.neighborhood import Agreement
from assay.analyses.neighbors.settings import Settings, drawn_note
from assay.analyses.words import ALPHA, FEW_UNITS, counted, follows, interval
from assay.metaeval.questions.question import signature as meta_signature
from assay.part import Bounded, Cell, Number, Part, Picture, Table

CITE = "Ethayarajh & Sadigh 2020, BLEU Neighbors: A Reference-less Approach to Automatic Evaluation"
RIVALS = {"mean": "the mean", "length": "the length of a text"}
NOT_RESAMPLED = "only rho of the neighbors is resampled"


def check_part(settings: Settings) -> Part:
    """Estimate, and hold the estimates against what is known."""
    found = check(
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
    known = found.found.n > 0
    tables = [_baselines(found)] if known else []
    return Part(
        title="Quality from neighbors",
        summary=_summary(found, settings),
        answers={"trust": [said_of(found)]} if known else {},
        numbers=tuple(_numbers(found, settings)),
        tables=(*tables, _estimates(found, in_file=known)),
        pictures=(Picture("neighbors", check_figure(found).draw(), "Estimates against judged quality."),),
        methods=(settings.signature(), CITE),
        notes=tuple(_notes(found)),
        seed=settings.seed,
    )


def _summary(found: Checked, settings: Settings) -> str:
    drawn = len(found.train)
    some = f" {drawn:,} of {found.n_judged:,} judged texts were drawn for this." if drawn < found.n_judged else ""
    return (
        f"Each output's {settings.criterion} estimated from the judged outputs most like it "
        f"({settings.similarity.kernel}), or left open: {found.estimates.coverage:.0%} have an estimate. "
        f"An estimate is worth something only where it beats the mean and the length of the text.{some}"
    )


def agreement_numbers(found: Agreement, signature: str, about: Mapping[str, Any]) -> Iterator[Number]:
    """Rho, squared error and coverage, with the reason for what is undefined or has no interval."""
    why, uncovered = no_agreement(found), found.n - found.n_covered
    yield Number("rho", found.rho, found.n_covered, signature, uncovered, reason=why or NOT_RESAMPLED, about=about)
    yield Number("mse", found.mse, found.n_covered, signature, uncovered, reason=why or NOT_RESAMPLED, about=about)
    yield Number("coverage", found.coverage, found.n, signature, reason=NOT_RESAMPLED, about=about)


def no_agreement(found: Agreement) -> str:
    """Why agreement is undefined; empty where it is not."""
    if not found.n:
        return "no output has a known quality"
    if not found.n_covered:
        return "no output has an estimate"
    return "ranks need at least two different estimates and qualities" if isnan(found.rho) else ""


def _numbers(found: Checked, settings: Settings) -> Iterator[Number]:
    near, over = found.found, found.rho_interval
    every = {"criterion": settings.criterion, "n_judged": found.n_judged}
    about: dict[str, Any] = {"estimate": "neighbors", **every}
    signature = settings.signature()
    rho, mse, coverage = agreement_numbers(near, signature, about)
    reason = no_agreement(near) or _no_interval(over.low, settings.n_resamples)
    drawn = about | {"resampled": ["outputs"], "resamples": settings.n_resamples}
    yield Number("rho", rho.value, rho.n, signature, rho.n_missing, over.low, over.high, reason, drawn)
    beaten = {f"p_against_{name}": None if isnan(rival.p) else rival.p for name, rival in found.rivals.items()}
    yield Number("mse", mse.value, mse.n, signature, mse.n_missing, reason=mse.reason, about=about | beaten)
    yield coverage
    held = about | {"alpha": settings.alpha}
    share = _share_inside(found)
    yield Number("interval_coverage", share, near.n_covered, signature, reason=mse.reason, about=held)
    for name, row in found.baselines.items():
        about = {"estimate": name, **every}
        made_by = meta_signature("baseline", estimate=name, criterion=settings.criterion)
        yield Number("rho", row.rho, row.n, made_by, reason=row.reason or NOT_RESAMPLED, about=about)
        yield Number("mse", row.mse, row.n, made_by, reason=NOT_RESAMPLED, about=about)


def _no_interval(low: float, n_resamples: int) -> str:
    if not isnan(low):
        return ""
    return "too few resamples have a value" if n_resamples else "no resamples were asked for"


def _share_inside(found: Checked) -> float:
    """The share of known qualities inside their interval; NaN without any."""
    known = found.estimates.covered & ~np.isnan(found.test.quality)
    inside = (found.low <= found.test.quality) & (found.test.quality <= found.high)
    return float(inside[known].mean()) if known.any() else nan


def said_of(found: Checked) -> str:
    """Say whether the estimates can be trusted: whether they follow people, and beat what is trivial."""
    near, over = found.found, found.rho_interval
    if isnan(near.rho) or near.n_covered < FEW_UNITS:
        return f"{counted(near.n_covered, 'neighbor estimate')}: too few to say whether they can be trusted."
    numbers = f"rho {near.rho:.2f}, {interval(over.low, over.high)}"
    if not follows(near.rho, over.low):
        return f"Neighbor estimates follow people too little to decide by them ({numbers})."
    same = f"on the {counted(near.n_covered, 'text')} that have an estimate"
    unbeaten = [name for name, rival in found.rivals.items() if not rival.beaten(ALPHA)]
    if unbeaten:
        named = " or ".join(RIVALS[name] for name in unbeaten)
        return f"Neighbor estimates follow people ({numbers}), but are not shown to be better than {named} {same}."
    return f"Neighbor estimates follow people ({numbers}), better than the mean and the length of a text {same}."


def _baselines(found: Checked) -> Table:
    near, over = found.found, found.rho_interval
    rho = Bounded(near.rho, over.low, over.high)
    rows: list[tuple[Cell, ...]] = [("neighbors", near.mse, rho, near.coverage, near.n_covered)]
    rows += [(f"{name}, the same texts", r.mse, nan, near.coverage, r.n) for name, r in found.rivals.items()]
    rows += [(name.replace("_", " "), b.mse, b.rho, 1.0, b.n) for name, b in found.baselines.items()]
    header = ("estimate", "MSE", "rho", "coverage", "n")
    return Table("neighbors", "Estimates beside baselines", header, tuple(rows))


def _estimates(found: Checked, *, in_file: bool) -> Table:
    """One row per output: the estimate with its interval and nearest neighbors, or the reason why there is none."""
    rows: list[tuple[Cell, ...]] = []
    for row, output in enumerate(found.test.ids):
        start, stop = found.neighbors.offsets[row : row + 2]
        order = start + np.argsort(-found.neighbors.values[start:stop], kind="stable")
        nearest = [f"{found.train.ids[found.neighbors.columns[at]]} ({found.neighbors.values[at]:.3f})" for at in order]
        rows.append(
            (
                output,
                Bounded(float(found.estimates.values[row]), float(found.low[row]), float(found.high[row])),
                float(found.test.quality[row]),
                int(found.estimates.n_neighbors[row]),
                ", ".join(nearest),
                found.estimates.gaps[row],
            )
        )
    header = ("output", "estimate", "quality", "neighbors", "nearest", "why not")
    note = f"Intervals are at {1 - found.alpha:.0%}; behind the nearest neighbors stands their similarity."
    return Table("neighbors_estimates", "Estimates of single outputs", header, tuple(rows), note, in_file)


def _notes(found: Checked) -> Iterator[str]:
    counts: dict[str, int] = {}
    for reason, n in found.estimates.gaps.counts().items():
        kind = reason.partition(" (")[0]
        counts[kind] = counts.get(kind, 0) + n
    yield from (f"{n} outputs have no estimate: {reason}" for reason, n in counts.items())
    if len(found.train) < found.n_judged:
        yield drawn_note(len(found.train), found.n_judged)
    if found.n_shared:
        yield f"{found.n_shared} training texts are to be estimated themselves and were left out"
