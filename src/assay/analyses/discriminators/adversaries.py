"""Adversarial evaluators of three kinds side by side: the function behind `assay adversaries`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from math import isnan, nan
from typing import Unpack

import numpy as np

from assay.analyses.discriminators.quality import quality_parts
from assay.analyses.discriminators.verdicts import (
    KINDS,
    Accuracy,
    Judging,
    Verdicts,
    accuracy,
    check_discriminators,
    generators,
    texts_of,
    verdicts,
)
from assay.analyses.names import plain_name
from assay.errors import EvaluatorError
from assay.kernels.statistics.student import Spread, spread, student_interval
from assay.limits import check_share
from assay.part import Cell, Number, Part, Picture, Table
from assay.plot import Figure
from assay.records import Dataset
from assay.registry import parse
from assay.run.folds import Folds
from assay.run.scoring import ScoringOptions

CITE = "Garbacea et al. 2019: pooled (meta-) and individual adversarial evaluators"


def adversaries(
    data: Dataset,
    evaluators: Sequence[str] = ("nb",),
    *,
    confidence: float = 0.95,
    seed: int = 0,
    workers: int = 1,
    progress: Callable[[int, int], None] | None = None,
    **scoring: Unpack[ScoringOptions],
) -> Part:
    """Compare pooled, individual and unseen-generator discriminators: what does one know of a generator it never met?

    Args:
        data: human and generated texts.
        evaluators: the discriminators.
        confidence: of the intervals.
        seed: the random seed.
        workers: threads.
        progress: called with (discriminators trained, discriminators in all).
        scoring: how discriminators are scored; see `assay.score`. Folds are those of pooled and individual ones.
    """
    check_share("confidence", confidence)
    check_discriminators(data, evaluators)
    if Folds.of(scoring.get("folds")).leave_out == "system":
        raise EvaluatorError(
            "unseen discriminators leave the system out anyway; pooled and individual ones must know it. Leave out "
            "items, annotators or a column."
        )
    systems, names = generators(data), list(dict.fromkeys(evaluators))
    trained, n_in_all = count(1), len(names) * (2 + len(systems))

    def done() -> None:
        if progress:
            progress(next(trained), n_in_all)

    judging = Judging(scoring, seed, workers)
    parts = [
        _one_discriminator(
            data, systems, name, [verdicts(data, name, kind, judging, done) for kind in KINDS], confidence
        )
        for name in names
    ]
    return Part(
        title="Adversaries",
        summary=(
            "The share of each generator's texts that a discriminator takes for generated: trained on all generators "
            "(pooled), on that generator alone (individual), and on all but that one (unseen). The last row is the "
            "share of human texts that it takes for human."
        ),
        answers={"trust": [answer for part in parts for answer in part.answers["trust"]]},
        numbers=tuple(number for part in parts for number in part.numbers),
        tables=tuple(table for part in parts for table in part.tables),
        pictures=tuple(picture for part in parts for picture in part.pictures),
        methods=(*dict.fromkeys(number.signature for part in parts for number in part.numbers), CITE),
        notes=tuple(note for part in parts for note in part.notes),
        seed=seed,
    )


def _one_discriminator(data: Dataset, systems: list[str], name: str, judged: list[Verdicts], confidence: float) -> Part:
    plain, signature = plain_name(name), parse(name).signature
    by_kind = {
        by.kind: [accuracy(data, by, texts_of(data, system), system, confidence) for system in systems] for by in judged
    }
    humans = {by.kind: accuracy(data, by, data.human, "human texts", confidence) for by in judged}
    means = {kind: _mean(of_systems, confidence, 0.0) for kind, of_systems in by_kind.items()}
    loss = _mean(_differences(by_kind["pooled"], by_kind["unseen"]), confidence, -1.0)
    rows: list[tuple[Cell, ...]] = [
        (system, by_kind["pooled"][at].n, *(_number(kind, by_kind[kind][at], name, signature).cell for kind in KINDS))
        for at, system in enumerate(systems)
    ]
    for label, values in (("mean of generators", means), ("human texts", humans)):
        rows.append((label, values["pooled"].n, *(_number(kind, values[kind], name, signature).cell for kind in KINDS)))
    numbers = [_number(kind, one, name, signature) for kind in KINDS for one in (*by_kind[kind], humans[kind])]
    numbers += [replace(_number(kind, means[kind], name, signature), name="mean accuracy") for kind in KINDS]
    numbers.append(replace(_number("pooled", loss, name, signature), name="pooled less unseen"))
    quality = quality_parts(data, judged, name, signature)
    return Part(
        title=name,
        summary="",
        answers={"trust": [_answer(name, means, loss)]},
        numbers=(*numbers, *quality.numbers),
        tables=(
            Table(f"adversaries-{plain}", f"Accuracy of {name}", ("system", "texts", *KINDS), tuple(rows)),
            *quality.tables,
        ),
        pictures=(
            Picture.of(f"adversaries-{plain}", _figure(name, systems, by_kind), _caption(name)),
            *quality.pictures,
        ),
        notes=tuple(
            dict.fromkeys(
                f"{one.system}, {kind}: {one.reason}" for kind in KINDS for one in by_kind[kind] if one.reason
            )
        ),
    )


def _number(kind: str, one: Accuracy, name: str, signature: str) -> Number:
    about = {"system": one.system, "evaluator": name, "kind": kind}
    return Number("accuracy", one.value, one.n, signature, one.n_missing, one.low, one.high, one.reason, about)


def _differences(pooled: list[Accuracy], unseen: list[Accuracy]) -> list[Accuracy]:
    return [replace(one, value=one.value - other.value) for one, other in zip(pooled, unseen, strict=True)]


def _mean(of_systems: list[Accuracy], confidence: float, smallest: float) -> Accuracy:
    """The mean over generators, with an interval that generalizes to other generators (Student's t).

    The values lie between `smallest` and 1, and so does the interval.
    """
    values = np.array([one.value for one in of_systems if not isnan(one.value)])
    n, n_missing = len(values), len(of_systems) - len(values)
    if not n:
        return Accuracy("mean of generators", nan, nan, nan, 0, n_missing, of_systems[0].reason)
    mean = float(values.mean())
    if n < 3:
        return Accuracy("mean of generators", mean, nan, nan, n, n_missing, f"{n} generators: too few for an interval")
    left_out = (values.sum() - values) / (n - 1)
    error: Spread = spread([left_out], float(np.abs(values).max(initial=1.0)))
    low, high = np.clip(student_interval(mean, error, confidence)[:2], smallest, 1.0).tolist()
    return Accuracy("mean of generators", mean, low, high, n, n_missing, "" if low == low else "nothing varies")


def _answer(name: str, means: dict[str, Accuracy], loss: Accuracy) -> str:
    seen, unseen = means["pooled"].value, means["unseen"].value
    if isnan(unseen):
        return f"{name} takes {seen:.0%} of generated texts for generated; nothing is known of generators it never met."
    certain = " (it may be nothing)" if not loss.low > 0 and not loss.high < 0 else ""
    return (
        f"{name} takes {seen:.0%} of the texts of a generator it was trained on for generated, and {unseen:.0%} of one "
        f"it has never met: {100 * loss.value:+.1f} points{certain}."
    )


def _figure(name: str, systems: list[str], by_kind: dict[str, list[Accuracy]]) -> Figure:
    order = np.argsort([-one.value for one in by_kind["pooled"]], kind="stable").tolist()
    figure = Figure(
        f"Generators found by {name}",
        "share taken for generated",
        y_categories=[systems[at] for at in order],
        x_range=(0.0, 1.0),
        height=80 + 34 * len(systems),
        description=f"The share of each generator's texts that {name} takes for generated, with intervals over items.",
    )
    figure.rule(x=0.5, label="guessing")
    for color, kind in enumerate(KINDS):
        shown = [by_kind[kind][at] for at in order]
        figure.intervals(
            [one.value for one in shown],
            [one.low for one in shown],
            [one.high for one in shown],
            positions=np.arange(len(shown)) + 0.25 * (color - 1),
            name=f"{kind}: {KINDS[kind]}",
            color=color,
            tooltips=[f"{one.system}, {kind}: {one.value:.4f}" for one in shown],
        )
    return figure


def _caption(name: str) -> str:
    return (
        f"How many texts of each generator {name} finds when it knows all of them, only this one, or all but this one."
    )
