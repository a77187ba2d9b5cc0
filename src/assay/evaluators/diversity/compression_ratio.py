"""Compression ratio: repeated text compresses well (Shaib et al. 2024)."""

import zlib

import numpy as np

from assay.batch import Batch
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.evaluators.diversity.cautions import POOLED
from assay.scores import Gaps

LEVEL = 9


@evaluator(
    units=("set", "system"),
    higher_is_better=False,
    scale="above 0; the more repetition, the higher",
    cite="Shaib et al. 2024",
    cautions=POOLED,
)
def compression_ratio() -> Shape:
    """Bytes of the texts, one a line, divided by their bytes after zlib at level 9; lower is more diverse.

    The texts are sorted first, so that the order of the data does not matter. zlib's own frame costs some ten bytes,
    so sets of a few words lie below 1.
    """

    def score(batch: Batch) -> Scored:
        values = np.full(len(batch), np.nan)
        for position in range(len(batch)):
            texts = batch.texts.take(batch.members[position])
            raw = b"\n".join(sorted(text.encode() for text in texts))
            if raw.strip(b"\n"):
                values[position] = len(raw) / len(zlib.compress(raw, LEVEL))
        return Scored(values, Gaps.where(len(batch), {"empty texts": np.isnan(values)}))

    return batched(score)
