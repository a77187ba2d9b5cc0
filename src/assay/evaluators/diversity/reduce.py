"""The reduction of a similarity of two texts to a diversity metric (Tevet and Berant 2021)."""

import numpy as np

from assay.batch import MAX_PAIRS, Batch
from assay.errors import EvaluatorError
from assay.evaluator import Evaluator, Scored, Shape, Use, evaluator
from assay.evaluators.diversity.cautions import POOLED
from assay.evaluators.response_sets import of_sets
from assay.kernels.statistics.exact_means import exact_means
from assay.scores import Gaps


@evaluator(units=("set", "system"), scale="minus that of the similarity", cite="Tevet and Berant 2021", cautions=POOLED)
def reduce(similarity: Evaluator, *, max_pairs: int = MAX_PAIRS) -> Shape:
    """Minus the mean similarity over the unordered pairs of a set; a distance is not negated.

    A similarity of a candidate with a reference is averaged over both directions, since it may be asymmetric. Pairs
    without a value (not judged) are left out. More than `max_pairs` pairs are sampled with a fixed seed.
    """
    both_ways = similarity.references is not None
    if not (both_ways or "pair" in similarity.about.units):
        raise EvaluatorError(
            f"{similarity.name} does not compare two texts, so it cannot be reduced. Give a metric that uses "
            "references, such as reduce(chrf), or judgments of pairs, such as reduce(human('similarity'))."
        )

    def score(batch: Batch) -> Scored:
        (used,) = batch.used
        values, unit = used.values, used.unit_of
        if both_ways:
            values, unit = (values[0::2] + values[1::2]) / 2, unit[0::2]
        defined = ~np.isnan(values)
        n = np.bincount(unit, weights=defined, minlength=len(batch))
        means = exact_means(values[defined], unit[defined], n)
        gaps = {
            "one response has no pairs": batch.members.lengths < 2,
            f"no pair has a score of {similarity.name}": n == 0,
        }
        sign = 1.0 if similarity.higher_is_better(batch.dataset) is False else -1.0
        return Scored(sign * means, Gaps.where(len(batch), gaps))

    return of_sets(score, uses=[Use(similarity, "pair", max_pairs, both_ways)])
