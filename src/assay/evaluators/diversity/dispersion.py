"""How far the sentence embeddings of a set are spread, by measures of several papers."""

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.diversity.vectors import member_vectors
from assay.evaluators.response_sets import of_sets
from assay.io.model_folders import ModelName
from assay.kernels.points import dispersion
from assay.scores import Gaps

BOTH = ("set", "system")


@evaluator(
    units=BOTH,
    scale="-1 (identical) to 1",
    cite="Tevet and Berant 2021; Reimers and Gurevych 2019",
    cautions=POOLED,
)
def embedding_diversity(*, model: ModelName = "minilm") -> Shape:
    """Minus the mean cosine of sentence embeddings over the pairs of a set."""
    return _measured(model, dispersion.mean_pair_cosine, 2, sign=-1.0)


@evaluator(units=BOTH, scale="0 to 1", cite="Lai et al. 2020", cautions=POOLED | SIZED)
def homogeneity(*, model: ModelName = "minilm") -> Shape:
    """Entropy of a random walk among the embeddings, over its maximum: 1 when all distances are equal."""
    return _measured(model, dispersion.homogeneity, 3)


@evaluator(units=BOTH, scale="0 (as few meanings as clusters) to 2", cite="Du and Black 2019", cautions=POOLED | SIZED)
def inertia(*, n_clusters: int = 2, model: ModelName = "minilm") -> Shape:
    """Mean squared distance of sentence embeddings to the nearest of `n_clusters` k-means centers."""
    if n_clusters < 1:
        raise EvaluatorError(f"inertia: n_clusters is at least 1, not {n_clusters}.")
    return _measured(model, partial(dispersion.inertia, n_clusters=n_clusters), n_clusters + 1)


@evaluator(
    units=BOTH,
    scale="1 (identical) to the number of responses",
    cite="Friedman and Dieng 2023",
    cautions=POOLED | SIZED,
)
def vendi(*, model: ModelName = "minilm") -> Shape:
    """Exp of the entropy of the eigenvalues of the cosine matrix of sentence embeddings."""
    return _measured(model, dispersion.vendi, 1)


@evaluator(units=BOTH, scale="at least 0", cite="Lai et al. 2020", cautions=POOLED | SIZED)
def volume(*, model: ModelName = "minilm") -> Shape:
    """Geometric mean over the axes of the standard deviation of sentence embeddings."""
    return _measured(model, dispersion.volume, 2)


def _measured(model: str, measure: Callable[[NDArray[np.float64]], float], least: int, *, sign: float = 1.0) -> Shape:
    """Score each unit by a measure of its vectors that needs at least `least` texts."""

    def score(batch: Batch) -> Scored:
        values = sign * dispersion.by_set(measure, member_vectors(model, batch), batch.members.offsets)
        few = batch.members.lengths < least
        reasons = {f"fewer than {least} responses": few, "identical responses": np.isnan(values) & ~few}
        return Scored(values, Gaps.where(len(batch), reasons))

    return of_sets(score)
