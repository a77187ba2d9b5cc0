"""Quality from neighbors: the function behind `assay neighbors` and the step of a study."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from assay.analyses.neighbors.neighborhood import Fold
from assay.analyses.neighbors.settings import NeighborSettings
from assay.analyses.neighbors.study_parts import STUDIES, compare_part
from assay.analyses.words import wording
from assay.errors import DataError, EvaluatorError
from assay.evaluators.neighbors.judged import MOST_TEXTS, Judged, has_quality, judged_outputs, unjudged_outputs
from assay.evaluators.neighbors.rule import Rule, Weights
from assay.evaluators.neighbors.similarity import ENCODER, Similarity
from assay.limits import check_share
from assay.part import Part
from assay.records import Dataset


def neighbors(
    data: Dataset,
    *,
    train: Dataset | None = None,
    kernel: str = "bleu",
    tau: float | None = None,
    min_neighbors: int = 5,
    max_fraction: float = 0.66,
    tokenizer: str | None = None,
    orders: Sequence[int] = (),
    encoder: str | None = None,
    weights: Weights = "uniform",
    criterion: str | None = None,
    column: str | None = None,
    scale: float | None = None,
    dedupe: bool = False,
    fold: Fold = "output",
    subsample: float = 1.0,
    most: int = MOST_TEXTS,
    alpha: float = 0.1,
    study: Literal["check", "sweep", "tune", "sizes", "covered"] | None = None,
    min_coverage: float = 0.4,
    across: Mapping[str, Dataset] | None = None,
    compare: Sequence[str] = (),
    name: str = "data",
    n_resamples: int = 1000,
    seed: int = 0,
    workers: int = 1,
) -> Part:
    """Estimate the quality of outputs from the judged outputs most like them (Ethayarajh and Sadigh, 2020).

    Args:
        data: the outputs; judged ones are estimated from each other unless there is a training set.
        train: judged outputs to train on.
        kernel: the similarity: `bleu`, `rouge_l`, `cosine`, `bertscore`, or a metric with references.
        tau: the least similarity of a neighbor; by default the kernel's.
        min_neighbors: no estimate with fewer neighbors.
        max_fraction: no estimate with a larger share of the training texts.
        tokenizer: of `bleu` and `rouge_l`.
        orders: n-gram lengths of `bleu`; 2, 3 and 4 by default.
        encoder: for `cosine` and `bertscore`.
        weights: uniform, or by similarity.
        criterion: the judgments to learn, where there are several.
        column: a numeric column of the outputs to learn instead of judgments.
        scale: what quality is divided by; by default the largest single judgment.
        dedupe: keep one of the outputs with the same context and text.
        fold: what a check leaves out: the output, its item and its copies, or its whole system.
        subsample: share of the training texts to draw neighbors from.
        most: the size of the sample if more texts are judged, as all pairs are compared.
        alpha: the miscoverage of prediction intervals.
        study: another study than the check of the estimates: the effect of thresholds (`sweep`) or training size
            (`sizes`), the choice of thresholds (`tune`), or whether texts with an estimate are easy for people
            (`covered`).
        min_coverage: the least coverage that `tune` accepts.
        across: more data sets by name, to train on one and estimate another.
        compare: more kernels to estimate the same texts by.
        name: the name of `data` among those.
        n_resamples: of the interval of rho.
        seed: of everything random.
        workers: threads.
    """
    check_share("alpha", alpha)
    if len([question for question in (study, across, compare) if question]) > 1:
        raise EvaluatorError("choose one of study, across and compare.")
    for_others = kernel not in ENCODER and any(other in ENCODER for other in compare)
    similarity = Similarity(kernel, tokenizer, tuple(orders) or None, None if for_others else encoder)
    rule = Rule(similarity.tau if tau is None else tau, min_neighbors, max_fraction, weights)

    def texts_of(of: str, dataset: Dataset, learn: bool) -> Judged:
        if not learn and not has_quality(dataset, criterion=criterion, column=column):
            texts = unjudged_outputs(dataset)
        else:
            try:
                texts = judged_outputs(dataset, criterion=criterion, column=column, scale=scale)
            except DataError as error:
                raise DataError(f"{of}: {error}") from None
        return texts.deduplicated() if dedupe else texts

    settings = NeighborSettings(
        {of: texts_of(of, one, train is None) for of, one in {name: data, **(across or {})}.items()},
        None if train is None else texts_of("train", train, learn=True),
        similarity,
        rule,
        column,
        fold,
        subsample,
        most,
        alpha,
        min_coverage,
        n_resamples,
        seed,
        workers,
    )
    if compare:
        return compare_part(settings, compare, encoder)
    part = STUDIES["across" if across else study or "check"](settings)
    return replace(part, summary=part.summary + wording(train or data, [] if column else [settings.criterion]))
