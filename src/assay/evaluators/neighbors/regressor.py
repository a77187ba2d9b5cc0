"""Quality from neighbors as a scikit-learn regressor, without depending on scikit-learn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, EvaluatorError, did_you_mean
from assay.evaluators.neighbors.held_out import HeldOut
from assay.evaluators.neighbors.jackknife import jackknife_plus
from assay.evaluators.neighbors.rule import Estimates, Rule, Weights, check_share, count_neighbors, stack_estimates
from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.pairs.sparse_rows import SparseRows
from assay.kernels.statistics.correlation import spearman
from assay.text.strings import Strings

Texts = Strings | Sequence[str]
Vector = NDArray[np.float64]


class NearestTexts(NamedTuple):
    """The neighbors of one text, the most similar first: rows of the training texts, and similarities."""

    rows: NDArray[np.int64]
    similarities: Vector


@dataclass(eq=False, repr=False)
class NeighborRegressor:
    """The mean quality of the training texts similar to a text, or NaN if they are too few or too many.

    Args:
        kernel: `bleu` (BLEU*), `rouge_l`, `meteor`, `chrf`, `cosine`, `bertscore`, or any evaluator of pairs.
        tau: the least similarity of neighbors; None for the kernel's default.
        min_neighbors: no estimate with fewer neighbors (a).
        max_fraction: no estimate with more than this share of the training texts (b).
        tokenizer: for `bleu` (characters by default) and `rouge_l` (whitespace).
        orders: the n-gram orders of `bleu` (2, 3 and 4 by default).
        encoder: a model folder or the name of an installed model, for `cosine` and `bertscore` (`minilm` by default).
        weights: `uniform`, as in the paper, or by `similarity`.
        subsample: the share of the training texts to sample, so that nobody can write toward them.
        seed: of that sample.
        workers: threads; results do not depend on them.
    """

    kernel: str = "bleu"
    _: KW_ONLY
    tau: float | None = None
    min_neighbors: int = 5
    max_fraction: float = 0.66
    tokenizer: str | None = None
    orders: tuple[int, ...] | None = None
    encoder: str | None = None
    weights: Weights = "uniform"
    subsample: float = 1.0
    seed: int = 0
    workers: int = 1

    def fit(self, texts: Texts, quality: Sequence[float] | Vector) -> NeighborRegressor:
        """Learn from texts and their quality, skipping NaN."""
        strings, values = _strings(texts), np.asarray(quality, np.float64)
        if len(strings) != len(values):
            raise DataError(f"{len(strings)} training texts but {len(values)} quality values.")
        if np.isinf(values).any():
            raise DataError("a training text has infinite quality. Give finite numbers.")
        judged = np.flatnonzero(~np.isnan(values))
        if len(judged) < 2:
            raise DataError(f"{len(judged)} of {len(values)} training texts have a quality; neighbors need at least 2.")
        check_share("subsample", self.subsample)
        if self.subsample < 1:
            n = max(2, round(self.subsample * len(judged)))
            judged = np.sort(np.random.default_rng(self.seed).choice(judged, n, replace=False))
        orders = None if self.orders is None else tuple(self.orders)
        self.similarity_ = Similarity(self.kernel, self.tokenizer, orders, self.encoder)
        tau = self.similarity_.tau if self.tau is None else self.tau
        self.rule_ = Rule(tau, self.min_neighbors, self.max_fraction, self.weights)
        self.rows_ = judged
        self.texts_, self.quality_ = strings.take(judged), values[judged]
        return self

    def predict(self, texts: Texts) -> Vector:
        """Estimate the quality of texts, NaN where the rule abstains; `estimate` says why."""
        return self.estimate(texts).values

    def estimate(self, texts: Texts) -> Estimates:
        """Estimate the quality of texts, with the number of neighbors and the reason for every gap."""
        candidates = _strings(texts)
        n_train = np.full(len(candidates), len(self._fitted.texts_))
        blocks = self._neighbor_rows(candidates)
        return stack_estimates(self._of_block(rows, candidates, first, n_train) for first, rows in blocks)

    def leave_one_out(self) -> Estimates:
        """Estimate each training text from the others, as in the paper."""
        held = HeldOut.itself(len(self._fitted.texts_))
        n_train = held.n_train()
        blocks = self.similarity_.rows(self.texts_, None, self.rule_.tau, self.workers)
        return stack_estimates(
            self._of_block(rows, self.texts_, first, n_train, held.kept(rows, first)) for first, rows in blocks
        )

    def interval(self, texts: Texts, alpha: float = 0.1) -> tuple[Vector, Vector]:
        """The ends of the jackknife+ prediction interval of each text, NaN without an estimate."""
        if not 0 < alpha < 1:
            raise EvaluatorError(f"alpha must be between 0 and 1. Got {alpha:g}.")
        errors = np.abs(self.leave_one_out().values - self.quality_)
        candidates = _strings(texts)
        n_train = np.full(len(candidates), len(self.texts_))
        lows, highs = [np.zeros(0)], [np.zeros(0)]
        for first, rows in self._neighbor_rows(candidates):
            values = self._of_block(rows, candidates, first, n_train).values
            low, high = jackknife_plus(rows, values, self.quality_, errors, self.rule_, alpha)
            lows.append(low)
            highs.append(high)
        return np.concatenate(lows), np.concatenate(highs)

    def kneighbors(self, texts: Texts, n_neighbors: int | None = None) -> list[NearestTexts]:
        """The neighbors of each text, the most similar first, at most `n_neighbors`."""
        nearest: list[NearestTexts] = []
        for _, rows in self._neighbor_rows(_strings(texts)):
            for start, stop in zip(rows.offsets[:-1], rows.offsets[1:], strict=True):
                values, columns = rows.values[start:stop], rows.columns[start:stop]
                order = np.argsort(-values, kind="stable")[:n_neighbors]
                nearest.append(NearestTexts(self.rows_[columns[order]], values[order]))
        return nearest

    def score(self, texts: Texts, quality: Sequence[float] | Vector) -> float:
        """Spearman's rho of estimates and quality over the texts that have both, NaN if undefined."""
        estimates, known = self.predict(texts), np.asarray(quality, np.float64)
        both = ~np.isnan(estimates) & ~np.isnan(known)
        return spearman(estimates[both], known[both])

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {parameter.name: getattr(self, parameter.name) for parameter in fields(self)}

    def set_params(self, **params: Any) -> NeighborRegressor:
        """Change parameters, effective with the next `fit`."""
        for name, value in params.items():
            if name not in self.get_params():
                hint = did_you_mean(name, self.get_params())
                raise EvaluatorError(f"NeighborRegressor has no parameter {name!r}.{hint}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = NeighborRegressor().get_params()
        changed = [f"{name}={value!r}" for name, value in self.get_params().items() if value != defaults[name]]
        return f"NeighborRegressor({', '.join(changed)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "texts_")

    def __sklearn_tags__(self) -> Any:
        # Called by scikit-learn alone, so it is installed.
        from sklearn.utils import InputTags, RegressorTags, Tags, TargetTags

        texts = InputTags(one_d_array=True, two_d_array=False, string=True)
        return Tags("regressor", TargetTags(required=True), regressor_tags=RegressorTags(), input_tags=texts)

    @property
    def _fitted(self) -> NeighborRegressor:
        if not hasattr(self, "texts_"):
            raise EvaluatorError("this NeighborRegressor has no training texts yet: call fit(texts, quality) first.")
        return self

    def _neighbor_rows(self, candidates: Strings) -> Iterator[tuple[int, SparseRows]]:
        fitted = self._fitted
        return fitted.similarity_.rows(candidates, fitted.texts_, fitted.rule_.tau, self.workers)

    def _of_block(
        self,
        rows: SparseRows,
        texts: Strings,
        first: int,
        n_train: NDArray[np.int64],
        kept: NDArray[np.bool_] | None = None,
    ) -> Estimates:
        block = slice(first, first + len(rows.offsets) - 1)
        empty = texts.lengths[block] == 0
        counted = count_neighbors(rows, self.quality_, self.rule_, n_train=n_train[block], empty=empty, kept=kept)
        return counted.estimates(self.rule_)


def _strings(texts: Texts) -> Strings:
    if isinstance(texts, Strings):
        return texts
    if isinstance(texts, str):
        raise DataError("texts must be a list of texts, not one text.")
    return Strings.of(texts)
