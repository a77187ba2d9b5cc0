"""Word networks as language models, and the first of them, a word LSTM (Hochreiter and Schmidhuber 1997).

Input and output share their embeddings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.backends.language.drawing import draw_texts
from assay.backends.language.forward import Forward
from assay.backends.language.protocol import Drawn, TextScore, ToSample, ToScore
from assay.backends.language.scoring import score_texts
from assay.backends.language.words import END, SPECIAL, START, WordEncoder
from assay.backends.resumable import one_thread
from assay.errors import DataError
from assay.io.generator_folders import GeneratorFolder

IMPOSSIBLE = -1e9


class WordNetwork:
    """Words in, logits of the next word out. Called like a transformers network, so that both are sampled alike.

    A state is a tuple of tensors whose second dimension are the texts.
    """

    parts: Any
    bias: Any

    def run(self, tokens: Any, state: Any = None) -> tuple[Any, Any]:
        """Logits after every word, and the state after the last."""
        raise NotImplementedError

    def __call__(self, input_ids: Any, past_key_values: Any = None, **_: Any) -> Any:
        """A pass as `Forward` and `drawing` call it: masks and positions do not matter here."""
        logits, state = self.run(input_ids, None if past_key_values is None else past_key_values.state)
        # The beginning of a text never follows anything.
        logits = logits.clone()
        logits[..., START] = IMPOSSIBLE
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


class LSTMNetwork(WordNetwork):
    """A word LSTM."""

    def __init__(self, n_words: int, size: int, dropout: float = 0.0) -> None:
        import torch

        self.parts = torch.nn.ModuleDict(
            {
                "embedding": word_embedding(n_words, size),
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


def word_embedding(n_words: int, size: int) -> Any:
    """Embeddings that begin small, as they also are the weights of the output."""
    import torch

    embedding = torch.nn.Embedding(n_words, size)
    torch.nn.init.uniform_(embedding.weight, -0.1, 0.1)
    return embedding


class _State:
    """The state of each text while it is drawn."""

    def __init__(self, state: tuple[Any, ...]) -> None:
        self.state = state

    def batch_select_indices(self, rows: Any) -> None:
        """Keep these texts."""
        self.state = tuple(part[:, rows].contiguous() for part in self.state)


class _Output:
    def __init__(self, logits: Any, past_key_values: _State) -> None:
        self.logits = logits
        self.past_key_values = past_key_values


class _WordForward(Forward):
    """Passes of a word network, whose window has no limit."""

    def __init__(self, network: WordNetwork) -> None:
        self.network = network

    window = None
    end_tokens = (END,)
    _takes_columns = False

    def logits(
        self, rows: Sequence[Sequence[int]], side: Literal["right", "left"] = "right", keep: Sequence[int] | None = None
    ) -> Any:
        """Logits after every word, or after some; rows are padded on the right, where no word sees the padding."""
        import torch

        numbers = torch.zeros((len(rows), max(map(len, rows))), dtype=torch.long)
        for place, row in enumerate(rows):
            numbers[place, : len(row)] = torch.tensor(list(row))
        return self._kept(keep, input_ids=numbers)


class WordModel:
    """A trained word network: it tokenizes, scores and samples."""

    at_once = 1
    batch = 256

    def __init__(
        self,
        encoder: WordEncoder,
        network: Callable[[], WordNetwork],
        weights: Mapping[str, NDArray[Any]],
        name: str,
    ) -> None:
        self.encoder = encoder
        self.name = name
        self._network = network
        self._weights = weights

    @cached_property
    def forward(self) -> _WordForward:
        """The network."""
        with one_thread("A trained generator") as torch:
            with torch.random.fork_rng():
                network = self._network()
            network.parts.eval()
            try:
                weights = {name: torch.from_numpy(np.array(part)) for name, part in self._weights.items()}
                network.load_state_dict(weights)
            except (RuntimeError, KeyError):
                raise DataError(f"{self.name}: the weights are not those of its network. Train it again.") from None
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
    encoder, weights = WordEncoder(saved_words(folder)), saved_weights(folder)
    size = int(folder.settings["size"])
    return WordModel(encoder, lambda: LSTMNetwork(len(encoder.words), size), weights, folder.name)


def saved_words(folder: GeneratorFolder) -> list[str]:
    """The words that a generator knows."""
    try:
        return folder.arrays["words"].tobytes().decode("utf-8").split("\n")
    except KeyError:
        raise DataError(f"{folder.folder}: a word generator without words. Train it again.") from None


def saved_weights(folder: GeneratorFolder) -> dict[str, NDArray[Any]]:
    """The weights of its network by name."""
    named = ((name.partition("weights ")[2], part) for name, part in folder.arrays.items())
    return {name: part for name, part in named if name}


def arrays_to_save(encoder: WordEncoder, network: WordNetwork) -> dict[str, NDArray[Any]]:
    """The words and weights of a generator, for its folder."""
    words = np.frombuffer("\n".join(encoder.words[len(SPECIAL) :]).encode("utf-8"), np.uint8)
    return {
        "words": words,
        **{f"weights {name}": part.detach().numpy() for name, part in network.state_dict().items()},
    }
