"""Limit the nesting depth of lists and objects in files: real ones have a few levels, and Python fails at hundreds."""

from typing import Any


def is_deeper(value: Any, levels: int) -> bool:
    """Whether lists and objects are nested more than `levels` deep; iterative, not recursive."""
    level = [value] if type(value) in (dict, list) else []
    for _ in range(levels):
        if not level:
            return False
        level = [
            part
            for outer in level
            for part in (outer.values() if type(outer) is dict else outer)
            if type(part) is dict or type(part) is list
        ]
    return bool(level)
