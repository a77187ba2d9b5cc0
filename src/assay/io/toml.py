"""User TOML files, studies and mappings: any problem is a plain error."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

from assay.errors import DataError
from assay.io.nesting import is_deeper

MOST_LEVELS = 50


def parse_toml(text: str, name: str) -> dict[str, Any]:
    """Parse TOML; `name` identifies it in messages."""
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise DataError(f"{name}: not TOML: {error}.") from None
    except ValueError as error:  # such as an integer with thousands of digits
        raise DataError(f"{name}: not usable as TOML: {error}.") from None
    except RecursionError:
        raise _too_deep(name) from None
    if is_deeper(content, MOST_LEVELS):
        raise _too_deep(name)
    return content


def toml_value(value: Any) -> str:
    """A string, number or boolean in TOML: JSON with all control characters escaped."""
    return re.sub("[\x7f-\x9f]", lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def _too_deep(name: str) -> DataError:
    return DataError(f"{name}: nested more than {MOST_LEVELS} levels deep. Write it flatter.")
