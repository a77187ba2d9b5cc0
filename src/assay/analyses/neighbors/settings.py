"""What is asked of neighbors: which texts, how alike, by which rule."""

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
    """One question. `texts` are by the name of their data set, the one to be estimated first."""

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
        """The texts to be estimated."""
        return next(iter(self.texts.values()))

    @property
    def criterion(self) -> str:
        """What quality is: a criterion of judgments, or a column."""
        return (self.train or self.test).criterion

    def signature(self, rule: Rule | None = None, similarity: Similarity | None = None) -> str:
        """How estimates are made, under these settings or with another rule or similarity."""
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
        """The judged texts, or as many of them as are compared with each other."""
        return texts.with_quality().drawn(self.most, self.seed)

    def drawn_notes(self) -> list[str]:
        """Say of which texts only some were drawn."""
        judged = [part.with_quality() for part in (*self.texts.values(), self.train) if part is not None]
        return [drawn_note(self.most, len(part)) for part in judged if len(part) > self.most]

    def near(self, lowest: float) -> Neighborhood:
        """All similarities from `lowest` up."""
        if self.train is None:
            return Neighborhood.among(self.few(self.test), self.similarity, lowest, self.workers)
        return Neighborhood.between(self.few(self.test), self.few(self.train), self.similarity, lowest, self.workers)


def drawn_note(n: int, of: int) -> str:
    """Say that not all texts are compared."""
    return f"{n:,} of {of:,} judged texts were drawn; --most takes more, in the square of the time and memory"
