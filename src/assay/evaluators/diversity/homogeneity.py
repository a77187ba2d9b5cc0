"""How evenly embeddings are spread (Lai et al. 2020)."""

from assay.evaluator import Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.diversity.vectors import measured
from assay.io.model_folders import ModelName
from assay.kernels.points import dispersion


@evaluator(units=("set", "system"), scale="0 to 1", cite="Lai et al. 2020", cautions=POOLED | SIZED)
def homogeneity(*, model: ModelName = "minilm") -> Shape:
    """Entropy of a random walk among the embeddings, over its maximum: 1 when all distances are equal."""
    return measured(model, dispersion.homogeneity, 3)
