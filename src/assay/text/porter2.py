"""The English Snowball stemmer, known as Porter2 (Porter 2001), which METEOR 1.5 relies on.

R1 is what follows the first consonant after a vowel, R2 the same within R1. A `y` that acts as a consonant is
written `Y` meanwhile. Each step takes the longest suffix in its table that the word ends with, and replaces it if its
condition holds. Tests check that it agrees with nltk's.
"""

from __future__ import annotations

_WHOLE = {
    "skis": "ski",
    "skies": "sky",
    "dying": "die",
    "lying": "lie",
    "tying": "tie",
    "idly": "idl",
    "gently": "gentl",
    "ugly": "ugli",
    "early": "earli",
    "only": "onli",
    "singly": "singl",
    **{word: word for word in ("sky", "news", "howe", "atlas", "cosmos", "bias", "andes")},
}
_AFTER_PLURAL = frozenset(("inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed"))
_VOWELS = frozenset("aeiouy")
_DOUBLES = ("bb", "dd", "ff", "gg", "mm", "nn", "pp", "rr", "tt")
_STARTS = ("gener", "commun", "arsen")

_Table = tuple[tuple[str, str], ...]


def _table(rules: str) -> _Table:
    """Parse `suffix:replacement` rules, the longest suffix first."""
    pairs = [tuple(rule.split(":")) for rule in rules.split()]
    return tuple(sorted(((suffix, new) for suffix, new in pairs), key=lambda rule: -len(rule[0])))


_STEP_2 = _table(
    "tional:tion enci:ence anci:ance abli:able entli:ent izer:ize ization:ize ational:ate ation:ate ator:ate alism:al "
    "aliti:al alli:al fulness:ful ousli:ous ousness:ous iveness:ive iviti:ive biliti:ble bli:ble ogi:og fulli:ful "
    "lessli:less li:"
)
_STEP_3 = _table("tional:tion ational:ate alize:al icate:ic iciti:ic ical:ic ful: ness: ative:")
_STEP_4 = _table(
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ism: ate: iti: ous: ive: ize: ion:",
)


def stem(word: str) -> str:
    """Return the stem of a lowercase word. Words of one or two letters are their own stem."""
    if word in _WHOLE:
        return _WHOLE[word]
    if len(word) <= 2:
        return word
    word = _marked(word.removeprefix("'"))
    first, second = _regions(word)
    word = _plural(_possessive(word))
    if word in _AFTER_PLURAL:
        return word
    word = _final_y(_past(word, first))
    for table in (_STEP_2, _STEP_3, _STEP_4):
        word = _suffix(word, table, first, second)
    return _ending(word, first, second).replace("Y", "y")


def _marked(word: str) -> str:
    """Write a y as Y where it is a consonant: at the start, or after a vowel."""
    if "y" not in word:
        return word
    letters = list(word)
    for at, letter in enumerate(letters):
        if letter == "y" and (at == 0 or letters[at - 1] in _VOWELS):
            letters[at] = "Y"
    return "".join(letters)


def _regions(word: str) -> tuple[int, int]:
    """Return where R1 and R2 start."""
    first = next((len(start) for start in _STARTS if word.startswith(start)), None)
    if first is None:
        first = _after_vowel_and_consonant(word, 0)
    return first, _after_vowel_and_consonant(word, first)


def _after_vowel_and_consonant(word: str, start: int) -> int:
    for at in range(start + 1, len(word)):
        if word[at] not in _VOWELS and word[at - 1] in _VOWELS:
            return at + 1
    return len(word)


def _possessive(word: str) -> str:
    for suffix in ("'s'", "'s", "'"):
        if word.endswith(suffix):
            return word.removesuffix(suffix)
    return word


def _plural(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith(("ied", "ies")):
        return word[:-2] if len(word) > 4 else word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")) and _has_vowel(word[:-2]):
        return word[:-1]
    return word


def _past(word: str, first: int) -> str:
    for suffix in ("eedly", "eed"):
        if word.endswith(suffix):
            return word.removesuffix(suffix) + "ee" if len(word) - len(suffix) >= first else word
    for suffix in ("ingly", "edly", "ing", "ed"):
        if word.endswith(suffix):
            before = word.removesuffix(suffix)
            return _restored(before, first) if _has_vowel(before) else word
    return word


def _restored(word: str, first: int) -> str:
    """Restore the stem before -ed and -ing: luxuriat(ed) -> luxuriate, hopp(ed) -> hop, hop(ing) -> hope."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if word.endswith(_DOUBLES):
        return word[:-1]
    return word + "e" if len(word) <= first and _ends_short(word) else word


def _final_y(word: str) -> str:
    if len(word) > 2 and word[-1] in "yY" and word[-2] not in _VOWELS:
        return word[:-1] + "i"
    return word


def _suffix(word: str, table: _Table, first: int, second: int) -> str:
    for suffix, replacement in table:
        if word.endswith(suffix):
            before = word.removesuffix(suffix)
            return before + replacement if _applies(before, suffix, table, first, second) else word
    return word


def _applies(before: str, suffix: str, table: _Table, first: int, second: int) -> bool:
    if len(before) < (second if table is _STEP_4 or suffix == "ative" else first):
        return False
    allowed = {"ogi": "l", "li": "cdeghkmnrt", "ion": "st"}.get(suffix)
    return allowed is None or before.endswith(tuple(allowed))


def _ending(word: str, first: int, second: int) -> str:
    before = word[:-1]
    if word.endswith("e") and (len(before) >= second or (len(before) >= first and not _ends_short(before))):
        return before
    if word.endswith("ll") and len(before) >= second:
        return before
    return word


def _has_vowel(word: str) -> bool:
    return not _VOWELS.isdisjoint(word)


def _ends_short(word: str) -> bool:
    """Whether the word ends consonant, vowel, consonant other than w, x and Y, or is a vowel and a consonant."""
    if len(word) < 2 or word[-2] not in _VOWELS or word[-1] in _VOWELS:
        return False
    return len(word) == 2 or (word[-3] not in _VOWELS and word[-1] not in "wxY")
