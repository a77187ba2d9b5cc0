"""Prompts and texts as the token numbers of a local model: border, beginning and end of text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Protocol

from assay.backends.language.protocol import Bos, End, Prompt
from assay.backends.loading import load_tokenizer
from assay.errors import DataError, GeneratorError

NO_START = "nothing before the first token: the prompt is empty, and there is no beginning-of-text token"
ACROSS_BORDER = "token across the border of prompt and text"


@dataclass(frozen=True)
class Encoded:
    """Token numbers of a prompt, with what comes before it, and of a text; or the reason why there are none."""

    prompt: tuple[int, ...] = ()
    text: tuple[int, ...] = ()
    reason: str = ""


class TextEncoder(Protocol):
    """Texts as token numbers, and back."""

    def tokens(self, text: str) -> tuple[int, ...]:
        """The numbers of a text's tokens, and nothing else."""

    def spelled(self, tokens: tuple[int, ...]) -> list[str]:
        """Each token as a text of its own."""

    def decode(self, tokens: tuple[int, ...]) -> str:
        """The text of tokens, exactly."""

    def end(self, end: End) -> tuple[int, ...]:
        """The tokens that end a text; empty if its end is not counted."""

    def prompt(self, prompt: Prompt, bos: Bos) -> tuple[int, ...]:
        """The tokens before a text."""

    def encode(self, prompt: Prompt, text: str, bos: Bos, border: Literal["joint", "separate"]) -> Encoded:
        """A prompt and a text, tokenized as one string or apart."""


class Encoder:
    """The tokenizer of a model folder.

    Texts that spell a special token, such as `<|endoftext|>`, are text like any other; only a chat template writes
    special tokens.
    """

    def __init__(self, folder: Path, end_tokens: tuple[int, ...]) -> None:
        self.folder = folder
        self.tokenizer: Any = load_tokenizer(folder)
        if not getattr(self.tokenizer, "is_fast", False):
            raise DataError(f"{folder}: no tokenizer.json in it. Save the tokenizer with transformers, as a fast one.")
        self._model_end = end_tokens

    def tokens(self, text: str) -> tuple[int, ...]:
        """The numbers of a text's tokens, and nothing else."""
        return tuple(self.tokenizer(text, add_special_tokens=False, split_special_tokens=True)["input_ids"])

    def spelled(self, tokens: tuple[int, ...]) -> list[str]:
        """Each token as a text of its own."""
        return [self.decode((token,)) for token in tokens]

    def decode(self, tokens: tuple[int, ...]) -> str:
        """The text of tokens, exactly."""
        return str(self.tokenizer.decode(tokens, skip_special_tokens=False, clean_up_tokenization_spaces=False))

    @cached_property
    def bos(self) -> int | None:
        """The token that begins a text."""
        number = self.tokenizer.bos_token_id
        return None if number is None else int(number)

    @cached_property
    def adds_bos(self) -> bool:
        """Whether the tokenizer begins every text with it."""
        numbers = self.tokenizer("a")["input_ids"]
        return bool(numbers) and self.bos is not None and numbers[0] == self.bos

    def end(self, end: End) -> tuple[int, ...]:
        """The tokens that end a text; empty if its end is not counted."""
        if end == "none":
            return ()
        if end == "model":
            if not self._model_end:
                raise GeneratorError(f"{self.folder}: the model has no end-of-text token. Use --end none, or name one.")
            return self._model_end
        numbers = []
        for token in end:
            # Escapes, so that a line break can be named on a command line.
            spelled = token.replace("\\n", "\n")
            number = self.tokenizer.convert_tokens_to_ids(token)
            encoded = self.tokens(spelled)
            if number is None or number == self.tokenizer.unk_token_id:
                if len(encoded) != 1:
                    raise GeneratorError(f"{token!r} is not one token of this model, so it cannot end a text.")
                number = encoded[0]
            numbers.append(int(number))
        return tuple(numbers)

    def prompt(self, prompt: Prompt, bos: Bos) -> tuple[int, ...]:
        """The tokens before a text."""
        if not isinstance(prompt, str):
            return self._special(self._chat(prompt))
        tokens = self.tokens(prompt)
        wanted = bos == "always" or (bos == "model" and (self.adds_bos or not tokens))
        if wanted and self.bos is None and bos == "always":
            raise GeneratorError(f"{self.folder}: the model has no beginning-of-text token. Use --bos never.")
        return ((self.bos,) if wanted and self.bos is not None else ()) + tokens

    def encode(self, prompt: Prompt, text: str, bos: Bos, border: Literal["joint", "separate"]) -> Encoded:
        """A prompt and a text, tokenized as one string or apart."""
        before = self.prompt(prompt, bos)
        if not before:
            return Encoded(reason=NO_START)
        alone = self.tokens(text)
        if border == "separate":
            return Encoded(before, alone)
        if isinstance(prompt, str):
            whole = before[: len(before) - len(self.tokens(prompt))] + self.tokens(prompt + text)
        else:
            whole = self._special(self._chat(prompt) + text)
        if whole[: len(before)] != before:
            return Encoded(before, alone, ACROSS_BORDER)
        return Encoded(before, whole[len(before) :])

    def _chat(self, messages: Any) -> str:
        if not self.tokenizer.chat_template:
            raise GeneratorError(f"{self.folder}: the model has no chat template. Give the prompt as a text.")
        rendered = self.tokenizer.apply_chat_template(list(messages), tokenize=False, add_generation_prompt=True)
        return str(rendered)

    def _special(self, rendered: str) -> tuple[int, ...]:
        """Tokens of a rendered chat, in which special tokens are spelled out, its beginning of text too."""
        return tuple(self.tokenizer(rendered, add_special_tokens=False)["input_ids"])
