"""A word LSTM that reads a condition first (Tang et al. 2016, contexts to sequences).

A reader turns the parts of a condition into vectors and one summary of them. The summary is the state that the LSTM
begins with, and is added to every word it reads. Networks that use a condition in one more way derive from this one.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

from assay.backends.language.conditions import Attributes, Colors, ConditionedEncoder, saved_conditions
from assay.backends.language.recurrent import WordModel, WordNetwork, saved_weights, saved_words, word_embedding
from assay.errors import DataError, GeneratorError
from assay.io.generator_folders import GeneratorFolder
from assay.records import Dataset


class ConditionedNetwork(WordNetwork):
    """A word LSTM that begins with a condition."""

    def __init__(self, encoder: ConditionedEncoder, size: int, dropout: float = 0.0) -> None:
        import torch

        from assay.backends.language.condition_readers import reader_of  # imports torch

        self.encoder = encoder
        self.size = size
        linear = torch.nn.Linear
        self.parts = torch.nn.ModuleDict(
            {
                "embedding": word_embedding(len(encoder.words), size),
                "reader": reader_of(encoder.conditions, size),
                "begin": linear(size, 2 * size),
                "join": linear(size, size),
                "lstm": torch.nn.LSTM(size, size, batch_first=True),
                "dropout": torch.nn.Dropout(dropout),
            }
        )
        self.bias = torch.nn.Parameter(torch.zeros(len(encoder.words)))

    def run(self, tokens: Any, state: Any = None) -> tuple[Any, Any]:
        """Logits after every word; in front of a text, where there is no state yet, is the number of a condition."""
        import torch

        unread = state is None
        if state is None:
            state, tokens = self._read(tokens[:, 0]), tokens[:, 1:]
        drop, (hidden, cell, *read) = self.parts["dropout"], state
        # Embeddings are small because they are the output's weights too: unscaled, the condition would drown the words.
        words = drop(self.parts["embedding"](tokens) * sqrt(self.size))
        heard = words + self.parts["join"](read[0][0])[:, None]
        spoken, (hidden, cell) = self.parts["lstm"](heard, (hidden, cell))
        logits = drop(self.voiced(spoken, *read)) @ self.parts["embedding"].weight.T + self.bias
        if unread:
            logits = torch.cat([torch.zeros_like(logits[:, :1]), logits], 1)
        return logits, (hidden, cell, *read)

    def voiced(self, spoken: Any, summary: Any, each: Any, present: Any) -> Any:
        """What the states of the LSTM (texts, words, size) become before the words of the output are compared.

        `summary` (1, texts, size), `each` (parts, texts, size) and `present` (parts, texts) are what was read.
        """
        return spoken

    def _read(self, numbers: Any) -> tuple[Any, ...]:
        """The state before the first word."""
        import torch

        places = (numbers - len(self.encoder.words)).tolist()
        if min(places) < 0:
            raise GeneratorError("a conditioned generator reads its condition first: leave --window out.")
        parts = [torch.from_numpy(self.encoder.met[place]) for place in places]
        present = torch.zeros((len(parts), max(map(len, parts))), dtype=torch.bool)
        padded = torch.nn.utils.rnn.pad_sequence(parts, batch_first=True)
        for row, part in enumerate(parts):
            present[row, : len(part)] = True
        summary, each = self.parts["reader"](padded, present)
        hidden, cell = self.parts["begin"](summary).tanh().chunk(2, -1)
        return hidden[None].contiguous(), cell[None].contiguous(), summary[None], each.transpose(0, 1), present.T


class ConditionedModel(WordModel):
    """A conditioned network: it also says what of an item its prompt is."""

    encoder: ConditionedEncoder

    def prompt_of(self, dataset: Dataset, item: int, row: int | None = None) -> str | None:
        """The prompt for an item, or for one of its outputs; None if it is the item's context."""
        conditions = self.encoder.conditions
        return None if conditions.name == "context" else conditions.prompt_of(dataset, item, row)

    def attributes(self) -> tuple[str, ...]:
        """The columns that it reads."""
        conditions = self.encoder.conditions
        return tuple(conditions.values) if isinstance(conditions, Attributes) else ()


class ColorSpeaker(ConditionedModel):
    """A network that talks about colors."""

    def prompt_meaning(self, choices: Sequence[str], target: int) -> str:
        """The prompt of a speaker who means one of the choices, if they are colors."""
        prompt = Colors().prompt(choices, target)
        self.encoder.conditions.numbers(prompt)
        return prompt


def open_conditioned(folder: GeneratorFolder) -> ConditionedModel:
    """The model of a folder."""
    from assay.backends.language.attention import AttentionNetwork
    from assay.backends.language.gated import GatedNetwork

    networks = {"plain": ConditionedNetwork, "gated": GatedNetwork, "attention": AttentionNetwork}
    settings = folder.settings
    conditions = saved_conditions(str(settings.get("reads")), settings, folder.folder)
    encoder = ConditionedEncoder(saved_words(folder), conditions, settings.get("splitting", "spaces"))
    if settings.get("network") not in networks:
        raise DataError(f"{folder.folder}: a conditioned generator of an unknown kind. Train it again.")
    network, size = networks[settings["network"]], int(settings["size"])
    model = ColorSpeaker if isinstance(conditions, Colors) else ConditionedModel
    return model(encoder, lambda: network(encoder, size), saved_weights(folder), folder.name)
