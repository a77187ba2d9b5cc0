"""Human diversity scores of sets (Tevet and Berant 2021): four ways to ask how diverse a set is."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Scored, Shape, batched, evaluator
from assay.records import Dataset, JudgmentView
from assay.registry import factory
from assay.scores import Gaps

Aggregate = Literal["mean", "median"]

ABOUT: dict[str, Any] = {"units": ("set",), "needs": ("judgments",), "cite": "Tevet and Berant 2021", "stored": False}


@evaluator(**ABOUT, scale="that of the judgments")
def abs_hds(*, criterion: str | None = None, aggregate: Aggregate = "mean") -> Shape:
    """Absolute score (absHDS): how diverse a set is, aggregated over annotators."""
    return _judged_sets(lambda dataset: criterion or _asking(dataset, "diversity", "set"), aggregate)


@evaluator(**ABOUT, scale="that of the judgments")
def asp_hds(aspect: str, *, aggregate: Aggregate = "mean") -> Shape:
    """Aspect score (aspHDS): how diverse a set is in one aspect, by the criterion that asks for it."""
    return _judged_sets(lambda dataset: _asking(dataset, "diversity", "set", aspect), aggregate)


@evaluator(**ABOUT, scale="minus that of the judgments")
def sim_hds(*, criterion: str | None = None, aggregate: Aggregate = "mean") -> Shape:
    """Similarity score (simHDS): minus the mean judged similarity over the pairs of outputs of a set."""

    def reduced(name: str) -> Evaluator:
        return factory("reduce")(factory("human")(criterion=name, aggregate=aggregate))

    return replace(
        reduced(criterion or "").shape,
        uses=lambda dataset: reduced(criterion or _asking(dataset, "similarity", "pair")).uses(dataset),
    )


@evaluator(**ABOUT, scale="that of the judgments")
def rnk_hds(*, criterion: str | None = None) -> Shape:
    """Ranking score (rnkHDS): how far annotators preferred a set to those it was compared with, on average.

    A judgment about two sets is positive where the first is more diverse, negative where the second is.
    """

    def comparisons(dataset: Dataset) -> JudgmentView:
        return dataset.judgments.about("set pair").of(criterion or _asking(dataset, "diversity", "set pair"))

    def offers(dataset: Dataset) -> tuple[str, ...]:
        comparisons(dataset)
        return ("set",)

    def score(batch: Batch) -> Scored:
        compared = comparisons(batch.dataset)
        n_sets = len(batch.dataset.sets)
        sets = np.concatenate([compared.unit, compared.other])
        answers = np.concatenate([compared.value, -compared.value])
        n = np.bincount(sets, minlength=n_sets)
        sums = np.bincount(sets, weights=answers, minlength=n_sets)
        means = np.divide(sums, n, out=np.full(n_sets, np.nan), where=n > 0)[batch.rows]
        return Scored(means, Gaps.where(len(batch), {"never compared": np.isnan(means)}))

    return batched(score, offers=offers, reads=("judgments",))


def _judged_sets(criterion: Callable[[Dataset], str], aggregate: Aggregate) -> Shape:
    """The judgments of a set, by a criterion that may depend on the data."""

    def judgments(dataset: Dataset) -> Evaluator:
        return factory("human")(criterion=criterion(dataset), aggregate=aggregate)

    return batched(
        lambda batch: judgments(batch.dataset).score(batch),
        offers=lambda dataset: judgments(dataset).offered(dataset),
        reads=("judgments",),
    )


def _asking(dataset: Dataset, asks: str, unit: str, aspect: str = "") -> str:
    """The one criterion that asks for this about a kind of unit."""
    names = dataset.asking(asks, unit, aspect)
    if len(names) == 1:
        return names[0]
    of_what = f"{aspect} {asks}".strip()
    have = f"criteria {', '.join(map(repr, names))} ask" if names else "no criterion asks"
    raise EvaluatorError(
        f"{have} annotators for the {of_what} of a {unit}. Name one with criterion=..., or declare what it asks."
    )
