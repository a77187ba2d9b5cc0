"""The words of METEOR 1.5: its normalization of English text, with punctuation kept (Denkowski & Lavie 2014).

Like the tokenizer of Moses, with quotes and dashes unified, hyphenated words split, and the dots of abbreviations
dropped. All texts go through each rule together, a line each with a space on both sides, so that no rule reaches from
one to the next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np

from assay.kernels.ragged import Ragged
from assay.text.normalizers import lower
from assay.text.plain import whitespace
from assay.text.strings import Strings
from assay.text.tokens import Tokens, blocks

_ALPHA = "A-Za-zŠŽšžŸÀ-ÖØ-öø-žЀ-ӿԀ-ԧꙀ-ꙮ꙾-ꚗᴀ-ᵿ"
_ALNUM = f"0-9{_ALPHA}"
_SPACES = bytes.maketrans(b"\t\n\r\f", b"    ")


def _between(mark: str, before: str, after: str) -> re.Pattern[str]:
    """Match a mark between two characters, both consumed, so that `a,b,c` has one such comma.

    Searching for the mark first is much faster; the one that may follow has no character left before it.
    """
    return re.compile(f"{mark}(?<=[{before}]{mark})([{after}]{mark}?)")


_OTHER = re.compile(f"([^{_ALNUM} \\n\\x0b.'`,\\-‘’])")
_DOTS = re.compile(r"\.(\.+)")
_LAST_DOT = re.compile(r"DOTMULTI\.([^.])")
_COMMAS = (_between(",", "^0-9", "^0-9"), _between(",", "0-9", "^0-9"), _between(",", "^0-9", "0-9"))
_DOUBLE_QUOTE = re.compile("[“”]|''")
_HYPHEN = _between("-", f"{_ALNUM}.", _ALNUM)
_APOSTROPHES = (
    (_between("'", f"^{_ALPHA}", f"^{_ALPHA}"), r" ' \1"),
    (_between("'", f"^{_ALNUM}", _ALPHA), r" ' \1"),
    (_between("'", _ALPHA, f"^{_ALPHA}"), r" ' \1"),
    (_between("'", _ALPHA, _ALPHA), r" '\1"),
    (_between("'", "0-9", "s"), r" '\1"),
)
_LAST_OF_WORD = re.compile(r"\.(?=([ \n]) *([^ \n]?))")
_LETTER = re.compile(f"[{_ALPHA}]")

Prefixes = Mapping[str, bool]
"""Abbreviations that keep their dot, and whether only before a number."""


def meteor_words(texts: Strings, prefixes: Prefixes) -> Tokens:
    """Return the lowercase words of METEOR 1.5; a line break counts as a space."""
    codes, distinct = texts.factorize()
    tokens = whitespace(Strings.concatenate([lower(_normalized(block, prefixes)) for block in blocks(distinct)]))
    words = Ragged(tokens.ids, tokens.offsets).take(codes)
    return Tokens(words.values, words.offsets, tokens.vocabulary)


def _normalized(texts: Strings, prefixes: Prefixes) -> Strings:
    lines = _OTHER.sub(r" \1 ", _lines(texts))
    lines = _escaped_dots(lines)
    for comma in _COMMAS:
        lines = comma.sub(r" , \1", lines)
    for quote in "`‘’":
        lines = lines.replace(quote, "'")
    lines = _DOUBLE_QUOTE.sub(' " ', lines)
    lines = lines.replace("–", "-").replace("--", "-")
    lines = _HYPHEN.sub(r" \1", lines)
    for apostrophe, replacement in _APOSTROPHES:
        lines = apostrophe.sub(replacement, lines)
    lines = "".join(_dots_split(lines, prefixes))
    while "DOTDOTMULTI" in lines:
        lines = lines.replace("DOTDOTMULTI", "DOTMULTI.")
    return _by_line(lines.replace("DOTMULTI", "."))


def _lines(texts: Strings) -> str:
    """A line for each text."""
    places = texts.offsets[:-1] + 1 + 3 * np.arange(len(texts))
    data = np.full(len(texts.packed) + 3 * len(texts), ord(" "), np.uint8)
    texts.copy_to(data, places)
    lines = np.frombuffer(bytearray(data.tobytes().translate(_SPACES)), np.uint8)
    lines[places + texts.lengths + 1] = ord("\n")
    return lines.tobytes().decode("utf-8")


def _escaped_dots(lines: str) -> str:
    """Spell out runs of dots, which no later rule may split."""
    lines = _DOTS.sub(r" DOTMULTI\1", lines)
    while "DOTMULTI." in lines:
        lines = _LAST_DOT.sub(r"DOTDOTMULTI \1", lines).replace("DOTMULTI.", "DOTDOTMULTI")
    return lines


def _dots_split(lines: str, prefixes: Prefixes) -> Iterator[str]:
    """Yield the lines in pieces, the dots at the ends of words split off."""
    done = 0
    for match in _LAST_OF_WORD.finditer(lines):
        end = match.start()
        start = lines.rfind(" ", done, end) + 1
        if start < end:
            following = match[2] if match[1] == " " else ""
            yield lines[done:start]
            yield _without_dot(lines[start:end], following, prefixes)
            done = end + 1
    yield lines[done:]


def _without_dot(word: str, following: str, prefixes: Prefixes) -> str:
    """Split the dot off the word before it unless it belongs to an abbreviation; U.S. becomes US."""
    if "." in word and _LETTER.search(word):
        return word.replace(".", "")
    only_before_number = prefixes.get(word)
    if only_before_number is False or "a" <= following <= "z":
        return f"{word}."
    if only_before_number and "0" <= following <= "9":
        return f"{word}."
    return f"{word} ."


def _by_line(lines: str) -> Strings:
    data = np.frombuffer(bytearray(lines, "utf-8"), np.uint8)
    ends = np.flatnonzero(data == ord("\n")) + 1
    return Strings(data, np.concatenate([np.zeros(1, np.int64), ends]))
