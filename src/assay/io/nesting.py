"""How deep lists and objects of a file may be nested: real ones take a few levels, and Python gives up at hundreds."""

from typing import Any


def is_deeper(value: Any, levels: int) -> bool:
    """Say whether lists and objects stand inside each other on more than so many levels. This does not recurse."""
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
