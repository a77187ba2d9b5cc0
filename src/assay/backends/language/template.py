"""How a context and a text are put together for a model."""

from __future__ import annotations

from dataclasses import dataclass

from assay.backends.language.protocol import Prompt
from assay.errors import GeneratorError

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


def plain_prompt(prompt: Prompt) -> str:
    """The prompt of a generator that was trained on texts, which has no chat template."""
    if not isinstance(prompt, str):
        raise GeneratorError("a generator that was trained on texts has no chat template: leave --chat out.")
    return prompt
