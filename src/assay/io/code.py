"""What code a number was made by: a hash of assay's own files, and of the packages that extend it."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Iterable
from functools import cache
from hashlib import blake2b
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from pathlib import Path

import assay

# What numbers are computed with besides assay itself: another version may round, or split a text, in another way.
COMPUTED_WITH = ("numba", "numpy", "sacrebleu", "scikit-learn", "scipy", "torch", "transformers")


@cache
def code_fingerprint() -> str:
    """A hash of assay's own code: what other code computed is not taken for its own, whatever the version says.

    The versions of the packages that numbers are computed with are part of it.
    """
    folder = Path(assay.__file__).parent
    files = _hash_of_files(path for path in sorted(folder.rglob("*")) if path.suffix in (".py", ".toml"))
    versions = "\0".join(map(_version, COMPUTED_WITH))
    return blake2b(f"{files}\0{versions}".encode(), digest_size=8).hexdigest()


def plugin_fingerprint(*groups: str) -> str:
    """A hash of all that other packages register under these groups: names, versions and the packages' code."""
    digest = blake2b(digest_size=8)
    points = [point for group in groups for point in entry_points(group=group)]
    for point in sorted(points, key=lambda point: (point.group, point.name, point.value)):
        digest.update(f"\0{point.group}\0{point.name}\0{point_fingerprint(point)}".encode())
    return digest.hexdigest()


def point_fingerprint(point: EntryPoint) -> str:
    """A hash of what another package registers: where it is, the package's version and its code."""
    made = f"{point.dist.name}:{point.dist.version}" if point.dist else ""
    return f"{point.value}\0{made}\0{_hash_of_files(_files_of(point.module))}"


@cache
def module_fingerprint(name: str) -> str | None:
    """A text that changes with the code of a module of Python, of assay, or of an installed package; None of others.

    An installed package is known by its version, or by its files where it states none. What lies elsewhere, in a
    project's own folder, may be changed at any moment.
    """
    top = name.partition(".")[0]
    if top == "assay":
        return code_fingerprint()
    if top == "__main__":  # whoever started, what a user types belongs to it
        return None
    module = sys.modules.get(top)
    origin = getattr(module, "__file__", None)
    if top in sys.stdlib_module_names and _is_in(origin, ("stdlib", "platstdlib")):
        return sys.version
    if not origin or not _is_in(origin, ("purelib", "platlib")):
        return None
    return str(getattr(module, "__version__", "")) or _hash_of_files(_files_of(top))


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _is_in(origin: str | None, kinds: Iterable[str]) -> bool:
    """Say whether a module's file lies in one of Python's folders; modules without a file are built into it."""
    return origin is None or any(Path(origin).is_relative_to(sysconfig.get_path(kind)) for kind in kinds)


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
