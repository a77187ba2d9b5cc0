"""Odd values and broken bytes, drawn with a seeded generator."""

from __future__ import annotations

import json
from random import Random
from typing import Any

TEXTS = [
    *("", " ", "a", "word", "two words", "naïve", "日本語", "😀", "e\u0301", "\u202eabc", "\ufeffx", "\u2028", "\x85"),
    *("a\nb", "a\r\nb", "a\rb", "\r", "\t", "a\tb", "\x00", "a\x00b", "\x1b[31mred\x1b[0m", "\x07", "\x7f", "\x9b"),
    *(",", ";", '"', '""', "'", "|", "\\", "\\n", "{}", "[]", "[1]", '{"a": 1}', '"1"', '"a"', "=1+1", "@x", "-", "#"),
    *("1", "01", "1.10", "1.0", "-0", "-0.0", "+1", "1e3", "1e999", ".5", "5.", "1_000", "0x10", "１", "٣"),
    *("1234567890123456789", "9007199254740993", "0.1000000000000000055511151231257827", "1" * 400, "9" * 5000),
    *("NA", "N/A", "None", "nan", "NaN", "null", "inf", "-inf", "Infinity", "true", "false", "True", "yes"),
    *("../../x", "/etc/passwd", "a/b", "~", "~nobody", "%s", "{i}", "{0}", "$HOME", "<b>", "&amp;", "a" * 3000),
]
# Texts with half characters, which only some places can hold.
HALVES = ["\ud800", "a\udfffb", "\udc80"]
NUMBERS: list[Any] = [
    *(0, 1, -1, 2, 3.5, -0.0, 0.1, 1e-320, 1e308, -1e308, 10**20, 2**53, 2**53 + 1, -(2**53) - 1, 2**63, 2**64),
    *(10**400, float("inf"), float("-inf"), float("nan")),
]
SPLINTERS = [
    *(b'"', b'""', b",", b"\n", b"\r", b"\t", b"{", b"}", b"[", b"]", b":", b"\\", b"\x00", b"\xff", b"\xef\xbb\xbf"),
    *(b"null", b"NaN", b"Infinity", b"-inf", b"1e999", b"1" * 400, b"-1", b"true", b"[[]]", b"[null]", b'{"a": 1}'),
    *(b"\\ud800", b"\\u0000", b"\xed\xa0\x80", b"\xc3", b"\xf0\x9f", b"=", b"'''", b'"""', b"#", b".", b"\x1b[2J"),
    *(b"[" * 2000, b"{" * 50, b'[{"a":' * 300, b"(" * 300),
]


def text(rng: Random, *, halves: float = 0.0) -> str:
    """A text: mostly one that hurts, sometimes characters at random."""
    if rng.random() < halves:
        return rng.choice(HALVES)
    if rng.random() < 0.8:
        return rng.choice(TEXTS)
    return "".join(chr(_code(rng)) for _ in range(rng.randrange(1, 8)))


def value(rng: Random, depth: int = 0) -> Any:
    """A JSON value of any type."""
    kind = rng.random()
    if kind < 0.35:
        return text(rng, halves=0.03)
    if kind < 0.6:
        return rng.choice(NUMBERS)
    if kind < 0.75 or depth > 3:
        return rng.choice([None, True, False])
    if kind < 0.76:
        return nested(rng.choice([5, 99, 101, 300]))
    if kind < 0.88:
        return [value(rng, depth + 1) for _ in range(rng.randrange(4))]
    return {text(rng): value(rng, depth + 1) for _ in range(rng.randrange(4))}


def nested(depth: int) -> Any:
    found: Any = 1
    for level in range(depth):
        found = [found] if level % 2 else {"a": found}
    return found


def as_json(given: Any, rng: Random) -> str:
    """JSON as other programs may write it: escaped or not, and sometimes with a key twice."""
    written = json.dumps(given, ensure_ascii=rng.random() < 0.5 or not _is_utf8(given))
    if rng.random() < 0.02 and written.startswith('{"'):
        written = written[:-1] + ', "text": "again"}'
    return written


def broken(content: bytes, rng: Random) -> bytes:
    """The same bytes with a few of them changed, cut out or put in."""
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(content) + 1)
        how = rng.random()
        if how < 0.4:
            content = content[:at] + rng.choice(SPLINTERS) + content[at + rng.randrange(4) :]
        elif how < 0.6:
            content = content[:at] + bytes([rng.randrange(256)]) + content[at + 1 :]
        elif how < 0.75:
            content = content[:at]
        elif how < 0.9:
            content = content[:at] + content[at + rng.randrange(1, 40) :]
        else:
            start = rng.randrange(len(content) + 1)
            content = content[:at] + content[start : start + 60] + content[at:]
    return content


def _code(rng: Random) -> int:
    while True:
        code = rng.choice([rng.randrange(128), rng.randrange(0x300), rng.randrange(0x10000), rng.randrange(0x110000)])
        if not 0xD800 <= code <= 0xDFFF:
            return code


def _is_utf8(given: Any) -> bool:
    try:
        json.dumps(given, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError):
        return False
    return True
