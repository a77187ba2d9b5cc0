"""The alternative annotator test: does a judge agree with the other people at least as well as each person does?

Calderon, Reichart and Dror (2025), "The Alternative Annotator Test for LLM-as-a-Judge". Agreement is compared by exact
sums over the others, so that ties are ties.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import stdtr

from assay.kernels.statistics.exact_means import common_denominator
from assay.kernels.statistics.significance import benjamini_yekutieli

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


class Outcomes(NamedTuple):
    """For each vote of a person: is the judge at least as close to the others, and is the person?"""

    judge: NDArray[np.bool_]
    person: NDArray[np.bool_]

    @property
    def lead(self) -> Floats:
        """1 where only the person is closer, -1 where only the judge is, else 0."""
        return self.person.astype(np.float64) - self.judge


def outcomes_by_accuracy(instance: Codes, category: Codes, judged: Codes) -> Outcomes:
    """Compare by the share of the others who gave the same answer; `judged` is the judge's category per instance."""
    n_categories = int(max(category.max(initial=0), judged.max(initial=0))) + 1
    cells, cell, counts = np.unique(instance * n_categories + category, return_inverse=True, return_counts=True)
    wanted = judged[instance] + instance * n_categories
    place = np.minimum(np.searchsorted(cells, wanted), len(cells) - 1)
    same_as_judge = np.where(cells[place] == wanted, counts[place], 0) - (judged[instance] == category)
    same_as_person = counts[cell] - 1
    return Outcomes(same_as_judge >= same_as_person, same_as_person >= same_as_judge)


def outcomes_by_error(instance: Codes, answer: Floats, judged: Floats) -> Outcomes:
    """Compare by the squared distance to the others' answers; `judged` is the judge's answer per instance."""
    scale = max(common_denominator(np.concatenate([answer, judged]), len(answer)), 1)
    own, judge = answer * scale, judged[instance] * scale
    if scale > 1:
        own, judge = np.round(own), np.round(judge)
    n = np.bincount(instance, minlength=len(judged))[instance]
    total = np.bincount(instance, own, len(judged))[instance]
    # Both sums lack one term, the squares of the others, which decides nothing; the person is not one of the others.
    of_person = n * own**2 - 2 * own * total
    of_judge = n * judge**2 - 2 * judge * total - (judge - own) ** 2
    return Outcomes(of_judge <= of_person, of_person <= of_judge)


def outcomes_by_similarity(
    instance: Codes, category: Codes, judged: Codes, similarity: Mapping[tuple[int, int], float]
) -> Outcomes:
    """Compare by the sum of similarities to the others' answers; `similarity[answer, other]` is given by category."""
    judge, person = np.zeros(len(instance), np.bool_), np.zeros(len(instance), np.bool_)
    order = np.argsort(instance, kind="stable")
    borders = np.flatnonzero(np.diff(instance[order])) + 1
    for votes in np.split(order, borders):
        answers = category[votes].tolist()
        own = int(judged[instance[votes[0]]])
        for place, vote in enumerate(votes.tolist()):
            others = answers[:place] + answers[place + 1 :]
            of_judge, of_person = (fsum(similarity[one, other] for other in others) for one in (own, answers[place]))
            tied = abs(of_judge - of_person) <= 1e-9 * max(abs(of_judge), abs(of_person), 1.0)
            judge[vote], person[vote] = tied or of_judge > of_person, tied or of_person > of_judge
    return Outcomes(judge, person)


class Margins(NamedTuple):
    """Per person: the mean of `lead`, its standard error and the degrees of freedom."""

    mean: Floats
    error: Floats
    freedom: Floats

    def p_values(self, epsilon: float) -> Floats:
        """One-sided p: that the person leads by less than epsilon."""
        distance = self.mean - epsilon
        t = np.divide(distance, self.error, out=np.zeros(len(distance)), where=self.error > 0)
        certain = np.where(distance < 0, 0.0, 1.0)
        return np.where(self.error > 0, stdtr(np.maximum(self.freedom, 1), t), certain)

    def beaten(self, epsilon: float, q: float) -> NDArray[np.bool_]:
        """The people whom the judge beats, by Benjamini and Yekutieli's procedure."""
        return benjamini_yekutieli(self.p_values(epsilon)) <= q


class ClusteredLeads(NamedTuple):
    """Sums of `lead` by cluster and person: what a resample of clusters needs. Sparse, clusters by people."""

    n: csr_array
    total: csr_array
    squares: csr_array
    products: csr_array
    n_squares: csr_array

    @classmethod
    def of(cls, lead: Floats, person: Codes, cluster: Codes, n_people: int, n_clusters: int) -> ClusteredLeads:
        """Sum the leads of each person over each cluster."""
        cells, cell = np.unique(cluster * n_people + person, return_inverse=True)
        n, total = np.bincount(cell).astype(np.float64), np.bincount(cell, lead)
        place = (cells // n_people, cells % n_people)
        values = (n, total, total**2, n * total, n**2)
        return cls(*(csr_array((value, place), shape=(n_clusters, n_people)) for value in values))

    def margins(self, weights: Floats) -> list[Margins]:
        """Margins when cluster c is drawn `weights[k, c]` times, for each k; the variance is between clusters."""
        n, total, squares, products, n_squares = (np.asarray(weights @ part) for part in self)
        clusters = np.asarray(weights @ (self.n != 0).astype(np.float64))
        mean = np.divide(total, n, out=np.zeros_like(n), where=n > 0)
        around = np.maximum(squares - 2 * mean * products + mean**2 * n_squares, 0.0)
        correction = np.divide(clusters, clusters - 1, out=np.zeros_like(n), where=clusters > 1)
        error = np.divide(np.sqrt(correction * around), n, out=np.zeros_like(n), where=n > 0)
        error[error < 1e-12] = 0.0
        return [Margins(*row) for row in zip(mean, error, clusters - 1, strict=True)]


def plain_margins(lead: Floats, person: Codes, n_people: int) -> Margins:
    """Margins as if all answers were independent, which is the published rule."""
    alone = ClusteredLeads.of(lead, person, np.arange(len(lead)), n_people, len(lead))
    return alone.margins(np.ones((1, len(lead))))[0]
