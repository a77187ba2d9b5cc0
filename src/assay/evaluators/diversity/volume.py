"""Volume of a set of embeddings (Lai et al. 2020, their "diversity")."""

from assay.evaluator import Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.diversity.vectors import measured
from assay.io.model_folders import ModelName
from assay.kernels.points import dispersion


@evaluator(units=("set", "system"), scale="at least 0", cite="Lai et al. 2020", cautions=POOLED | SIZED)
def volume(*, model: ModelName = "minilm") -> Shape:
    """Geometric mean over the axes of the standard deviation of sentence embeddings."""
    return measured(model, dispersion.volume, 2)
