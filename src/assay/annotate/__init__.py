"""Collecting human judgments: protocols, stores, assignment, export and the web application.

Every subcommand of `assay annotate` is a function here: `assay.annotate.init("outputs.jsonl", "typicality")`.
"""

from importlib import import_module
from typing import Any

# Every function and the module it comes from; nothing is imported before it is used.
FUNCTIONS = {
    "backup": "custody",
    "check": "estimates",
    "export": "exporting",
    "forget": "custody",
    "init": "proposal",
    "pay": "standing",
    "restore": "custody",
    "serve": "serving",
    "simulate": "rehearsal",
    "status": "standing",
    "verify": "custody",
}


def __getattr__(name: str) -> Any:
    if name not in FUNCTIONS:
        raise AttributeError(f"module 'assay.annotate' has no attribute {name!r}")
    return getattr(import_module(f"assay.annotate.{FUNCTIONS[name]}"), name)
