"""Import an object by `package.module:name`."""

from importlib import import_module
from typing import Any


def load_named(path: str) -> Any:
    """Import an object; raises ImportError, AttributeError or ValueError."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
