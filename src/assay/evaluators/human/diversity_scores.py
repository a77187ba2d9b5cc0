"""Human diversity scores of sets (Tevet and Berant 2021): four ways to ask people how diverse a set is."""

from typing import Literal

import numpy as np

from assay.batch import Batch
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.records import Dataset
from assay.registry import factory
from assay.scores import Gaps

Aggregate = Literal["mean", "median"]


@evaluator(
    units=("set",), needs=("judgments",), scale="that of the judgments", cite="Tevet and Berant 2021", stored=False
)
def abs_hds(*, criterion: str = "diversity", aggregate: Aggregate = "mean") -> Shape:
    """Absolute score (absHDS): how diverse annotators say a set is, brought together over them."""
    return factory("human")(criterion=criterion, aggregate=aggregate).shape


@evaluator(
    units=("set",), needs=("judgments",), scale="that of the judgments", cite="Tevet and Berant 2021", stored=False
)
def asp_hds(aspect: str, *, aggregate: Aggregate = "mean") -> Shape:
    """Aspect score (aspHDS): how diverse a set is in one aspect; criterion `<aspect>_diversity`."""
    return factory("human")(criterion=f"{aspect}_diversity", aggregate=aggregate).shape


@evaluator(
    units=("set",),
    needs=("judgments",),
    scale="minus that of the judgments",
    cite="Tevet and Berant 2021",
    stored=False,
)
def sim_hds(*, criterion: str = "similarity", aggregate: Aggregate = "mean") -> Shape:
    """Similarity score (simHDS): minus the mean judged similarity over the pairs of outputs of a set."""
    return factory("reduce")(factory("human")(criterion=criterion, aggregate=aggregate)).shape


@evaluator(
    units=("set",), needs=("judgments",), scale="that of the judgments", cite="Tevet and Berant 2021", stored=False
)
def rnk_hds(*, criterion: str = "more_diverse") -> Shape:
    """Ranking score (rnkHDS): how far annotators preferred a set to those it was compared with, on average.

    A judgment about two sets is positive where the first is more diverse, negative where the second is.
    """

    def offers(dataset: Dataset) -> tuple[str, ...]:
        dataset.judgments.about("set pair").of(criterion)
        return ("set",)

    def score(batch: Batch) -> Scored:
        compared = batch.dataset.judgments.about("set pair").of(criterion)
        n_sets = len(batch.dataset.sets)
        sets = np.concatenate([compared.unit, compared.other])
        answers = np.concatenate([compared.value, -compared.value])
        n = np.bincount(sets, minlength=n_sets)
        sums = np.bincount(sets, weights=answers, minlength=n_sets)
        means = np.divide(sums, n, out=np.full(n_sets, np.nan), where=n > 0)[batch.rows]
        return Scored(means, Gaps.where(len(batch), {"never compared": np.isnan(means)}))

    return batched(score, offers=offers)
