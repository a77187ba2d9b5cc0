"""Settings of an analysis of neighbors: texts, similarity, rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from assay.analyses.neighbors.neighborhood import Fold, Neighborhood
from assay.evaluators.neighbors.judged import MOST_TEXTS, Judged
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity
from assay.registry import factory


@dataclass(frozen=True, eq=False)
class NeighborSettings:
    """Settings of one analysis. `texts` are by data set, the one to estimate first."""

    texts: Mapping[str, Judged]
    train: Judged | None
    similarity: Similarity
    rule: Rule
    column: str | None = None
    fold: Fold = "output"
    subsample: float = 1.0
    most: int = MOST_TEXTS
    alpha: float = 0.1
    min_coverage: float = 0.4
    n_resamples: int = 1000
    seed: int = 0
    workers: int = 1

    @property
    def test(self) -> Judged:
        """The texts to estimate."""
        return next(iter(self.texts.values()))

    @property
    def criterion(self) -> str:
        """What quality is: a criterion of judgments, or a column."""
        return (self.train or self.test).criterion

    def signature(self, rule: Rule | None = None, similarity: Similarity | None = None) -> str:
        """The signature of the estimates, or of those with another rule or similarity."""
        used, how = similarity or self.similarity, rule or self.rule
        return factory("neighbors")(
            kernel=used.kernel,
            tau=how.tau,
            min_neighbors=how.min_neighbors,
            max_fraction=how.max_fraction,
            tokenizer=used.tokenizer,
            orders=used.orders,
            encoder=used.encoder,
            weights=how.weights,
            criterion=None if self.column else self.criterion,
            column=self.column,
            subsample=self.subsample,
        ).signature

    def few(self, texts: Judged) -> Judged:
        """The judged texts, or a sample of `most` of them."""
        return texts.with_quality().drawn(self.most, self.seed)

    def drawn_notes(self) -> list[str]:
        """Notes on texts that were sampled."""
        judged = [part.with_quality() for part in (*self.texts.values(), self.train) if part is not None]
        return [drawn_note(self.most, len(part)) for part in judged if len(part) > self.most]

    def near(self, lowest: float) -> Neighborhood:
        """All similarities from `lowest` up."""
        if self.train is None:
            return Neighborhood.among(self.few(self.test), self.similarity, lowest, self.workers)
        return Neighborhood.between(self.few(self.test), self.few(self.train), self.similarity, lowest, self.workers)


def drawn_note(n: int, of: int) -> str:
    """The note on a sample of texts."""
    return f"{n:,} of {of:,} judged texts were sampled; --most takes more, at quadratic cost in time and memory"
