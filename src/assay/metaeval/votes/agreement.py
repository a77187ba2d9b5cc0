"""Agreement of annotators: kappas, Krippendorff's alpha and percent agreement, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from assay.errors import AssayError, DataError, did_you_mean
from assay.grammar import parse_call
from assay.kernels.ragged import running_offsets
from assay.kernels.votes.agreement import Scale, fleiss_kappa, krippendorff_alpha, percent_agreement
from assay.kernels.votes.cohen import Weighting, disagreement_weights, mean_pair_kappa, shared_votes
from assay.metaeval.estimate import Estimate
from assay.metaeval.questions.question import Resampling, resampling_of, signature
from assay.metaeval.votes.annotator_quality import AnnotatorQuality, annotator_quality
from assay.metaeval.votes.ceiling import human_ceiling
from assay.metaeval.votes.consensus import Consensus, consensus
from assay.metaeval.votes.intraclass import intraclass
from assay.metaeval.votes.vote_draws import Draws, checked, clusters_of, resample, too_few
from assay.metaeval.votes.votes import Votes, votes_of
from assay.records import Dataset

AGREEMENT = "agreement"
"""The name of an answer in its signature."""

MOST_CATEGORIES = 100
"""Kappas count equal answers; on finer scales there are hardly any."""

MOST_CRITERIA = 1000
"""Each takes about a tenth of a second, or more where it has many votes."""

RAREST = 5
"""An interval needs so many items with an answer other than the most frequent, and with disagreement."""

VotesRule = Literal["modal", "all"] | int


@dataclass(frozen=True)
class AgreementOptions:
    """Options, with the defaults of the command line.

    - `votes`: the units of Fleiss' kappa. `modal`: those with the most frequent number of votes of two or more (the
      kappa of 1971 needs equal numbers); a number: those with exactly so many; `all`: every unit with two or more.
    - `scale` of Krippendorff's alpha; by default the declared scale of the criterion, else nominal for labels and
      ordinal for numbers.
    - `weighting` of Cohen's kappa, and `min_shared`, the units two annotators must share to count as a pair.
    - `against`: see `assay.metaeval.votes.votes.votes_of`.
    - `answer_range`: answers are divided by this before errors are squared; by default the declared range of the
      criterion, else that of the answers.
    - `constant_rho`: the rho of an annotator who always gives one answer, by default a gap.
    - `icc`: whether intraclass correlations are among the statistics, on the units of Fleiss' kappa.
    """

    votes: VotesRule = "modal"
    scale: Scale | None = None
    weighting: Weighting = "none"
    min_shared: int = 5
    against: str | None = None
    answer_range: float | None = None
    constant_rho: float | None = None
    icc: bool = False

    def __post_init__(self) -> None:
        if self.scale is not None and self.scale not in get_args(Scale):
            raise AssayError(f"no scale {self.scale!r}.{did_you_mean(self.scale, get_args(Scale))}")
        if isinstance(self.votes, int) and self.votes < 2:
            raise AssayError(f"agreement needs units with two or more votes, not {self.votes}.")
        if self.icc and self.votes == "all":
            raise AssayError("intraclass correlations need as many votes on every unit: votes='modal' or a number.")
        if self.answer_range is not None and not self.answer_range > 0:
            raise AssayError(f"the range of answers must be above 0, not {self.answer_range}.")


@dataclass(frozen=True)
class CriterionAgreement:
    """All results about the annotators of one criterion."""

    criterion: str
    question: str
    n_units: int
    n_votes: int
    n_annotators: int
    n_repeated: int
    categories: dict[str, int]
    statistics: dict[str, Estimate]
    ceiling: dict[str, Estimate]
    consensus: Consensus
    annotators: AnnotatorQuality
    resampling: Resampling
    signature: str


def agreements(
    dataset: Dataset,
    criteria: Sequence[str] = (),
    *,
    options: AgreementOptions | None = None,
    resampling: Resampling | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[CriterionAgreement]:
    """Agreement on each criterion; without names, on all."""
    table = dataset.judgments
    if not len(table):
        raise DataError("the data has no judgments. Agreement needs them: see the data format.")
    chosen = list(criteria) or table.criteria.to_list()
    if len(chosen) > MOST_CRITERIA:
        raise AssayError(
            f"agreement on {len(chosen):,} criteria is too much for one answer: {MOST_CRITERIA:,} at most. "
            "Name those you ask about with --criterion."
        )
    options, resampling = options or AgreementOptions(), checked(resampling or Resampling())
    results = []
    for name in chosen:
        results.append(agreement(votes_of(dataset, name, against=options.against), options, resampling))
        if progress:
            progress(len(results), len(chosen))
    return results


def agree_again(answer: str, dataset: Dataset) -> CriterionAgreement:
    """Recompute the result of a signature."""
    call = parse_call(answer)
    names = {field.name for field in fields(AgreementOptions)}
    options = AgreementOptions(**{key: value for key, value in call.kwargs.items() if key in names})  # type: ignore[arg-type]
    return agreements(dataset, [str(call.kwargs["criterion"])], options=options, resampling=resampling_of(call))[0]


def agreement(votes: Votes, options: AgreementOptions, resampling: Resampling) -> CriterionAgreement:
    """Every statistic of one criterion."""
    fitted = consensus(votes, resampling)
    span = options.answer_range or votes.asked.span
    if options.answer_range is not None and votes.numeric and np.ptp(votes.values) > options.answer_range:
        raise AssayError(
            f"the answers to {votes.criterion} span {np.ptp(votes.values):g}, more than the range of "
            f"{options.answer_range:g}. Give the whole range of the scale, such as 4 for answers from 1 to 5."
        )
    return CriterionAgreement(
        criterion=votes.criterion,
        question=votes.asked.question,
        n_units=votes.n_units,
        n_votes=len(votes),
        n_annotators=votes.n_annotators,
        n_repeated=votes.n_repeated,
        categories=dict(
            zip(votes.category_names, np.bincount(votes.category, minlength=votes.n_categories).tolist(), strict=True)
        ),
        statistics=agreement_statistics(votes, options, resampling),
        ceiling=human_ceiling(votes, resampling),
        consensus=fitted,
        annotators=annotator_quality(votes, fitted.accuracy, resampling, span, options.constant_rho),
        resampling=resampling,
        signature=signature(AGREEMENT, criterion=votes.criterion, **asdict(options), resampling=resampling),
    )


def agreement_statistics(votes: Votes, options: AgreementOptions, resampling: Resampling) -> dict[str, Estimate]:
    """Kappas, alpha and percent agreement with their intervals."""
    fleiss_units = _fleiss_units(votes, options.votes)
    scale = _scale(votes, options)
    if scale == "ratio" and votes.values.min(initial=0.0) < 0:
        raise AssayError("a ratio scale starts at 0, and some answers are negative. Use interval.")
    kappas = votes.n_categories <= MOST_CATEGORIES
    cost = disagreement_weights(votes.values if kappas else np.zeros(1), options.weighting)
    shared, offsets = _pairs_of_annotators(votes, options.min_shared)
    fixed = votes.counts()

    def all_of(draws: Draws) -> NDArray[np.float64]:
        if kappas:
            cohen = mean_pair_kappa(shared, offsets, draws.units, draws.annotators, cost, 1)
        else:
            cohen = np.full(len(draws.units), np.nan)
        if (draws.annotators == 1).all():
            return np.stack([*_of_counts(*fixed, draws.units, fleiss_units, votes.values, scale), cohen], axis=1)
        rows = [
            _of_counts(*votes.counts(copies.astype(np.int64)), units[None], fleiss_units, votes.values, scale)
            for units, copies in zip(draws.units, draws.annotators, strict=True)
        ]
        return np.column_stack([np.array(rows)[:, :, 0], cohen])

    resampled = resample(votes, resampling, all_of)
    pairable = votes.per_unit > 1
    n_pairable, n_fleiss, pairs = int(pairable.sum()), int(fleiss_units.sum()), len(offsets) - 1
    dropped = {"n_dropped": votes.n_units - n_pairable}
    about: dict[str, tuple[NDArray[np.bool_], dict[str, Any]]] = {
        "fleiss_kappa": (fleiss_units, {"votes": _rule(votes, options.votes), "n_dropped": votes.n_units - n_fleiss}),
        "krippendorff_alpha": (pairable, {"scale": scale, **dropped}),
        "percent_agreement": (pairable, dropped),
        "cohen_kappa": (
            pairable,
            {"n_pairs": pairs, "weighting": options.weighting, "min_shared": options.min_shared},
        ),
    }
    statistics = {
        name: resampled.estimate(
            (k,),
            int(used.sum()),
            _why_undefined(votes, name, int(used.sum()), pairs, options.min_shared),
            # Chance agreement comes from the same votes: kappas of few units are too small. Alpha allows for that.
            corrected=name.endswith("kappa"),
            no_interval=_why_no_interval(votes, name, used, fixed[0], resampling),
            **extra,
        )
        for k, (name, (used, extra)) in enumerate(about.items())
    }
    if options.icc:
        no_interval = _why_no_interval(votes, "icc", fleiss_units, fixed[0], resampling)
        statistics |= intraclass(votes, fleiss_units, resampling, no_interval)
    return statistics


def _scale(votes: Votes, options: AgreementOptions) -> Scale:
    """The chosen scale, else the declared one, else the default."""
    if not votes.numeric and options.scale not in (None, "nominal"):
        raise AssayError(f"answers to {votes.criterion!r} are names, which have no {options.scale} scale. Use nominal.")
    declared = next((scale for scale in get_args(Scale) if scale == votes.asked.scale), None)
    return options.scale or declared or ("ordinal" if votes.numeric else "nominal")


def _pairs_of_annotators(votes: Votes, min_shared: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """`shared_votes` of the pairs of annotators that share enough units."""
    shared, offsets = shared_votes(votes.unit, votes.annotator, votes.category, votes.n_annotators)
    lengths = np.diff(offsets)
    enough = lengths >= min_shared
    return shared[np.repeat(enough, lengths)], running_offsets(lengths[enough])


def _why_no_interval(
    votes: Votes, name: str, used: NDArray[np.bool_], counts: NDArray[np.int64], resampling: Resampling
) -> str:
    """Where intervals fail in simulation: few items, few answers other than one, few disagreements."""
    factor = next((factor for factor in resampling.factors if factor != "annotators"), None)
    if resampling.interval != "t" or factor is None or not used.any():
        return ""
    clusters = clusters_of(votes, resampling)
    n_clusters = len(np.unique(clusters[used]))
    if too_few(n_clusters, factor):
        return too_few(n_clusters, factor)
    answers = counts[used].sum(axis=0)
    usual = int(answers.argmax())
    others = 1.0 - answers[usual] / answers.sum()
    if name != "percent_agreement" and n_clusters * others < RAREST:
        return f"too few answers other than {votes.category_names[usual]!r} for an interval"
    n_disputed = len(np.unique(clusters[used & ((counts > 0).sum(axis=1) > 1)]))
    if n_disputed < RAREST:
        return f"annotators disagree about {n_disputed} {factor} only: too few for an interval"
    return ""


def _of_counts(
    counts: NDArray[np.int64],
    self_pairs: NDArray[np.int64],
    weights: NDArray[Any],
    fleiss_units: NDArray[np.bool_],
    values: NDArray[np.float64],
    scale: Scale,
) -> list[NDArray[np.float64]]:
    return [
        fleiss_kappa(counts[fleiss_units], self_pairs[fleiss_units], weights[:, fleiss_units])
        if counts.shape[1] <= MOST_CATEGORIES
        else np.full(len(weights), np.nan),
        krippendorff_alpha(counts, self_pairs, weights, values, scale),
        percent_agreement(counts, self_pairs, weights),
    ]


def _fleiss_units(votes: Votes, rule: VotesRule) -> NDArray[np.bool_]:
    if rule == "all":
        return votes.per_unit > 1
    wanted = _modal(votes) if rule == "modal" else rule
    return votes.per_unit == wanted


def _modal(votes: Votes) -> int:
    """The most frequent number of votes of two or more, the larger of ties; 2 when no unit has two."""
    frequency = np.bincount(votes.per_unit, minlength=3)
    frequency[:2] = 0
    return int(len(frequency) - 1 - frequency[::-1].argmax()) if frequency.any() else 2


def _rule(votes: Votes, rule: VotesRule) -> int | str:
    return _modal(votes) if rule == "modal" else rule


def _why_undefined(votes: Votes, name: str, n: int, pairs: int, min_shared: int) -> str:
    if votes.nothing_to_compare:
        return votes.nothing_to_compare
    if votes.n_categories > MOST_CATEGORIES:
        return f"{votes.n_categories} different answers are too many for a kappa: use Krippendorff's alpha"
    if name == "fleiss_kappa" and n == 0:
        return "no unit has that many votes"
    if name == "cohen_kappa" and pairs == 0:
        return f"no two annotators share {min_shared} units"
    return "only one answer was given on the units that count"
