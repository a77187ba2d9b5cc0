"""How far annotators agree, and how good each of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import isnan
from typing import Any, Literal

from assay.analyses.words import interval as interval_words
from assay.analyses.words import listed, why_no_interval
from assay.kernels.votes.agreement import Scale
from assay.kernels.votes.cohen import Weighting
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Method, Resampling
from assay.metaeval.votes.agreement import AgreementOptions, CriterionAgreement, VotesRule, agreements
from assay.part import Bounded, Cell, Number, Part, Table, reasons_once
from assay.records import Dataset

# Krippendorff (2004) draws conclusions from alpha of .8 on, tentative ones from .667 on.
TENTATIVE, FIRM = 0.667, 0.8
ROWS = {"best": "best annotator", "best_held_out": "best annotator, held out", "average": "average annotator"}

Verdict = Literal["well", "enough for tentative conclusions", "little", "open"]


def agree(
    data: Dataset,
    criteria: Sequence[str] = (),
    *,
    votes: VotesRule = "modal",
    scale: Scale | None = None,
    weighting: Weighting = "none",
    min_shared: int = 5,
    against: str | None = None,
    answer_range: float | None = None,
    constant_rho: float | None = None,
    icc: bool = False,
    labels: bool = False,
    resamples: int = 1000,
    factors: tuple[str, ...] = (),
    interval: Method = "auto",
    confidence: float = 0.95,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Part:
    """Measure how far annotators agree on each criterion, and compare each annotator with the others.

    Args:
        data: a data set with judgments.
        criteria: by default all.
        votes: the units of Fleiss' kappa: modal (those with the most frequent number of votes), all, or a number.
        scale: of Krippendorff's alpha; by default what the criterion declares, else nominal for labels and ordinal for
            numbers.
        weighting: what a disagreement costs in Cohen's kappa: none, linear or quadratic.
        min_shared: units that two annotators must share to count as a pair in Cohen's kappa.
        against: `human` recodes each vote as right or wrong about whether people wrote the output.
        answer_range: for squared errors on a 0 to 1 scale; by default the one that the criterion declares, else that of
            the answers given.
        constant_rho: what the rho of an annotator who always gives one answer counts as; by default a gap.
        icc: whether to add intraclass correlations, on the units of Fleiss' kappa.
        labels: whether the part has a table `labels` with the likeliest answer about each unit.
        resamples: number of resamples; 0 for no intervals.
        factors: what is resampled: items (default), units, annotators, or items and annotators.
        interval: t, percentile or bca.
        confidence: of the intervals.
        seed: of everything random.
        progress: called with (criteria done, criteria).
    """
    options = AgreementOptions(votes, scale, weighting, min_shared, against, answer_range, constant_rho, icc)
    resampling = Resampling(resamples, factors, interval, confidence, seed)
    results = agreements(data, criteria, options=options, resampling=resampling, progress=progress)
    return agreement_part(results, labels=labels)


def agreement_part(results: Sequence[CriterionAgreement], *, labels: bool = False) -> Part:
    """Show the agreement on each criterion."""
    return Part(
        title="Annotators",
        summary="; ".join(
            f"{r.criterion}{f' ({r.question})' if r.question else ''}: "
            f"{r.n_votes} judgments of {r.n_annotators} annotators on {r.n_units} units"
            for r in results
        )
        + ".",
        answers=answers_of(results),
        numbers=tuple(number for result in results for number in _numbers(result)),
        tables=(
            _statistics(results),
            _annotators(results),
            _answers_given(results),
            *([_labels(results)] if labels else []),
        ),
        methods=tuple(dict.fromkeys(result.signature for result in results)),
        notes=tuple(reasons_once((f"{r.criterion}: no labels by Dawid and Skene's model", r.consensus.reason)
                                 for r in results)),
        seed=results[0].resampling.seed,
    )  # fmt: skip


def answers_of(results: Sequence[CriterionAgreement]) -> dict[str, list[str]]:
    """The sentences of the first screen: how reliable the judgments are, and what to do next."""
    return {"trust": [_sentence(result) for result in results], "next": _next(results)}


def _estimates(result: CriterionAgreement) -> dict[str, Estimate]:
    """Every estimate about all annotators, by name."""
    return {
        **result.statistics,
        **{f"ceiling: {name}": estimate for name, estimate in result.ceiling.items()},
        **{
            f"{ROWS[row]}: {name}": estimate
            for row, measures in result.annotators.summary.items()
            for name, estimate in measures.items()
        },
        **{f"share of {name} (Dawid-Skene)": estimate for name, estimate in result.consensus.prevalence.items()},
    }


def _numbers(result: CriterionAgreement) -> Iterator[Number]:
    about = {"criterion": result.criterion}
    for name, estimate in _estimates(result).items():
        yield _number(name, estimate, result, about | estimate.about)
    for annotator in result.annotators.annotators:
        own = about | {"annotator": annotator.annotator, "constant": annotator.constant}
        for name, estimate in annotator.measures.items():
            yield _number(name, estimate, result, own)
        reason = "Dawid and Skene's model is fitted once"
        yield Number("accuracy", annotator.accuracy, annotator.n, result.signature, reason=reason, about=own)


def _number(name: str, estimate: Estimate, result: CriterionAgreement, about: Mapping[str, Any]) -> Number:
    dropped = int(estimate.about.get("n_dropped", 0))
    reason = estimate.reason or why_no_interval(estimate.low, result.resampling.resamples)
    ends = estimate.low, estimate.high
    return Number(name, estimate.value, estimate.n, result.signature, dropped, *ends, reason, about)


def _statistics(results: Sequence[CriterionAgreement]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (result.criterion, name, Bounded(one.value, one.low, one.high), one.n, one.reason)
        for result in results
        for name, one in _estimates(result).items()
    ]
    return Table("agreement", "Agreement", ("criterion", "statistic", "value", "n", "note"), tuple(rows))


def _annotators(results: Sequence[CriterionAgreement]) -> Table:
    rows: list[tuple[Cell, ...]] = [
        (
            result.criterion,
            one.annotator,
            one.n,
            *(one.measures[name].value for name in ("agreement", "rho_left_out", "mse_left_out")),
            one.accuracy,
            one.top_share,
            one.seconds_per_judgment,
            "yes" if one.constant else "no",
        )
        for result in results
        for one in sorted(result.annotators.annotators, key=lambda a: (a.measures["agreement"].value, a.annotator))
    ]
    header = ("criterion", "annotator", "judgments", "agreement", "rho", "mse", "accuracy (Dawid and Skene)")
    further = ("top answer", "seconds each", "constant")
    return Table("annotators", "Annotators, least agreement first", (*header, *further), tuple(rows))


def _answers_given(results: Sequence[CriterionAgreement]) -> Table:
    rows = [(result.criterion, answer, n) for result in results for answer, n in result.categories.items()]
    repeated = sum(result.n_repeated for result in results)
    note = f"{repeated} repeated judgments of one annotator on one unit count once." if repeated else ""
    return Table("answers", "Answers given", ("criterion", "answer", "judgments"), tuple(rows), note)


def _labels(results: Sequence[CriterionAgreement]) -> Table:
    rows = [(result.criterion, *row.values()) for result in results for row in result.consensus.rows()]
    header = ("criterion", "unit", "label", "probability", "majority")
    return Table("labels", "Likeliest answers", header, tuple(rows), in_file=True)


def verdict(alpha: Estimate) -> Verdict:
    """The verdict that the whole interval of alpha supports."""
    if isnan(alpha.low) or alpha.low < TENTATIVE <= alpha.high:
        return "open"
    if alpha.high < TENTATIVE:
        return "little"
    return "well" if alpha.low >= FIRM else "enough for tentative conclusions"


def _sentence(result: CriterionAgreement) -> str:
    alpha = result.statistics["krippendorff_alpha"]
    if isnan(alpha.value):
        return f"Agreement on {result.criterion} is undefined ({alpha.reason})."
    numbers = f"Krippendorff's alpha {alpha.value:.2f}, {interval_words(alpha.low, alpha.high)}"
    how = verdict(alpha)
    if how != "open":
        return f"Annotators agree {how} on {result.criterion} ({numbers})."
    why = f": {alpha.reason}" if isnan(alpha.low) else f", on both sides of {TENTATIVE}"
    return f"Whether annotators agree enough on {result.criterion} cannot be said ({numbers}{why})."


def _next(results: Sequence[CriterionAgreement]) -> list[str]:
    alphas = {result.criterion: result.statistics["krippendorff_alpha"] for result in results}
    verdicts = {name: verdict(alpha) for name, alpha in alphas.items() if not isnan(alpha.value)}
    little = [name for name, how in verdicts.items() if how == "little"]
    unknown = [name for name, how in verdicts.items() if how == "open"]
    return [
        *([f"More annotators per output, or a clearer question, for {listed(little)}."] if little else []),
        *(
            [f"More items that several people judge, to know how far they agree on {listed(unknown)}."]
            if unknown
            else []
        ),
    ]
