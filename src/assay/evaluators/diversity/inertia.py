"""k-means inertia of embeddings (after Du and Black 2019)."""

from functools import partial

from assay.errors import EvaluatorError
from assay.evaluator import Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.diversity.vectors import measured
from assay.io.model_folders import ModelName
from assay.kernels.points import dispersion


@evaluator(
    units=("set", "system"),
    scale="0 (as few meanings as clusters) to 2",
    cite="Du and Black 2019",
    cautions=POOLED | SIZED,
)
def inertia(*, n_clusters: int = 2, model: ModelName = "minilm") -> Shape:
    """Mean squared distance of sentence embeddings to the nearest of `n_clusters` k-means centers."""
    if n_clusters < 1:
        raise EvaluatorError(f"inertia: n_clusters is at least 1, not {n_clusters}.")
    return measured(model, partial(dispersion.inertia, n_clusters=n_clusters), n_clusters + 1)
