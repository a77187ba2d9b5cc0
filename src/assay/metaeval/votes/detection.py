"""How well annotators tell human-written texts from generated ones: votes, majorities, and per generator.

Positive means human-written. Votes of one annotator resemble each other, and so do votes on one page, so intervals
come from a jackknife by annotators and by pages (see `kernels.statistics.crossed_jackknife`). A majority is not without
an answer when one of its annotators is left out: there, what changes is counted, a tie as half an answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError
from assay.kernels.statistics.crossed_jackknife import FEWEST_POINTS, Jackknifed, Scale
from assay.metaeval.estimate import Estimate
from assay.records import Dataset, JudgmentView
from assay.text.strings import Strings

Mask = NDArray[np.bool_]
Votes = Literal["modal"] | int
EVEN = "no interval: of an even number of votes ties are left out, and no vote alone decides"
PAGE, COMMENT = "page", "comment"
NOTHING = ("", "{}")
"""Comments that say nothing; Mechanical Turk writes an empty one as {}."""


@dataclass(frozen=True)
class Rates:
    """Shares of right answers: of all, of those about human texts (TPR), and about generated ones (TNR)."""

    accuracy: Estimate
    tpr: Estimate
    tnr: Estimate


@dataclass(frozen=True, eq=False)
class Swings:
    """The votes behind majorities: whose each is, about which answer, and how the answer changes without it."""

    answer: NDArray[np.int64]
    annotator: NDArray[np.int64]
    change: NDArray[np.float64]

    def without(self, mask: Mask, value: float, page: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """The share of right answers among some without each annotator, or each one's votes on each page; a column.

        Changes are compared with those of as many average votes, since votes fewer are not what is asked about.
        """
        rows = np.flatnonzero(mask[self.answer])
        code, change = self.annotator[rows], self.change[rows]
        if page is not None:
            code = code * (int(page.max()) + 1) + page[self.answer[rows]]
        code = np.unique(code, return_inverse=True)[1]
        swung = np.bincount(code, weights=change - change.mean())
        return (value + swung / mask.sum())[:, None]


@dataclass(frozen=True, eq=False)
class Answers:
    """Right and wrong answers about texts, with the clusters they belong to, one code per answer and factor.

    Majorities belong to pages alone, and have `swings`.
    """

    right: Mask
    human: Mask
    system: NDArray[np.int64]
    clusters: Sequence[NDArray[np.int64]]
    swings: Swings | None = None
    no_interval: str = ""

    def rates(self, confidence: float) -> Rates:
        """The rates over all answers."""
        masks = (np.ones(len(self.right), bool), self.human, ~self.human)
        return Rates(*(self.share(mask, confidence) for mask in masks))

    def share(self, mask: Mask, confidence: float) -> Estimate:
        """The share of right answers among some."""
        right, n = self.right[mask].astype(np.float64), int(mask.sum())
        if not n:
            return Estimate.undefined(0, "no answers")
        value = float(right.mean())
        if self.no_interval:
            return Estimate(value, nan, nan, n, self.no_interval)
        codes = [np.unique(cluster[mask], return_inverse=True)[1] for cluster in self.clusters]
        if min(int(code.max()) + 1 for code in codes) < FEWEST_POINTS:
            return Estimate(value, nan, nan, n, f"no interval from fewer than {FEWEST_POINTS} annotators or pages")
        parts = [_left_out(right, code) for code in codes]
        overlap = None
        if len(codes) == 2:
            cells = codes[0] * (int(codes[1].max()) + 1) + codes[1]
            overlap = _left_out(right, np.unique(cells, return_inverse=True)[1])
        if self.swings is not None:
            parts.append(self.swings.without(mask, value))
            overlap = self.swings.without(mask, value, self.clusters[0])
            if len(parts[1]) < FEWEST_POINTS:
                return Estimate(value, nan, nan, n, f"no interval from fewer than {FEWEST_POINTS} annotators or pages")
        jackknifed = Jackknifed(Scale(low=0.0, high=1.0), np.array([value]), parts, overlap, n)
        low, high = (float(end[0]) for end in jackknifed.intervals(confidence))
        return Estimate(value, low, high, n, "every answer is alike: no interval" if np.isnan(low) else "")


def _left_out(right: NDArray[np.float64], code: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share without each cluster, as a column."""
    n, hits = np.bincount(code).astype(np.float64), np.bincount(code, weights=right)
    with np.errstate(invalid="ignore", divide="ignore"):
        return ((hits.sum() - hits) / (n.sum() - n))[:, None]


@dataclass(frozen=True, eq=False)
class Detection:
    """The votes about who wrote each output; a vote is 1 for human-written, 0 for generated."""

    dataset: Dataset
    criterion: str
    votes: Votes = "modal"

    def __post_init__(self) -> None:
        if not len(self._judgments):
            raise DataError(f"no judgments of {self.criterion!r} about outputs. Name another criterion.")
        if not np.isin(self._judgments.value, (0.0, 1.0)).all():
            raise DataError(
                f"answers to {self.criterion!r} must be 1 (a human wrote it) and 0 (a machine did). Convert them, or "
                "declare the number of each label."
            )
        if self.dataset.human.all() or not self.dataset.human.any():
            raise DataError("detection needs human and generated texts: mark human ones with human: true.")

    @cached_property
    def _judgments(self) -> JudgmentView:
        return self.dataset.judgments.about("output").of(self.criterion)

    @cached_property
    def comments(self) -> list[str]:
        """What annotators wrote in the column `comment`, once for each annotator and page; empty ones are left out."""
        column = self._judgments.table.columns.get(COMMENT)
        if not isinstance(column, Strings):
            return []
        page = self.page_of[self._judgments.unit]
        seen: dict[tuple[int, int, str], None] = {}
        texts = column.take(self._judgments.rows)
        for annotator, of_page, text in zip(self._judgments.annotator.tolist(), page.tolist(), texts, strict=True):
            if text.strip() not in NOTHING:
                seen[annotator, of_page, text] = None
        return [text for _, _, text in seen]

    @property
    def n_annotators(self) -> int:
        """The number of annotators who voted."""
        return len(np.unique(self._judgments.annotator))

    @cached_property
    def page_of(self) -> NDArray[np.int64]:
        """The page of each output: its column `page` if there is one, else its item."""
        column = self.dataset.outputs.columns.get(PAGE)
        if isinstance(column, Strings):
            return column.codes().astype(np.int64)
        return self.dataset.outputs.item if column is None else np.unique(column, return_inverse=True)[1]

    @cached_property
    def single(self) -> Answers:
        """Every vote by itself: H1."""
        unit = self._judgments.unit
        human = self.dataset.human[unit]
        right = (self._judgments.value == 1) == human
        return Answers(right, human, self.dataset.outputs.system[unit], (self._judgments.annotator, self.page_of[unit]))

    @cached_property
    def n_votes(self) -> int:
        """The number of votes that a majority is of."""
        if self.votes != "modal":
            return self.votes
        counts = np.bincount(np.bincount(self._judgments.unit))
        counts[0] = 0
        return int(counts.argmax())

    @cached_property
    def majority(self) -> NDArray[np.float64]:
        """The majority about each output, 1 or 0; NaN unless it has exactly `n_votes` votes, or on a tie."""
        n = np.bincount(self._judgments.unit, minlength=len(self.dataset))
        yes = np.bincount(self._judgments.unit, weights=self._judgments.value, minlength=len(self.dataset))
        decided = (n == self.n_votes) & (2 * yes != n)
        return np.where(decided, (2 * yes > n).astype(np.float64), np.nan)

    @cached_property
    def together(self) -> Answers:
        """The majorities: H2."""
        rows = np.flatnonzero(~np.isnan(self.majority))
        human = self.dataset.human[rows]
        right = (self.majority[rows] == 1) == human
        return Answers(
            right,
            human,
            self.dataset.outputs.system[rows],
            (self.page_of[rows],),
            self._swings(rows, right),
            EVEN if self.n_votes % 2 == 0 else "",
        )

    def _swings(self, rows: NDArray[np.int64], right: Mask) -> Swings:
        """The votes behind the majorities about some outputs: without a deciding vote there is a tie, half right."""
        answer = np.full(len(self.dataset), -1)
        answer[rows] = np.arange(len(rows))
        of_vote = answer[self._judgments.unit]
        behind = of_vote >= 0
        unit, of_vote = self._judgments.unit[behind], of_vote[behind]
        agrees = (self._judgments.value[behind] == 1) == (self.majority[unit] == 1)
        n_with = np.bincount(of_vote, weights=agrees, minlength=len(rows))
        deciding = agrees & (2 * (n_with[of_vote] - 1) == self.n_votes - 1)
        change = np.where(deciding, np.where(right[of_vote], -0.5, 0.5), 0.0)
        return Swings(of_vote, self._judgments.annotator[behind].astype(np.int64), change)
