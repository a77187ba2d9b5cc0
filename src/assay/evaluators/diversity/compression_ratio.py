"""Compression ratio: repeated text compresses well (after Shaib et al. 2024)."""

import gzip
import zlib
from collections.abc import Callable
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Shape, evaluator
from assay.evaluators.diversity.cautions import POOLED, SIZED
from assay.evaluators.response_sets import of_sets

LEVEL = 9
Variant = Literal["sorted", "published"]


@evaluator(
    units=("set", "system"),
    higher_is_better=False,
    scale="above 0; the more repetition, the higher",
    cite="Shaib et al. 2024",
    cautions=POOLED | SIZED,
)
def compression_ratio(*, variant: Variant = "sorted") -> Shape:
    """Bytes of the texts over their bytes after compression; lower is more diverse.

    `sorted`: the sorted texts, one per line, through zlib at level 9, so that the order of the data does not matter.
    zlib's header costs some ten bytes, so sets of a few words are below 1.
    `published`, as in the authors' tool: the texts joined by spaces, through gzip, and again through gzip into a file
    whose header has its name. That costs some fifty bytes, so only long sets are above 1.
    """
    ratio: Callable[[list[bytes]], float] = _sorted if variant == "sorted" else _published

    def score(batch: Batch) -> NDArray[np.float64]:
        sets = [[text.encode() for text in batch.texts.take(batch.members[unit])] for unit in range(len(batch))]
        return np.array([ratio(texts) for texts in sets])

    return of_sets(score)


def _sorted(texts: list[bytes]) -> float:
    raw = b"\n".join(sorted(texts))
    return len(raw) / len(zlib.compress(raw, LEVEL))


def _published(texts: list[bytes]) -> float:
    raw = b" ".join(texts)
    # The outer file's header holds the name "compressed" and a zero byte.
    return len(raw) / (len(gzip.compress(gzip.compress(raw))) + len(b"compressed\0"))
