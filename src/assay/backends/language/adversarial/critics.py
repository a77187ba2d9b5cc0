"""Critics: networks that say how human a text looks."""

from __future__ import annotations

from typing import Any

from assay.errors import MissingExtra

try:
    import torch
    from torch import nn
except ImportError as error:
    raise MissingExtra("An adversarial generator", "torch", "neural") from error

WIDTHS = (1, 2, 3, 4)
TAIL = max(WIDTHS) - 1
SHARPNESS = 4.0
"""By what similarities are multiplied before texts are ranked by them."""


class PrefixFeatures(nn.Module):
    """Convolutions over words (Kim 2014), and their largest values so far: features of every prefix of a text."""

    def __init__(self, n_words: int, size: int, filters: int) -> None:
        super().__init__()
        self.size, self.n_features = size, filters * len(WIDTHS)
        self.embedding = nn.Embedding(n_words, size)
        self.filters = nn.ModuleList([nn.Conv1d(size, filters, width) for width in WIDTHS])

    def read(self, words: Any, tail: Any, peak: Any) -> tuple[Any, Any, Any]:
        """Features after every word (texts, words, features), and what the next words need: embeddings and peaks."""
        seen = torch.cat([tail, self.embedding(words)], 1)
        found = [
            convolve(seen[:, TAIL + 1 - width :].transpose(1, 2)).relu()
            for width, convolve in zip(WIDTHS, self.filters, strict=True)
        ]
        features = torch.cat([peak[:, None], torch.cat(found, 1).transpose(1, 2)], 1).cummax(1).values[:, 1:]
        return features, seen[:, seen.shape[1] - TAIL :], features[:, -1]

    def start(self, n: int) -> tuple[Any, Any]:
        """What comes before the first word of a text."""
        return torch.zeros(n, TAIL, self.size), torch.zeros(n, self.n_features)

    def forward(self, words: Any, lengths: Any) -> Any:
        """Features of whole texts, of which `lengths` words count."""
        features, _, _ = self.read(words, *self.start(len(words)))
        return features[torch.arange(len(words)), lengths - 1]


class Discriminator(nn.Module):
    """The probability that a person wrote a text (SeqGAN, Yu et al. 2017)."""

    def __init__(self, features: PrefixFeatures) -> None:
        super().__init__()
        self.features = features
        self.dropout = nn.Dropout(0.25)
        self.human = nn.Linear(features.n_features, 1)

    def meet(self, people: tuple[Any, Any]) -> None:
        """Texts of people for this round; it needs none."""

    def rewards(self, words: Any, lengths: Any) -> Any:
        """The reward of each text."""
        return self.human(self.features(words, lengths))[:, 0].sigmoid()

    def loss(self, people: tuple[Any, Any], drawn: tuple[Any, Any]) -> Any:
        """Cross-entropy over texts of both kinds."""
        logits = [self.human(self.dropout(self.features(*texts)))[:, 0] for texts in (people, drawn)]
        return (nn.functional.softplus(-logits[0]).mean() + nn.functional.softplus(logits[1]).mean()) / 2


class Ranker(nn.Module):
    """How high a text ranks among others, by its likeness to texts of people (RankGAN, Lin et al. 2017).

    With s the text, C the texts that it is compared with and U the references, its rank is the mean over U of
    exp(g cos(s, u)) / sum over c in C and s of exp(g cos(c, u)).
    """

    def __init__(self, features: PrefixFeatures) -> None:
        super().__init__()
        self.features = features
        self.vector = nn.Linear(features.n_features, features.n_features)
        self.people: tuple[Any, Any] | None = None

    def meet(self, people: tuple[Any, Any]) -> None:
        """Texts of people for this round: references, and texts to compare with."""
        self.people = people

    def rewards(self, words: Any, lengths: Any) -> Any:
        """The rank among texts of people, 1 where it is that of a typical one."""
        assert self.people is not None
        references, others = self._halves(self._vectors(*self.people))
        return self._ranks(self._vectors(words, lengths), others, references) * (len(others) + 1)

    def loss(self, people: tuple[Any, Any], drawn: tuple[Any, Any]) -> Any:
        """People's texts shall rank high among drawn ones, and drawn ones low among people's."""
        references, human = self._halves(self._vectors(*people))
        machine = self._vectors(*drawn)
        high, low = self._ranks(human, machine, references), self._ranks(machine, human, references)
        return -(high.log().mean() + (1 - low).clamp(min=1e-6).log().mean())

    def _vectors(self, words: Any, lengths: Any) -> Any:
        return nn.functional.normalize(self.vector(self.features(words, lengths)), dim=-1)

    @staticmethod
    def _halves(vectors: Any) -> tuple[Any, Any]:
        return vectors[: len(vectors) // 2], vectors[len(vectors) // 2 :]

    @staticmethod
    def _ranks(texts: Any, others: Any, references: Any) -> Any:
        own = (SHARPNESS * texts @ references.T).exp()
        against = (SHARPNESS * others @ references.T).exp().sum(0)
        return (own / (own + against)).mean(-1)
