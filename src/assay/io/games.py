"""Lexicon games typed in TOML."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay.errors import DataError, did_you_mean
from assay.io.paths import existing, text_of
from assay.io.toml import parse_toml
from assay.records.games import Game

KEYS: dict[str, tuple[type | tuple[type, ...], str]] = {
    "title": (str, "a text"),
    "meanings": (list, "a list of texts"),
    "lexicon": (dict, "a table with a line per utterance"),
    "prior": (dict, "a table with a weight for every meaning"),
    "cost": (dict, "a table with the cost of utterances"),
    "rationality": ((int, float), "a number above 0, or inf"),
    "depth": (int, "a whole number"),
    "utility": (str, "'log' or 'probability'"),
}


def load_game(path: str | Path) -> Game:
    """Read a game from a TOML file with a table `[lexicon]`."""
    path = existing(path)
    content = parse_toml(text_of(path), str(path))
    _check_keys(content, str(path))
    return Game.of(**content, source=str(path))


def _check_keys(content: Mapping[str, Any], source: str) -> None:
    problems = [f"{source}: no key {key!r}.{did_you_mean(key, KEYS)}" for key in content if key not in KEYS]
    for key, (kind, what) in KEYS.items():
        if key in content and (not isinstance(content[key], kind) or isinstance(content[key], bool)):
            problems.append(f"{source}: {key!r} is {content[key]!r}. Give {what}.")
    if "lexicon" not in content:
        problems.append(f'{source}: no table [lexicon]. Write a line per utterance: some = ["a", "b"].')
    if not problems and any(not isinstance(meaning, str) for meaning in content.get("meanings", ())):
        problems.append(f"{source}: 'meanings' is a list of texts.")
    if problems:
        raise DataError(problems)
