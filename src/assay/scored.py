"""Scores of units with the reasons of their gaps, and the answers of functions of one unit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import lies_in_data, pass_on_interrupt
from assay.scores import FOR_NOW, Gaps
from assay.text.strings import Strings


class Answer(NamedTuple):
    """A score with a text beside it: an explanation, a span, a chosen answer.

    A `value` of NaN is a gap; `reason` says why.
    """

    value: float = nan
    text: str = ""
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Scored:
    """Values, one row per unit, with a reason for every NaN, and texts if the evaluator returns any."""

    values: NDArray[np.float64]
    gaps: Gaps
    texts: Strings | None = None

    def take(self, rows: NDArray[np.int64]) -> Scored:
        """Return the given rows."""
        return Scored(self.values[rows], self.gaps.take(rows), None if self.texts is None else self.texts.take(rows))

    @classmethod
    def of_answers(cls, answers: Sequence[Answer]) -> Scored:
        """Collect answers, one per unit."""
        texts = [answer.text for answer in answers]
        values = np.array([answer.value for answer in answers], np.float64)
        gaps = Gaps.of([answer.reason for answer in answers])
        return with_gaps(cls(values, gaps, storable(texts) if any(texts) else None))


# What an author's function may return: plain values, where NaN means "undefined", or values with reasons.
Result = NDArray[np.float64] | Scored


def with_gaps(result: Result) -> Scored:
    """Give every NaN a reason, and every reason a NaN."""
    scored = result if isinstance(result, Scored) else Scored(np.asarray(result, np.float64), Gaps.none(len(result)))
    values, gaps = scored.values, scored.gaps
    undefined = np.isnan(values) if values.ndim == 1 else np.isnan(values).any(axis=1)
    unexplained = undefined & (gaps.codes == 0)
    if unexplained.any():
        codes = np.where(unexplained, len(gaps.reasons), gaps.codes).astype(np.int32)
        gaps = Gaps(codes, (*gaps.reasons, "undefined"))
    if (gaps.codes != 0).any():
        values = values.copy()
        values[gaps.codes != 0] = np.nan
    return Scored(values, gaps, scored.texts)


def score_one_by_one(score: Callable[[Any], float | Answer], batch: Batch) -> Scored:
    """Call a function on each unit; an exception becomes the reason of a gap."""

    def answer(unit: Any) -> Answer:
        try:
            return as_answer(score(unit))
        except Exception as error:
            pass_on_interrupt(error)
            return Answer(reason=failure(error))

    return Scored.of_answers([answer(unit) for unit in batch.iter_units()])


def as_answer(result: float | Answer) -> Answer:
    """Check the result of a function of one unit, and make it an Answer."""
    answer = result if isinstance(result, Answer) else Answer(result)
    if not (isinstance(answer.text, str) and isinstance(answer.reason, str)):
        raise TypeError("the text and the reason of an Answer must be str")
    return answer._replace(value=float(answer.value))


def storable(texts: Sequence[str]) -> Strings:
    """Make texts valid UTF-8: a lone surrogate becomes a question mark."""
    return Strings.of([text.encode("utf-8", "replace").decode("utf-8") for text in texts])


def failure(error: Exception) -> str:
    """The reason of the gap that an exception leaves, marked FOR_NOW unless it lies in the data."""
    message = f"{type(error).__name__}: {error}".removesuffix(": ")
    return f"{'failed: ' if lies_in_data(error) else FOR_NOW}{message}"[:200]
