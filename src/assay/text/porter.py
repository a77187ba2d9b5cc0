"""The Porter stemmer (Porter 1980) with nltk's default extensions, which ROUGE and METEOR rely on.

A word is a sequence of consonants c and vowels v; its measure m is the number of times a vowel is followed by a
consonant. Each step takes the first suffix in its table that the word ends with, and replaces it if the condition on
the stem holds. Reimplemented because importing nltk takes over a second; tests check that the two agree.
"""

from collections.abc import Callable
from itertools import pairwise

_IRREGULAR = {
    "sky": "sky",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "news": "news",
    "innings": "inning",
    "inning": "inning",
    "outings": "outing",
    "outing": "outing",
    "cannings": "canning",
    "canning": "canning",
    "howe": "howe",
    "proceed": "proceed",
    "exceed": "exceed",
    "succeed": "succeed",
}

_Table = tuple[tuple[str, ...], tuple[tuple[str, str], ...]]


def _table(rules: str) -> _Table:
    """Parse `suffix:replacement` rules; return the suffixes, and the pairs."""
    pairs = tuple((suffix, replacement) for suffix, _, replacement in (rule.partition(":") for rule in rules.split()))
    return tuple(suffix for suffix, _ in pairs), pairs


_STEP_1A = _table("sses:ss ies:i ss:ss s:")
_STEP_2 = _table(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful"
)
_STEP_3 = _table("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_STEP_4 = _table("al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:")


def stem(word: str) -> str:
    """Return the lowercase stem of a word. Words of one or two letters are their own stem."""
    lower = word.lower()
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if len(word) <= 2:
        return lower
    for step in (_plural, _past, _final_y, _long_suffix, _middle_suffix, _last_suffix, _final_e, _final_l):
        lower = step(lower)
    return lower


def _plural(word: str) -> str:
    if word.endswith("ies") and len(word) == 4:
        return word[:-1]
    return _replace(word, _STEP_1A, lambda before: True)


def _past(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        before = word.removesuffix(suffix)
        if before != word and _has_vowel(before):
            return _restore(before)
    return word


def _restore(word: str) -> str:
    """Restore the stem before -ed and -ing: conflat(ed) -> conflate, hopp(ing) -> hop, fil(ing) -> file."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) >= 2 and word[-1] == word[-2] and _consonants(word)[-1]:
        # The rule "double consonant -> single letter".
        return word if word[-1] in "lsz" else word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_short(word) else word


def _final_y(word: str) -> str:
    if word.endswith("y") and len(word) > 2 and _consonants(word)[-2]:
        return word[:-1] + "i"
    return word


def _long_suffix(word: str) -> str:
    if word.endswith("alli") and _measure(word[:-4]) > 0:
        return _long_suffix(word[:-2])
    if not word.endswith("logi"):
        return _replace(word, _STEP_2, lambda before: _measure(before) > 0)
    # The l counts as part of the stem, so that short stems such as geo- work like archaeo-.
    return word[:-1] if _measure(word[:-3]) > 0 else word


def _middle_suffix(word: str) -> str:
    return _replace(word, _STEP_3, lambda before: _measure(before) > 0)


def _last_suffix(word: str) -> str:
    if word.endswith("ion"):
        return word[:-3] if _measure(word[:-3]) > 1 and word[-4] in "st" else word
    return _replace(word, _STEP_4, lambda before: _measure(before) > 1)


def _final_e(word: str) -> str:
    if word.endswith("e"):
        before = word[:-1]
        measure = _measure(before)
        if measure > 1 or (measure == 1 and not _ends_short(before)):
            return before
    return word


def _final_l(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word


def _replace(word: str, table: _Table, holds: Callable[[str], bool]) -> str:
    """Replace the first matching suffix of the table if the condition on the stem holds."""
    endings, rules = table
    if not word.endswith(endings):  # one C call rules out most words
        return word
    for suffix, replacement in rules:
        if word.endswith(suffix):
            before = word[: -len(suffix)]
            return before + replacement if holds(before) else word
    return word


def _consonants(word: str) -> list[bool]:
    """Whether each letter is a consonant; y is one unless it follows one."""
    flags: list[bool] = []
    for letter in word:
        if letter == "y":
            flags.append(not flags[-1] if flags else True)
        else:
            flags.append(letter not in "aeiou")
    return flags


def _measure(word: str) -> int:
    flags = _consonants(word)
    return sum(here and not before for before, here in pairwise(flags))


def _has_vowel(word: str) -> bool:
    return not all(_consonants(word))


def _ends_short(word: str) -> bool:
    """Whether the word ends consonant-vowel-consonant, the last not w, x or y, or is just vc."""
    flags = _consonants(word)
    if len(word) == 2:
        return flags == [False, True]
    return len(word) >= 3 and flags[-3:] == [True, False, True] and word[-1] not in "wxy"
