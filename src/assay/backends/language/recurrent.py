"""A word LSTM (Hochreiter and Schmidhuber 1997) as a language model; input and output share their embeddings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.backends.language.drawing import draw_texts
from assay.backends.language.forward import Forward
from assay.backends.language.protocol import Drawn, TextScore, ToSample, ToScore
from assay.backends.language.scoring import score_texts
from assay.backends.language.words import END, START, WordEncoder
from assay.errors import DataError
from assay.io.generator_folders import GeneratorFolder


class LSTMNetwork:
    """Words in, logits of the next word out. Called like a transformers network, so that both are sampled alike."""

    def __init__(self, n_words: int, size: int, dropout: float = 0.0) -> None:
        import torch

        embedding = torch.nn.Embedding(n_words, size)
        torch.nn.init.uniform_(embedding.weight, -0.1, 0.1)
        self.parts = torch.nn.ModuleDict(
            {
                "embedding": embedding,
                "lstm": torch.nn.LSTM(size, size, batch_first=True),
                "dropout": torch.nn.Dropout(dropout),
            }
        )
        self.bias = torch.nn.Parameter(torch.zeros(n_words))

    def run(self, tokens: Any, state: Any = None) -> tuple[Any, Any]:
        """Logits after every word, and the state after the last."""
        drop = self.parts["dropout"]
        hidden, state = self.parts["lstm"](drop(self.parts["embedding"](tokens)), state)
        return drop(hidden) @ self.parts["embedding"].weight.T + self.bias, state

    def __call__(self, input_ids: Any, past_key_values: Any = None, **_: Any) -> Any:
        """A pass as `Forward` and `drawing` call it: masks and positions do not matter here."""
        logits, state = self.run(input_ids, None if past_key_values is None else past_key_values.state)
        # The beginning of a text never follows anything.
        logits = logits.clone()
        logits[..., START] = -1e9
        return _Output(logits, _State(state))

    def parameters(self) -> list[Any]:
        """What is trained."""
        return [*self.parts.parameters(), self.bias]

    def state_dict(self) -> dict[str, Any]:
        """The weights by name."""
        return {**self.parts.state_dict(), "bias": self.bias.data}

    def load_state_dict(self, weights: Mapping[str, Any]) -> None:
        """Set the weights."""
        self.parts.load_state_dict({name: part for name, part in weights.items() if name != "bias"})
        self.bias.data.copy_(weights["bias"])


class _State:
    """The state of each text while it is drawn."""

    def __init__(self, state: tuple[Any, Any]) -> None:
        self.state = state

    def batch_select_indices(self, rows: Any) -> None:
        """Keep these texts."""
        self.state = (self.state[0][:, rows].contiguous(), self.state[1][:, rows].contiguous())


class _Output:
    def __init__(self, logits: Any, past_key_values: _State) -> None:
        self.logits = logits
        self.past_key_values = past_key_values


class _WordForward(Forward):
    """Passes of a word network, whose window has no limit."""

    def __init__(self, network: LSTMNetwork) -> None:
        self.network = network

    window = None
    end_tokens = (END,)

    def logits(self, rows: Sequence[Sequence[int]], side: Literal["right", "left"] = "right") -> Any:
        """Logits after every word; rows are padded on the right, where no word sees the padding."""
        import torch

        numbers = torch.zeros((len(rows), max(map(len, rows))), dtype=torch.long)
        for place, row in enumerate(rows):
            numbers[place, : len(row)] = torch.tensor(list(row))
        with torch.inference_mode():
            return self.network(numbers).logits


class WordModel:
    """A trained word network: it tokenizes, scores and samples."""

    at_once = 1
    batch = 256

    def __init__(self, words: Sequence[str], size: int, weights: Mapping[str, NDArray[Any]], name: str) -> None:
        self.encoder = WordEncoder(words)
        self.name = name
        self._size = size
        self._weights = weights

    @cached_property
    def forward(self) -> _WordForward:
        """The network."""
        import torch

        with torch.random.fork_rng():
            network = LSTMNetwork(len(self.encoder.words), self._size)
        network.parts.eval()
        try:
            network.load_state_dict({name: torch.from_numpy(np.array(part)) for name, part in self._weights.items()})
        except (RuntimeError, KeyError):
            raise DataError(f"{self.name}: the weights are not those of a word LSTM. Train it again.") from None
        return _WordForward(network)

    def tokenize(self, text: str) -> list[str]:
        """The words of a text."""
        return self.encoder.spelled(self.encoder.tokens(text))

    def score(self, wanted: Sequence[ToScore]) -> list[TextScore]:
        """The log-probabilities of texts."""
        return score_texts(self.forward, self.encoder, wanted)

    def sample(self, wanted: Sequence[ToSample]) -> list[Drawn]:
        """Draw texts."""
        return draw_texts(self.forward, self.encoder, wanted)


def open_lstm(folder: GeneratorFolder) -> WordModel:
    """The model of a folder."""
    words = folder.arrays["words"].tobytes().decode("utf-8").split("\n")
    weights = {name.removeprefix("weights "): part for name, part in folder.arrays.items() if name != "words"}
    return WordModel(words, int(folder.settings["size"]), weights, folder.name)
