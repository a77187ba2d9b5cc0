"""A judge by name: an annotator of the data, or an evaluator that scores outputs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from assay.analyses.sources import ScoreSource
from assay.analyses.words import listed
from assay.errors import AssayError, DataError, did_you_mean
from assay.records import Dataset
from assay.registry import parse
from assay.scores import Column


def evaluators_among(dataset: Dataset, judges: Sequence[str]) -> list[str]:
    """The judges that are no annotators of the data; one that is no evaluator either is an error."""
    known = dataset.judgments.annotators.to_list()
    evaluators = [name for name in judges if name not in known]
    for name in evaluators:
        try:
            parse(name)
        except AssayError:
            if "(" in name:
                raise  # a call: what is wrong with it
            raise AssayError(
                f"no annotator {name!r} in the data, and no such evaluator.{did_you_mean(name, known)}"
            ) from None
    return evaluators


def judge_scores(source: ScoreSource, dataset: Dataset, judges: Sequence[str]) -> dict[str, Column | None]:
    """The scores of each judge that is an evaluator, by output; None for an annotator of the data."""
    evaluators = evaluators_among(dataset, judges)
    table = source.score(evaluators, "output") if evaluators else None
    return {name: table[name] if table is not None and name in evaluators else None for name in judges}


def only_criterion(dataset: Dataset, judges: Sequence[str]) -> str:
    """The one criterion that every judge among the annotators answered; an error where there are several, or none."""
    table = dataset.judgments
    known = table.annotators.to_list()
    answered = set(table.criteria)
    for name in judges:
        if name in known:
            answered &= set(table.criteria.take(np.unique(table.criterion[table.annotator == known.index(name)])))
    names = [name for name in table.criteria if name in answered]
    if not names:
        raise DataError("there is no criterion that all judges answered. Give data with their judgments.")
    if len(names) > 1:
        raise AssayError(f"there are answers to {listed(names)}. Name the criterion with --criterion.")
    return names[0]
