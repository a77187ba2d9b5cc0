"""Opening the networks and tokenizers of model folders with transformers: weights are read, code never run.

A folder may name Python files of its own (`auto_map`), which transformers would run after a question on the
terminal. Here it is told that they are not trusted, so it neither asks nor runs them; weights are read from safetensors
or by torch's reader of plain tensors. What cannot be opened is one error, not a gap for every text.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from assay.errors import DataError, MissingExtra, pass_on_interrupt

UNUSED = "pooler."
"""Weights that many encoders are saved without and that no vector here depends on."""


def load_network(kind: str, folder: Path) -> Any:
    """Return the network of a folder, ready to be used, as one of the Auto classes of transformers."""
    network, report = _opened(kind, folder, weights_only=True, output_loading_info=True)
    made_up = sorted(key for key in report["missing_keys"] if not key.startswith(UNUSED) and f".{UNUSED}" not in key)
    if made_up:
        raise DataError(
            f"{folder}: the model cannot be used: {len(made_up)} of its weights are not in the folder, such as "
            f"{made_up[0]!r}, and would be random numbers. Give a folder that holds the whole model."
        )
    return network.float().eval()


def load_tokenizer(folder: Path) -> Any:
    """Return the tokenizer of a folder."""
    return _opened("AutoTokenizer", folder)


def _opened(kind: str, folder: Path, **options: Any) -> Any:
    loader = getattr(load_transformers(), kind)
    try:
        return loader.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
    except Exception as error:
        pass_on_interrupt(error)
        why = " ".join(str(error).split())[:300] or type(error).__name__
        if "trust_remote_code" in str(error):
            why = "it needs Python code that lies in the folder, and code of a model is never run"
        raise DataError(f"{folder}: the model cannot be loaded: {why}") from error


@cache
def load_transformers() -> Any:
    """Import transformers so that it neither downloads, nor talks, nor spins."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # threads that wait must not keep a busy machine busier
    try:
        import torch  # noqa: F401
        import transformers
    except ImportError as error:
        raise MissingExtra("An embedding model", error.name or "torch", "neural") from error
    logging: Any = transformers.utils.logging
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    return transformers
