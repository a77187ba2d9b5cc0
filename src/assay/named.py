"""Import what a `package.module:name` stands for."""

from importlib import import_module
from typing import Any


def load_named(path: str) -> Any:
    """Import the module and return what it calls `name`; ImportError, AttributeError or ValueError if it cannot be."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
