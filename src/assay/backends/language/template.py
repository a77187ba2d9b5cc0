"""How a context and a text are put together for a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from assay.backends.language.protocol import Prompt
from assay.errors import GeneratorError
from assay.records import Dataset

DEFAULT = "{context} {text}"


@dataclass(frozen=True)
class Template:
    """A line such as `Q: {context}\\nA: {text}`, or a chat in which what stands before the text is the user's message.

    White space before the text belongs to the text: most tokenizers have it in the first token of a word, and a token
    must not lie across the border. Where nothing stands before the text, it has no white space before it either.
    """

    line: str = DEFAULT
    chat: bool = False

    def __post_init__(self) -> None:
        if self.line.count("{text}") != 1 or not self.line.endswith("{text}") or self.line.count("{context}") > 1:
            raise GeneratorError(
                f"the template {self.line!r} does not end in {{text}}. Write it as in 'Q: {{context}} A: {{text}}'."
            )

    def split(self, context: str) -> tuple[Prompt, str]:
        """The prompt for a context, and the white space with which a text after it begins."""
        before = self.line.removesuffix("{text}").replace("\\n", "\n").replace("{context}", context)
        prompt = before.rstrip()
        if self.chat:
            return ({"role": "user", "content": prompt},), ""
        return prompt, before[len(prompt) :] if prompt else ""


def following(space: str, text: str) -> str:
    """A text as it stands after a prompt. An empty one has no white space before it: the model ends at once."""
    return space + text if text else ""


def split_for(
    model: object, template: Template, dataset: Dataset, item: int, row: int | None = None
) -> tuple[Prompt, str]:
    """The prompt of an item, or of one of its outputs, and the white space with which a text after it begins.

    A generator that reads more of an item than its context says itself what its prompt is.
    """
    own = model.prompt_of(dataset, item, row) if isinstance(model, ReadsItems) else None
    if own is None:
        return template.split(dataset.items.context[item])
    if template != Template():
        raise GeneratorError("this generator does not read the context, so it has no template: leave it out.")
    return own, ""


@runtime_checkable
class ReadsItems(Protocol):
    """A model whose prompt is made of an item's columns or choices."""

    def prompt_of(self, dataset: Dataset, item: int, row: int | None = None) -> str | None:
        """The prompt for an item, or for one of its outputs; None if it is the item's context."""

    def attributes(self) -> tuple[str, ...]:
        """The columns that it reads."""


def plain_prompt(prompt: Prompt) -> str:
    """The prompt of a generator that was trained on texts, which has no chat template."""
    if not isinstance(prompt, str):
        raise GeneratorError("a generator that was trained on texts has no chat template: leave --chat out.")
    return prompt
