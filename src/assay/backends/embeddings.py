"""Sentence and token embeddings from a local model folder, with torch and transformers.

A folder saved by sentence-transformers defines its pooling in `modules.json` (Reimers and Gurevych 2019); a plain
transformers folder gets mean pooling. Nothing is downloaded. Sentence vectors are cached on disk
(`assay.io.vectors`); a run with only cache hits does not even load torch.

A vector depends only on its text and the model, not on the rest of the batch: texts are padded to a multiple of `STEP`
tokens and computed in batches of exactly `ROWS`, so the same matrix products run every time.
"""

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.backends.loading import load_network, load_tokenizer
from assay.errors import DataError
from assay.io.model_folders import content_hash, model_folder
from assay.io.tabular.strict_json import json_of
from assay.io.vectors import VectorStore

ROWS = 16
STEP = 8
WRITE_SIZE = 2048
"""Vectors written to disk at a time: the most an interrupted run loses."""


@cache
def load_encoder(model: str = "minilm") -> "SentenceEncoder":
    """Return the encoder of a folder, or of an installed model by its short name; cached per process."""
    return SentenceEncoder(model_folder(model))


class SentenceEncoder:
    """A sentence embedding model; `identity` is the content hash of its folder."""

    def __init__(self, folder: Path, store: VectorStore | None = None) -> None:
        self.folder = folder
        self.identity = content_hash(folder)
        self.store = store or VectorStore(self.identity)
        self.n_computed = 0
        """Number of texts this encoder computed, not counting cache hits."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one row per text. Equal texts are embedded once, cached ones not at all.

        A text beyond the model's maximum length is truncated, as in sentence-transformers.
        """
        unique = list(dict.fromkeys(texts))
        cached = zip(unique, self.store.get(unique), strict=True)
        vectors = {text: vector for text, vector in cached if vector is not None}
        missing = sorted((text for text in unique if text not in vectors), key=lambda text: (len(text), text))
        for start in range(0, len(missing), WRITE_SIZE):
            part = missing[start : start + WRITE_SIZE]
            computed = self._compute(part)
            self.store.put(part, computed)
            vectors.update(zip(part, computed, strict=True))
        if not unique:
            return np.zeros((0, self.dimension), np.float32)
        return np.stack([vectors[text] for text in texts])

    def token_states(self, texts: Sequence[str], layer: int = -1) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Return the hidden states of all tokens after `layer`, one row each, and the offsets of the texts.

        The special tokens at both ends are included, as in BERTScore (Zhang et al. 2020). Not cached.
        """
        states: list[NDArray[np.float32]] = [np.zeros((0, self.dimension), np.float32)] * len(texts)
        for members, tokens, lengths in self._batches(texts):
            hidden = self._forward(tokens, output_hidden_states=True).hidden_states[layer].numpy()
            for row, member in enumerate(members):
                states[member] = hidden[row, : lengths[row]]
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum([len(state) for state in states], out=offsets[1:])
        return (np.concatenate(states) if states else np.zeros((0, self.dimension), np.float32)), offsets

    @cached_property
    def dimension(self) -> int:
        """Dimension of a vector."""
        path = self.folder / "config.json"
        config = json_of(path)
        size = config.get("hidden_size") or config.get("dim")
        if not isinstance(size, int):
            raise DataError(f"{path}: has neither hidden_size nor dim, so this is not a text encoder.")
        return size

    @cached_property
    def pooling(self) -> "tuple[str, bool]":
        """Pooling mode, 'mean', 'cls' or 'max', and whether vectors are normalized to unit length."""
        modules = self.folder / "modules.json"
        if not modules.is_file():
            return "mean", True
        mode, normalize = "mean", False
        for module in json_of(modules):
            kind = module["type"].rsplit(".", 1)[-1]
            if kind == "Pooling":
                mode = _pooling_mode(self.folder / module["path"] / "config.json")
            elif kind == "Normalize":
                normalize = True
            elif kind != "Transformer":
                raise DataError(
                    f"{modules}: the module {kind!r} is not supported, only Transformer, Pooling and Normalize."
                )
        return mode, normalize

    @cached_property
    def network(self) -> Any:
        """The torch model."""
        return load_network("AutoModel", self.folder)

    @cached_property
    def tokenizer(self) -> Any:
        """The model's tokenizer."""
        return load_tokenizer(self.folder)

    @cached_property
    def limit(self) -> int:
        """Maximum number of tokens: the configured length, capped by the position embeddings."""
        settings = self.folder / "sentence_bert_config.json"
        configured = json_of(settings).get("max_seq_length") if settings.is_file() else None
        positions = json_of(self.folder / "config.json").get("max_position_embeddings", 512)
        return int(min(configured or positions, positions, self.tokenizer.model_max_length))

    def _compute(self, texts: Sequence[str]) -> NDArray[np.float32]:
        mode, normalize = self.pooling
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        for members, tokens, lengths in self._batches(texts):
            states = self._forward(tokens).last_hidden_state.numpy()[: len(members)]
            vectors[members] = _pool(states, lengths, mode)
        if normalize:
            vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        self.n_computed += len(texts)
        return vectors

    def _batches(self, texts: Sequence[str]) -> Any:
        """Yield (text indices, ROWS padded rows of tokens, token counts), grouping texts of similar length."""
        encoded = self.tokenizer(list(texts), truncation=True, max_length=self.limit) if texts else {"input_ids": []}
        lengths = np.array([len(ids) for ids in encoded["input_ids"]], np.int64)
        widths = np.minimum(-(-lengths // STEP) * STEP, self.limit)
        for width in np.unique(widths):
            group = np.flatnonzero(widths == width)
            for start in range(0, len(group), ROWS):
                members = group[start : start + ROWS]
                padded = np.resize(members, ROWS)
                rows = {key: [encoded[key][i] for i in padded] for key in encoded}
                tokens = self.tokenizer.pad(
                    rows,
                    padding="max_length",
                    max_length=int(width),
                    return_tensors="pt",
                    padding_side="right",
                )
                yield members, tokens, lengths[members]

    def _forward(self, tokens: Any, **options: bool) -> Any:
        import torch

        with torch.inference_mode():
            return self.network(**tokens, **options)


def _pool(states: NDArray[np.float32], lengths: NDArray[np.int64], mode: str) -> NDArray[np.float32]:
    if mode == "cls":
        return states[:, 0]
    real = (np.arange(states.shape[1]) < lengths[:, None])[:, :, None]
    if mode == "max":
        return np.where(real, states, -np.inf).max(axis=1)
    return (states * real).sum(axis=1) / lengths[:, None]


def _pooling_mode(path: Path) -> str:
    config = json_of(path)
    modes = {
        "pooling_mode_mean_tokens": "mean",
        "pooling_mode_cls_token": "cls",
        "pooling_mode_max_tokens": "max",
    }
    chosen = [modes.get(key, key) for key, on in config.items() if key.startswith("pooling_mode") and on is True]
    if config.get("pooling_mode") in modes.values():
        chosen = [config["pooling_mode"]]
    if len(chosen) != 1 or chosen[0] not in modes.values():
        raise DataError(
            f"{path}: the pooling {', '.join(chosen) or 'configured there'} is not supported; mean, cls and max are."
        )
    return str(chosen[0])
