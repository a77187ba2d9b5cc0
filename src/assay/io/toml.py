"""TOML files of users: study files and mappings. Whatever is wrong with one is a plain error."""

from __future__ import annotations

import tomllib
from typing import Any

from assay.errors import DataError

# Nothing that is read here nests more than a few levels deep; Python gives up at some hundreds.
MOST_LEVELS = 50


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """Read TOML; `name` is what messages call it."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{name}: not TOML: {error}.") from None
    except ValueError as error:  # such as a whole number of thousands of digits
        raise DataError(f"{name}: not usable as TOML: {error}.") from None
    except RecursionError:
        raise _too_deep(name) from None
    level: list[Any] = [content]
    for _ in range(MOST_LEVELS):
        level = [part for value in level for part in _parts(value)]
    if level:
        raise _too_deep(name)
    return content


def _parts(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


def _too_deep(name: str) -> DataError:
    return DataError(f"{name}: nested more than {MOST_LEVELS} levels deep. Write it flatter.")
