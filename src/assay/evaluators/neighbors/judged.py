"""Outputs with their quality from 0 to 1: the training and test data of neighbor models."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, did_you_mean
from assay.kernels.statistics.exact_means import exact_means
from assay.records import Dataset
from assay.records.columns import numbers_of
from assay.text.strings import Strings, joined

MOST_TEXTS = 10_000
"""The default limit of texts compared with each other: time and memory grow with the square."""

Vector = NDArray[np.float64]
Codes = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class TextVotes:
    """Single answers; `text` is a row of the judged texts."""

    text: Codes
    annotator: Codes
    value: Vector
    annotators: Strings


@dataclass(frozen=True, eq=False)
class Judged:
    """Texts and their quality, the mean judgment divided by `scale`; NaN if unjudged."""

    ids: Strings
    texts: Strings
    quality: Vector
    item: Codes
    system: Codes
    votes: TextVotes
    criterion: str
    scale: float
    identity: Codes
    """Equal for outputs with the same context and the same text."""
    copies: Codes
    """Equal for outputs with the same text."""

    def __len__(self) -> int:
        return len(self.texts)

    def take(self, rows: Codes) -> Judged:
        """Return some texts with their votes."""
        place = np.full(len(self), -1)
        place[rows] = np.arange(len(rows))
        votes, taken = self.votes, place[self.votes.text] >= 0
        text, annotator, value = place[votes.text[taken]], votes.annotator[taken], votes.value[taken]
        votes = replace(votes, text=text, annotator=annotator, value=value)
        parts = {name: getattr(self, name)[rows] for name in ("quality", "item", "system", "identity", "copies")}
        return replace(self, ids=self.ids.take(rows), texts=self.texts.take(rows), votes=votes, **parts)

    def with_quality(self) -> Judged:
        """Leave out the texts without a quality."""
        return self.take(np.flatnonzero(~np.isnan(self.quality)))

    def drawn(self, most: int, seed: int) -> Judged:
        """A random sample of at most `most` texts, in order."""
        if len(self) <= most:
            return self
        return self.take(np.sort(np.random.default_rng(seed).choice(len(self), most, replace=False)))

    def deduplicated(self) -> Judged:
        """Keep the first of the outputs with the same context and text."""
        return self.take(np.sort(np.unique(self.identity, return_index=True)[1]))


def judged_outputs(
    dataset: Dataset, *, criterion: str | None = None, column: str | None = None, scale: float | None = None
) -> Judged:
    """Read the quality of outputs from judgments of a criterion, or from a numeric column (grades).

    The criterion may be omitted if there is only one. Quality is divided by `scale`, by default the largest single
    answer, so that 1 is best.
    """
    check_one_quality(criterion, column)
    if scale is not None and not 0 < scale < np.inf:
        raise DataError(f"the scale of quality must be a number above 0. Got {scale:g}.")
    if column is not None:
        name, votes, values = column, _no_votes(), _column(dataset, column)
        largest = float(np.nanmax(values))
    else:
        name, votes = _votes(dataset, criterion)
        n = np.bincount(votes.text, minlength=len(dataset.outputs)).astype(np.float64)
        values = exact_means(votes.value, votes.text, n)
        largest = float(votes.value.max())
    divisor = largest if scale is None else scale
    if not divisor > 0:
        raise DataError(f"{name}: the largest answer is {divisor:g}, so quality has no scale. Give one above 0.")
    return _judged(dataset, values / divisor, votes, name, divisor)


def check_one_quality(criterion: str | None, column: str | None) -> None:
    """Refuse quality from both judgments and a column."""
    if criterion is not None and column is not None:
        raise DataError(f"quality from both judgments of {criterion!r} and the column {column!r}. Give one of them.")


def unjudged_outputs(dataset: Dataset) -> Judged:
    """Outputs of unknown quality."""
    return _judged(dataset, np.full(len(dataset.outputs), np.nan), _no_votes(), "", 1.0)


def has_quality(dataset: Dataset, *, criterion: str | None = None, column: str | None = None) -> bool:
    """Whether any output is judged (by this criterion), or there is the column."""
    if column is not None:
        return column in dataset.outputs.columns
    known = dataset.judgments.about("output").criteria
    return bool(known) if criterion is None else criterion in known


def _judged(dataset: Dataset, quality: Vector, votes: TextVotes, name: str, scale: float) -> Judged:
    outputs = dataset.outputs
    context = dataset.items.context.take(outputs.item)
    identity, copies = _codes(joined([context, outputs.text], "\0")), _codes(outputs.text)
    return Judged(outputs.id, outputs.text, quality, outputs.item, outputs.system, votes, name, scale, identity, copies)


def _votes(dataset: Dataset, criterion: str | None) -> tuple[str, TextVotes]:
    about_outputs = dataset.judgments.about("output")
    known = about_outputs.criteria
    if not known:
        raise DataError(
            "the training texts have no judgments, so there is no quality to learn. Add `judgments` to the outputs, "
            "or name a column of grades."
        )
    if criterion is None:
        if len(known) > 1:
            raise DataError(f"outputs are judged by several criteria: {', '.join(known)}. Choose one.")
        criterion = known[0]
    if criterion not in known:
        raise DataError(f"no output is judged by {criterion!r}.{did_you_mean(criterion, known)}")
    judgments = about_outputs.of(criterion)
    if np.isnan(judgments.value).any():
        raise DataError(f"judgments of {criterion!r} are labels, not numbers, so they have no mean.")
    return criterion, TextVotes(judgments.unit, judgments.annotator, judgments.value, dataset.judgments.annotators)


def _column(dataset: Dataset, name: str) -> Vector:
    columns = dataset.outputs.columns
    if name not in columns:
        raise DataError(f"outputs have no column {name!r}.{did_you_mean(name, columns)}")
    values = numbers_of(columns[name])
    if values is None or np.isnan(values).all():
        raise DataError(f"the column {name!r} holds no numbers.")
    return values


def _no_votes() -> TextVotes:
    none = np.zeros(0, np.int64)
    return TextVotes(none, none, np.zeros(0), Strings.of(()))


def _codes(texts: Strings) -> Codes:
    return texts.factorize()[0].astype(np.int64)
