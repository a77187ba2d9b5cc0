"""A system's texts against the human texts, as two samples of sentence embeddings."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assay.backends.embeddings import load_encoder
from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Scored, Shape, batched, evaluator
from assay.io.model_folders import ModelName
from assay.kernels.points.clusters import cluster_labels
from assay.kernels.points.dispersion import unit
from assay.kernels.points.distributions import frontier_area, share_in_support, squared_mmd
from assay.scores import Gaps

Floats = NDArray[np.float64]
HUMAN = "human texts are what systems are compared with"
FEWEST = 10
FEW = f"fewer than {FEWEST} texts of the system or of people"
UNEQUAL = {"system": "the value depends on the number of texts: compare systems with equally many"}
"""A divergence of few texts is larger, whatever the system."""


@evaluator(
    units=("system",),
    needs=("human",),
    scale="0 (nothing in common) to 1 (alike)",
    cite="Pillutla et al. 2021; Pillutla et al. 2023",
    cautions=UNEQUAL,
)
def mauve(
    *,
    model: ModelName = "minilm",
    n_clusters: int | None = None,
    scaling: float = 5.0,
    smoothed: bool = False,
    max_texts: int = 5000,
    seed: int = 0,
) -> Shape:
    """Area under the divergence frontier of a system's texts and human texts, over clusters of their embeddings.

    By default a tenth of the smaller number of texts is the number of clusters. `smoothed` gives MAUVE*, which adds
    half a text to each cluster. Values of other embeddings do not compare with published ones, which are of GPT-2.
    """
    if n_clusters is not None and n_clusters < 2:
        raise EvaluatorError(f"mauve: n_clusters is at least 2, not {n_clusters}.")

    def measure(texts: Floats, human: Floats) -> float:
        n = n_clusters or max(2, round(min(len(texts), len(human)) / 10))
        labels = cluster_labels(np.concatenate([texts, human]), min(n, len(texts) + len(human)), seed)
        histograms = [np.bincount(side, minlength=n) + 0.5 * smoothed for side in np.split(labels, [len(texts)])]
        of_texts, of_human = (counts / counts.sum() for counts in histograms)
        return frontier_area(of_human, of_texts, scaling)

    return _compared(model, measure, max_texts, seed)


@evaluator(
    units=("system",),
    needs=("human",),
    higher_is_better=False,
    scale="about 0 (alike) upwards; slightly below 0 by chance",
    cite="Gretton et al. 2012",
)
def mmd(*, model: ModelName = "minilm", bandwidth: float | None = None, max_texts: int = 5000, seed: int = 0) -> Shape:
    """Squared maximum mean discrepancy of a system's and human sentence embeddings, Gaussian kernel, unbiased.

    By default the bandwidth is the median distance of the embeddings.
    """
    if bandwidth is not None and not bandwidth > 0:
        raise EvaluatorError(f"mmd: the bandwidth must be above 0, not {bandwidth:g}.")
    return _compared(model, lambda texts, human: squared_mmd(texts, human, bandwidth), max_texts, seed)


@evaluator(units=("system",), needs=("human",), scale="0 to 1", cite="Kynkaanniemi et al. 2019", cautions=UNEQUAL)
def support_precision(*, model: ModelName = "minilm", k: int = 3, max_texts: int = 5000, seed: int = 0) -> Shape:
    """Share of a system's texts that lie where human texts do: within the k-th neighbor distance of one."""
    _check_k(k)
    return _compared(model, lambda texts, human: share_in_support(texts, human, k), max_texts, seed)


@evaluator(units=("system",), needs=("human",), scale="0 to 1", cite="Kynkaanniemi et al. 2019", cautions=UNEQUAL)
def support_recall(*, model: ModelName = "minilm", k: int = 3, max_texts: int = 5000, seed: int = 0) -> Shape:
    """Share of human texts that lie where the system's texts do: within the k-th neighbor distance of one."""
    _check_k(k)
    return _compared(model, lambda texts, human: share_in_support(human, texts, k), max_texts, seed)


def _check_k(k: int) -> None:
    if not 1 <= k < FEWEST:
        raise EvaluatorError(f"k must be from 1 to {FEWEST - 1}, not {k}.")


def _compared(model: str, measure: Callable[[Floats, Floats], float], max_texts: int, seed: int) -> Shape:
    """Measure every generator against all human texts; of more than `max_texts` on a side, a seeded draw."""
    if max_texts < FEWEST:
        raise EvaluatorError(f"max_texts is at least {FEWEST}, not {max_texts}.")

    def score(batch: Batch) -> Scored:
        dataset = batch.dataset
        human_written = dataset.human
        human = _vectors(model, batch, np.flatnonzero(human_written), max_texts, seed)
        values, reasons = np.full(len(batch), np.nan), [""] * len(batch)
        for position, system in enumerate(batch.units.system[batch.rows].tolist()):
            rows = batch.outputs[position]
            if dataset.systems.human[system]:
                reasons[position] = HUMAN
            elif min(len(rows), len(human)) < FEWEST:
                reasons[position] = FEW
            else:
                values[position] = measure(_vectors(model, batch, rows, max_texts, seed), human)
        return Scored(values, Gaps.of(reasons))

    return batched(score, whole=True, reads=("text",))


def _vectors(model: str, batch: Batch, rows: NDArray[np.int64], most: int, seed: int) -> Floats:
    """The embeddings of some outputs, or of a draw of them, in the order of the data."""
    if len(rows) > most:
        rows = np.sort(np.random.default_rng(seed).choice(rows, most, replace=False))
    return unit(load_encoder(model).embed(batch.dataset.outputs.text.take(rows).to_list()).astype(np.float64))
