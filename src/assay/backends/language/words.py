"""Words as the tokens of small generators: a vocabulary with a beginning, an end, and one token for unknown words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from assay.backends.language.encoding import NO_START, Encoded
from assay.backends.language.protocol import Bos, End, Prompt
from assay.backends.language.template import plain_prompt
from assay.errors import GeneratorError

START, END, UNKNOWN = 0, 1, 2
SPECIAL = ("<s>", "</s>", "<unk>")

# Words between white space, or, of short descriptions, lower-case words, numbers and punctuation marks.
Splitting = Literal["spaces", "description"]
_DESCRIBING = re.compile(r"<unk>|[^\W\d_]+|\d+|[^\w\s]|_")


class WordEncoder:
    """Texts as word numbers; texts with the same words are equal. What the words of a text are is its `splitting`.

    A word that is not in the vocabulary is read as `<unk>`, which is a word like any other: it can be drawn, and a text
    with unknown words has the probability of all texts that differ from it in these alone.
    """

    def __init__(self, words: Sequence[str], splitting: Splitting = "spaces") -> None:
        self.words = [*SPECIAL, *words]
        self.splitting = splitting
        self._numbers = {word: number for number, word in enumerate(self.words)}

    def tokens(self, text: str) -> tuple[int, ...]:
        """The numbers of a text's words."""
        # What spells the beginning or the end of a text is a word like any other, and not known.
        numbers = (self._numbers.get(word, UNKNOWN) for word in words_of(text, self.splitting))
        return tuple(UNKNOWN if number in (START, END) else number for number in numbers)

    def spelled(self, tokens: tuple[int, ...]) -> list[str]:
        """The words."""
        return [self.words[token] for token in tokens]

    def decode(self, tokens: tuple[int, ...]) -> str:
        """The text of words."""
        return " ".join(self.spelled(tokens))

    def end(self, end: End) -> tuple[int, ...]:
        """The tokens that end a text."""
        if end == "model":
            return (END,)
        if end == "none":
            return ()
        unknown = [word for word in end if word not in self._numbers]
        if unknown:
            raise GeneratorError(f"{unknown[0]!r} is not a word of this generator, so it cannot end a text.")
        return tuple(self._numbers[word] for word in end)

    def prompt(self, prompt: Prompt, bos: Bos) -> tuple[int, ...]:
        """The beginning of a text: what these generators learnt from has no contexts, so they look at none."""
        plain_prompt(prompt)
        return () if bos == "never" else (START,)

    def encode(self, prompt: Prompt, text: str, bos: Bos, border: Literal["joint", "separate"]) -> Encoded:
        """A beginning and the words of a text; words never lie across the border."""
        before = self.prompt(prompt, bos)
        return Encoded(before, self.tokens(text)) if before else Encoded(reason=NO_START)

    def row(self, prompt: Prompt, text: str) -> tuple[int, ...]:
        """A text to learn from: what stands before it, its words and its end."""
        return (*self.prompt(prompt, "model"), *self.tokens(text), END)


def words_of(text: str, splitting: Splitting) -> list[str]:
    """The words of a text."""
    return text.split() if splitting == "spaces" else _DESCRIBING.findall(text.lower())


def vocabulary(texts: Sequence[str], min_count: int, most: int, splitting: Splitting = "spaces") -> list[str]:
    """The words seen at least `min_count` times, the most frequent first, at most `most` of them."""
    counts = Counter(word for text in texts for word in words_of(text, splitting))
    for special in SPECIAL:
        counts.pop(special, None)
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [word for word, count in ranked if count >= min_count][:most]
