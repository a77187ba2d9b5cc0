"""A causal language model in this process, from a Hugging Face folder, in torch."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

from assay.backends.language.beams import beam_texts
from assay.backends.language.drawing import draw_texts
from assay.backends.language.encoding import Encoder
from assay.backends.language.forward import Forward
from assay.backends.language.protocol import Drawn, TextScore, ToSample, ToScore
from assay.backends.language.scoring import score_texts
from assay.backends.loading import load_network
from assay.errors import DataError

Dtype = Literal["float32", "bfloat16"]


class LocalModel:
    """Scores and samples with the network of a folder; nothing is loaded before it is needed.

    A value does not depend on the other texts of a batch beyond rounding (1e-5), and a drawn text not at all.
    """

    at_once = 1
    batch = 96

    def __init__(self, folder: Path, name: str, dtype: Dtype = "float32") -> None:
        self.folder = folder
        self.dtype = dtype
        self.name = name if dtype == "float32" else f"{name}:{dtype}"

    @cached_property
    def forward(self) -> Forward:
        """The network."""
        network: Any = load_network("AutoModelForCausalLM", self.folder)
        if self.dtype == "bfloat16":
            network = network.bfloat16()
        return Forward(network)

    @cached_property
    def encoder(self) -> Encoder:
        """The tokenizer."""
        encoder = Encoder(self.folder, self.forward.end_tokens)
        if len(encoder.tokenizer) > self.forward.vocabulary:
            raise DataError(
                f"{self.folder}: the tokenizer knows {len(encoder.tokenizer)} tokens and the network "
                f"{self.forward.vocabulary}: they are of two models. Use a folder saved as a whole."
            )
        return encoder

    def tokenize(self, text: str) -> list[str]:
        """The tokens of a text."""
        return self.encoder.spelled(self.encoder.tokens(text))

    def score(self, wanted: Sequence[ToScore]) -> list[TextScore]:
        """The log-probabilities of texts, in batches of similar length."""
        return score_texts(self.forward, self.encoder, wanted)

    def sample(self, wanted: Sequence[ToSample]) -> list[Drawn]:
        """Draw texts together; a prompt is computed once for all texts drawn after it."""
        beams = [one for one in wanted if one.beams]
        found = iter(beam_texts(self.forward, self.encoder, beams))
        drawn = iter(draw_texts(self.forward, self.encoder, [one for one in wanted if not one.beams]))
        return [next(found if one.beams else drawn) for one in wanted]
