"""Vendi score: how many different texts there effectively are (Friedman and Dieng 2023)."""

from assay.evaluator import Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.diversity.vectors import measured
from assay.io.model_folders import ModelName
from assay.kernels.points import dispersion


@evaluator(
    units=("set", "system"),
    scale="1 (identical) to the number of responses",
    cite="Friedman and Dieng 2023",
    cautions=POOLED | SIZED,
)
def vendi(*, model: ModelName = "minilm") -> Shape:
    """Exp of the entropy of the eigenvalues of the cosine matrix of sentence embeddings."""
    return measured(model, dispersion.vendi, 1)
