"""What code a number was made by: a hash of assay's own files, and one of the packages that extend it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path

import assay


@cache
def code_fingerprint() -> str:
    """A hash of assay's own code: what other code computed is not taken for its own, whatever the version says."""
    folder = Path(assay.__file__).parent
    return _hash_of_files(path for path in sorted(folder.rglob("*")) if path.suffix in (".py", ".toml"))


def plugin_fingerprint(*groups: str) -> str:
    """A hash of all that other packages register under these groups: names, versions and the packages' code."""
    digest = blake2b(digest_size=8)
    points = [point for group in groups for point in entry_points(group=group)]
    for point in sorted(points, key=lambda point: (point.group, point.name, point.value)):
        made = f"{point.dist.name}:{point.dist.version}" if point.dist else ""
        digest.update(f"\0{point.group}\0{point.name}\0{point.value}\0{made}\0".encode())
        digest.update(_hash_of_files(_files_of(point.module)).encode())
    return digest.hexdigest()


def _files_of(module: str) -> list[Path]:
    """The code of the package that a module is in. Nothing of it is run; where it is absent there are no files."""
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}".removeprefix(".")
        try:
            found = find_spec(name)
        except (ImportError, ValueError):
            return []
        if found is None:
            return []
        # A namespace package is nowhere itself, and its other parts belong to other packages.
        if found.has_location and found.origin:
            return sorted(Path(found.origin).parent.rglob("*.py")) if found.parent == name else [Path(found.origin)]
    return []


def _hash_of_files(paths: Iterable[Path]) -> str:
    digest = blake2b(digest_size=8)
    for path in paths:
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
