"""Load networks and tokenizers from model folders with transformers, without running their code.

A folder may contain Python files (`auto_map`), which transformers would run after a prompt on the terminal. Here remote
code is never trusted, so it neither asks nor runs it; weights are read from safetensors, or by torch with
`weights_only`. A folder that cannot be loaded is one error, not a gap per text.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from assay.errors import DataError, MissingExtra, pass_on_interrupt

UNUSED = "pooler."
"""Weights that many encoders are saved without, and that are not used here."""


def load_network(kind: str, folder: Path) -> Any:
    """Return the network of a folder, in evaluation mode; `kind` is a transformers Auto class."""
    network, report = _load(kind, folder, weights_only=True, output_loading_info=True)
    missing = sorted(key for key in report["missing_keys"] if not key.startswith(UNUSED) and f".{UNUSED}" not in key)
    if missing:
        raise DataError(
            f"{folder}: the model cannot be used: {len(missing)} of its weights are not in the folder, such as "
            f"{missing[0]!r}, and would be random numbers. Use a folder with the complete model."
        )
    return network.float().eval()


def load_tokenizer(folder: Path) -> Any:
    """Return the tokenizer of a folder."""
    return _load("AutoTokenizer", folder)


def _load(kind: str, folder: Path, **options: Any) -> Any:
    loader = getattr(load_transformers(), kind)
    try:
        return loader.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
    except Exception as error:
        pass_on_interrupt(error)
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        if "trust_remote_code" in str(error):
            reason = "it needs the Python code in the folder, and a model's code is never run"
        raise DataError(f"{folder}: the model cannot be loaded: {reason}") from error


@cache
def load_transformers() -> Any:
    """Import transformers, offline, quiet and without busy-waiting threads."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # no busy-waiting
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise MissingExtra("A neural model", error.name or "torch", "neural") from error
    logging: Any = transformers.utils.logging
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    return transformers
