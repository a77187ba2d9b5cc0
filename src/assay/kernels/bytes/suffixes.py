"""Rules that replace the ending of a word, for stemmers; words are rows of code points."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assay.kernels.jit import jit

Letters = NDArray[np.uint32]
Rules = tuple[Letters, NDArray[np.int64], Letters, NDArray[np.int64]]
"""Endings and replacements, each concatenated with offsets."""


def rules(text: str) -> Rules:
    """Parse `ending:replacement` rules, separated by spaces, in the order in which they are tried."""
    pairs = [rule.split(":") for rule in text.split()]
    return *_concatenated([old for old, _ in pairs]), *_concatenated([new for _, new in pairs])


def _concatenated(words: list[str]) -> tuple[Letters, NDArray[np.int64]]:
    letters = np.array([ord(letter) for letter in "".join(words)], np.uint32)
    return letters, np.cumsum([0, *map(len, words)], dtype=np.int64)


@jit
def matching_rule(word: Letters, n: int, of: Rules) -> int:
    """The first rule whose ending the `n` letters of a word have, -1 if none."""
    endings, bounds = of[0], of[1]
    for rule in range(len(bounds) - 1):
        length = bounds[rule + 1] - bounds[rule]
        if length > n:
            continue
        at = 0
        while at < length and word[n - 1 - at] == endings[bounds[rule + 1] - 1 - at]:
            at += 1
        if at == length:
            return rule
    return -1


@jit
def matching_word(word: Letters, n: int, of: Rules) -> int:
    """The first rule whose ending is the whole word, -1 if none."""
    for rule in range(len(of[1]) - 1):
        if of[1][rule + 1] - of[1][rule] == n:
            at = 0
            while at < n and word[at] == of[0][of[1][rule] + at]:
                at += 1
            if at == n:
                return rule
    return -1


@jit
def replaced(word: Letters, n: int, of: Rules, rule: int) -> int:
    """Apply a rule that matches; return the new length. No replacement may be longer than its ending."""
    before = n - (of[1][rule + 1] - of[1][rule])
    new = of[3][rule + 1] - of[3][rule]
    for at in range(new):
        word[before + at] = of[2][of[3][rule] + at]
    return int(before + new)


@jit
def length_before(n: int, of: Rules, rule: int) -> int:
    """The length of a word without the ending of a rule."""
    return int(n - (of[1][rule + 1] - of[1][rule]))
