"""Minus the mean cosine of sentence embeddings ("sent-BERT" of Tevet and Berant 2021, with any encoder)."""

from assay.evaluator import Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED
from assay.evaluators.diversity.vectors import measured
from assay.io.model_folders import ModelName
from assay.kernels.points.dispersion import mean_pair_cosine


@evaluator(
    units=("set", "system"),
    scale="-1 (identical) to 1",
    cite="Tevet and Berant 2021; Reimers and Gurevych 2019",
    cautions=POOLED,
)
def embedding_diversity(*, model: ModelName = "minilm") -> Shape:
    """Minus the mean cosine of sentence embeddings over the pairs of a set."""
    return measured(model, mean_pair_cosine, 2, sign=-1.0)
