"""The Porter stemmer (Porter 1980) with nltk's default extensions, which ROUGE and METEOR rely on.

A word is a sequence of consonants c and vowels v; its measure m is the number of times a vowel is followed by a
consonant. Each step takes the first suffix in its table that the word ends with, and replaces it if the condition on
the stem holds. No step makes a word longer.
"""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.bytes.suffixes import Letters, length_before, matching_rule, matching_word, replaced, rules
from assay.kernels.jit import jit

_IRREGULAR = rules(
    "sky:sky skies:sky dying:die lying:lie tying:tie news:news innings:inning inning:inning outings:outing "
    "outing:outing cannings:canning canning:canning howe:howe proceed:proceed exceed:exceed succeed:succeed"
)
_PLURAL = rules("sses:ss ies:i ss:ss s:")
_EED = rules("ied:i eed:ee")
_PAST = rules("ed: ing:")
_RESTORED = rules("at: bl: iz:")
_ALLI, _LOGI, _ION, _LL = rules("alli:al"), rules("logi:log"), rules("ion:"), rules("ll:l")
_STEP_2 = rules(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
    "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful"
)
_STEP_3 = rules("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
_STEP_4 = rules("al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ou: ism: ate: iti: ous: ive: ize:")
_A, _E, _I, _L, _O, _S, _T, _U, _W, _X, _Y, _Z = (np.uint32(ord(letter)) for letter in "aeilostuwxyz")


@jit
def porter_stems(
    letters: Letters, offsets: NDArray[np.int64], is_stemmed: NDArray[np.bool_]
) -> tuple[Letters, NDArray[np.int64]]:
    """Return the stems of lowercase words; word i is `letters[offsets[i]:offsets[i + 1]]`."""
    stems, ends = letters.copy(), np.zeros(len(offsets), np.int64)
    for row in range(len(offsets) - 1):
        start, n = ends[row], offsets[row + 1] - offsets[row]
        word = stems[start : start + n]
        for at in range(n):
            word[at] = letters[offsets[row] + at]
        ends[row + 1] = start + (_stem(word) if is_stemmed[row] else n)
    return stems[: ends[-1]], ends


@jit
def _stem(word: Letters) -> int:
    """Stem a word in place; return the length of the stem."""
    n = len(word)
    irregular = matching_word(word, n, _IRREGULAR)
    if irregular >= 0:
        return replaced(word, n, _IRREGULAR, irregular)
    n = _plural(word, n)
    n = _past(word, n)
    if n > 2 and word[n - 1] == _Y and _is_consonant(word, n - 2):
        word[n - 1] = _I
    n = _long_suffix(word, n)
    rule = matching_rule(word, n, _STEP_3)
    if rule >= 0 and _measure(word, length_before(n, _STEP_3, rule)) > 0:
        n = replaced(word, n, _STEP_3, rule)
    n = _last_suffix(word, n)
    if n and word[n - 1] == _E:
        measure = _measure(word, n - 1)
        if measure > 1 or (measure == 1 and not _ends_short(word, n - 1)):
            n -= 1
    if matching_rule(word, n, _LL) >= 0 and _measure(word, n - 1) > 1:
        n -= 1
    return n


@jit
def _plural(word: Letters, n: int) -> int:
    rule = matching_rule(word, n, _PLURAL)
    if rule == 1 and n == 4:  # dies -> die
        return n - 1
    return replaced(word, n, _PLURAL, rule) if rule >= 0 else n


@jit
def _past(word: Letters, n: int) -> int:
    rule = matching_rule(word, n, _EED)
    if rule == 0:
        return n - 1 if n == 4 else n - 2  # died -> die, cried -> cri
    if rule == 1:
        return n - 1 if _measure(word, n - 3) > 0 else n
    rule = matching_rule(word, n, _PAST)
    if rule >= 0 and _has_vowel(word, length_before(n, _PAST, rule)):
        return _restored(word, length_before(n, _PAST, rule))
    return n


@jit
def _restored(word: Letters, n: int) -> int:
    """Restore the stem before -ed and -ing: conflat(ed) -> conflate, hopp(ing) -> hop, fil(ing) -> file."""
    if matching_rule(word, n, _RESTORED) < 0:
        if n >= 2 and word[n - 1] == word[n - 2] and _is_consonant(word, n - 1):
            last = word[n - 1]
            return n if last == _L or last == _S or last == _Z else n - 1
        if _measure(word, n) != 1 or not _ends_short(word, n):
            return n
    word[n] = _E
    return n + 1


@jit
def _long_suffix(word: Letters, n: int) -> int:
    while matching_rule(word, n, _ALLI) >= 0 and _measure(word, n - 4) > 0:
        n -= 2
    if matching_rule(word, n, _LOGI) >= 0:
        # The l counts as part of the stem, so that short stems such as geo- work like archaeo-.
        return n - 1 if _measure(word, n - 3) > 0 else n
    rule = matching_rule(word, n, _STEP_2)
    if rule >= 0 and _measure(word, length_before(n, _STEP_2, rule)) > 0:
        return replaced(word, n, _STEP_2, rule)
    return n


@jit
def _last_suffix(word: Letters, n: int) -> int:
    if matching_rule(word, n, _ION) >= 0:
        return n - 3 if _measure(word, n - 3) > 1 and (word[n - 4] == _S or word[n - 4] == _T) else n
    rule = matching_rule(word, n, _STEP_4)
    if rule >= 0 and _measure(word, length_before(n, _STEP_4, rule)) > 1:
        return replaced(word, n, _STEP_4, rule)
    return n


@jit
def _is_consonant(word: Letters, at: int) -> bool:
    """Whether a letter is a consonant; y is one unless it follows one."""
    n_y = 0
    while word[at] == _Y and at > 0:
        n_y += 1
        at -= 1
    letter = word[at]
    is_vowel = letter == _A or letter == _E or letter == _I or letter == _O or letter == _U
    return bool(is_vowel == (n_y % 2 == 1))


@jit
def _measure(word: Letters, n: int) -> int:
    measure, before = 0, True
    for at in range(n):
        letter = word[at]
        if letter == _Y:
            here = at == 0 or not before
        else:
            here = not (letter == _A or letter == _E or letter == _I or letter == _O or letter == _U)
        if here and not before:
            measure += 1
        before = here
    return measure


@jit
def _has_vowel(word: Letters, n: int) -> bool:
    for at in range(n):
        if not _is_consonant(word, at):
            return True
    return False


@jit
def _ends_short(word: Letters, n: int) -> bool:
    """Whether the word ends consonant-vowel-consonant, the last not w, x or y, or is just vc."""
    if n < 2 or _is_consonant(word, n - 2) or not _is_consonant(word, n - 1):
        return False
    if n == 2:
        return True
    last = word[n - 1]
    return bool(_is_consonant(word, n - 3) and last != _W and last != _X and last != _Y)
