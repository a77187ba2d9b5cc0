"""Words of short descriptions: "the darker, bluish one" is the, dark, +er, ",", blu, +ish, one."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

_WORD = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
# Endings that compare or weaken; a word keeps at least three letters without them.
ENDINGS = ("ish", "est", "er")
SHORTEST = 3


def description_tokens(text: str) -> list[str]:
    """Lower-case words, numbers and punctuation marks, with the endings split off (Monroe et al. 2017)."""
    tokens: list[str] = []
    for word in _WORD.findall(text.lower()):
        ending = next((e for e in ENDINGS if word.endswith(e) and len(word) >= len(e) + SHORTEST), "")
        tokens += [word.removesuffix(ending), f"+{ending}"] if ending else [word]
    return tokens


def frequent_words(texts: Iterable[Sequence[str]], least: int) -> list[str]:
    """The tokens that occur at least so often, sorted."""
    counts = Counter(token for tokens in texts for token in tokens)
    return sorted(token for token, n in counts.items() if n >= least)
