"""The English Snowball stemmer, known as Porter2 (Porter 2001), which METEOR 1.5 relies on.

R1 is what follows the first consonant after a vowel, R2 the same within R1. A `y` that acts as a consonant is
written `Y` meanwhile. Each step takes the longest suffix in its table that the word ends with, and replaces it if its
condition holds. No step makes a word longer.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.bytes.suffixes import Letters, Rules, length_before, matching_rule, matching_word, replaced, rules
from assay.kernels.jit import jit


def _longest_first(text: str) -> Rules:
    return rules(" ".join(sorted(text.split(), key=lambda rule: -rule.index(":"))))


def _letters(text: str) -> int:
    """A set of letters as bits."""
    return sum(1 << (ord(letter) - ord("a")) for letter in text)


_WHOLE = rules(
    "skis:ski skies:sky dying:die lying:lie tying:tie idly:idl gently:gentl ugly:ugli early:earli only:onli "
    "singly:singl sky:sky news:news howe:howe atlas:atlas cosmos:cosmos bias:bias andes:andes"
)
_AFTER_PLURAL = rules("inning: outing: canning: herring: earring: proceed: exceed: succeed:")
_STARTS = rules("gener: commun: arsen:")
_POSSESSIVE = rules("'s': 's: ':")
_PLURAL = rules("sses:ss ied: ies: us:us ss:ss s:")
_EED = rules("eedly:ee eed:ee")
_PAST = rules("ingly: edly: ing: ed:")
_RESTORED = rules("at: bl: iz: bb: dd: ff: gg: mm: nn: pp: rr: tt:")
_STEP_2 = _longest_first(
    "tional:tion enci:ence anci:ance abli:able entli:ent izer:ize ization:ize ational:ate ation:ate ator:ate alism:al "
    "aliti:al alli:al fulness:ful ousli:ous ousness:ous iveness:ive iviti:ive biliti:ble bli:ble fulli:ful lessli:less"
)
_OGI, _LI, _ION, _LL = rules("ogi:og"), rules("li:"), rules("ion:"), rules("ll:l")
_STEP_3 = _longest_first("tional:tion ational:ate alize:al icate:ic iciti:ic ical:ic ful: ness:")
_ATIVE = rules("ative:")
_STEP_4 = _longest_first(
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ism: ate: iti: ous: ive: ize:",
)
_VOWELS = _letters("aeiouy")
_BEFORE_LI, _BEFORE_OGI, _BEFORE_ION = _letters("cdeghkmnrt"), _letters("l"), _letters("st")
_WX = _letters("wx")
_SMALL_A, _SMALL_E, _SMALL_I, _SMALL_Y = (np.uint32(ord(letter)) for letter in "aeiy")
_LARGE_Y, _APOSTROPHE = np.uint32(ord("Y")), np.uint32(ord("'"))


@jit
def porter2_stems(letters: Letters, offsets: NDArray[np.int64]) -> tuple[Letters, NDArray[np.int64]]:
    """Return the stems of lowercase words; word i is `letters[offsets[i]:offsets[i + 1]]`."""
    stems, ends = letters.copy(), np.zeros(len(offsets), np.int64)
    for row in range(len(offsets) - 1):
        start, n = ends[row], offsets[row + 1] - offsets[row]
        word = stems[start : start + n]
        for at in range(n):
            word[at] = letters[offsets[row] + at]
        ends[row + 1] = start + _stem(word)
    return stems[: ends[-1]], ends


@jit
def _stem(word: Letters) -> int:
    """Stem a word in place; return the length of the stem. One or two letters are their own stem."""
    n = len(word)
    whole = matching_word(word, n, _WHOLE)
    if whole >= 0:
        return replaced(word, n, _WHOLE, whole)
    if n <= 2:
        return n
    if word[0] == _APOSTROPHE:
        n -= 1
        for at in range(n):
            word[at] = word[at + 1]
    for at in range(n):
        if word[at] == _SMALL_Y and (at == 0 or _is_vowel(word[at - 1])):
            word[at] = _LARGE_Y
    first = _first_region(word, n)
    second = _after_vowel_and_consonant(word, n, first)
    rule = matching_rule(word, n, _POSSESSIVE)
    if rule >= 0:
        n = replaced(word, n, _POSSESSIVE, rule)
    n = _plural(word, n)
    if matching_word(word, n, _AFTER_PLURAL) >= 0:
        return n
    n = _past(word, n, first)
    if n > 2 and (word[n - 1] == _SMALL_Y or word[n - 1] == _LARGE_Y) and not _is_vowel(word[n - 2]):
        word[n - 1] = _SMALL_I
    n = _derived(word, n, first, second)
    n = _ending(word, n, first, second)
    for at in range(n):
        if word[at] == _LARGE_Y:
            word[at] = _SMALL_Y
    return n


@jit
def _first_region(word: Letters, n: int) -> int:
    """Where R1 starts."""
    for length in (5, 6):
        if n >= length and matching_word(word, length, _STARTS) >= 0:
            return length
    return _after_vowel_and_consonant(word, n, 0)


@jit
def _after_vowel_and_consonant(word: Letters, n: int, start: int) -> int:
    for at in range(start + 1, n):
        if not _is_vowel(word[at]) and _is_vowel(word[at - 1]):
            return at + 1
    return n


@jit
def _plural(word: Letters, n: int) -> int:
    rule = matching_rule(word, n, _PLURAL)
    if rule == 0:
        return n - 2
    if rule == 1 or rule == 2:
        return n - 2 if n > 4 else n - 1
    if rule == 5 and _has_vowel(word, n - 2):
        return n - 1
    return n


@jit
def _past(word: Letters, n: int, first: int) -> int:
    rule = matching_rule(word, n, _EED)
    if rule >= 0:
        return replaced(word, n, _EED, rule) if length_before(n, _EED, rule) >= first else n
    rule = matching_rule(word, n, _PAST)
    if rule < 0 or not _has_vowel(word, length_before(n, _PAST, rule)):
        return n
    # Restore the stem: luxuriat(ed) -> luxuriate, hopp(ed) -> hop, hop(ing) -> hope.
    n = length_before(n, _PAST, rule)
    rule = matching_rule(word, n, _RESTORED)
    if rule > 2:
        return n - 1
    if rule >= 0 or (n <= first and _ends_short(word, n)):
        word[n] = _SMALL_E
        n += 1
    return n


@jit
def _derived(word: Letters, n: int, first: int, second: int) -> int:
    rule = matching_rule(word, n, _STEP_2)
    if rule >= 0:
        if length_before(n, _STEP_2, rule) >= first:
            n = replaced(word, n, _STEP_2, rule)
    elif matching_rule(word, n, _OGI) >= 0:
        if n - 3 >= first and n > 3 and _is_among(word[n - 4], _BEFORE_OGI):
            n -= 1
    elif matching_rule(word, n, _LI) >= 0 and n - 2 >= first and n > 2 and _is_among(word[n - 3], _BEFORE_LI):
        n -= 2
    rule = matching_rule(word, n, _STEP_3)
    if rule >= 0:
        if length_before(n, _STEP_3, rule) >= first:
            n = replaced(word, n, _STEP_3, rule)
    elif matching_rule(word, n, _ATIVE) >= 0 and n - 5 >= second:
        n -= 5
    rule = matching_rule(word, n, _STEP_4)
    if rule >= 0:
        if length_before(n, _STEP_4, rule) >= second:
            n = replaced(word, n, _STEP_4, rule)
    elif matching_rule(word, n, _ION) >= 0 and n - 3 >= second and n > 3 and _is_among(word[n - 4], _BEFORE_ION):
        n -= 3
    return n


@jit
def _ending(word: Letters, n: int, first: int, second: int) -> int:
    if n and word[n - 1] == _SMALL_E:
        drops = n - 1 >= second or (n - 1 >= first and not _ends_short(word, n - 1))
    else:
        drops = matching_rule(word, n, _LL) >= 0 and n - 1 >= second
    return n - 1 if drops else n


@jit
def _is_among(letter: np.uint32, letters: int) -> bool:
    place = np.int64(letter) - np.int64(_SMALL_A)
    return bool(0 <= place < 26 and (letters >> place) & 1 == 1)


@jit
def _is_vowel(letter: np.uint32) -> bool:
    return _is_among(letter, _VOWELS)


@jit
def _has_vowel(word: Letters, n: int) -> bool:
    for at in range(n):
        if _is_vowel(word[at]):
            return True
    return False


@jit
def _ends_short(word: Letters, n: int) -> bool:
    """Whether the word ends consonant, vowel, consonant other than w, x and Y, or is a vowel and a consonant."""
    if n < 2 or not _is_vowel(word[n - 2]) or _is_vowel(word[n - 1]):
        return False
    is_open = _is_among(word[n - 1], _WX) or word[n - 1] == _LARGE_Y
    return bool(n == 2 or not (_is_vowel(word[n - 3]) or is_open))
