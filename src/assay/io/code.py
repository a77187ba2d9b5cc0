"""Fingerprints of the code behind a number: assay's own files, and the packages that extend it."""

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

# Packages that affect numbers: another version may round or tokenize differently.
COMPUTED_WITH = (
    "gguf",
    "numba",
    "numpy",
    "sacrebleu",
    "scikit-learn",
    "scipy",
    "tokenizers",
    "torch",
    "transformers",
    "xgboost",
    "xgboost-cpu",
)


@cache
def code_fingerprint() -> str:
    """A hash of assay's own code and of the versions of the packages in `COMPUTED_WITH`.

    Results of different code never count as cache hits, whatever the version number.
    """
    folder = Path(assay.__file__).parent
    files = _hash_of_files(path for path in sorted(folder.rglob("*")) if path.suffix in (".py", ".toml"))
    versions = "\0".join(map(_version, COMPUTED_WITH))
    return blake2b(f"{files}\0{versions}".encode(), digest_size=8).hexdigest()


@cache
def part_fingerprint(*folders: str) -> str:
    """The same of some folders of assay alone, for what is too dear to be computed again after any change."""
    root = Path(assay.__file__).parent
    files = _hash_of_files(path for folder in folders for path in sorted((root / folder).rglob("*.py")))
    versions = "\0".join(map(_version, COMPUTED_WITH))
    return blake2b(f"{files}\0{versions}".encode(), digest_size=8).hexdigest()


def plugin_fingerprint(*groups: str) -> str:
    """A hash of everything that plugins register under these groups: names, versions and code."""
    digest = blake2b(digest_size=8)
    points = [point for group in groups for point in entry_points(group=group)]
    for point in sorted(points, key=lambda point: (point.group, point.name, point.value)):
        digest.update(f"\0{point.group}\0{point.name}\0{point_fingerprint(point)}".encode())
    return digest.hexdigest()


def point_fingerprint(point: EntryPoint) -> str:
    """A fingerprint of one entry point: its location, and the version and code of its package."""
    distribution = f"{point.dist.name}:{point.dist.version}" if point.dist else ""
    return f"{point.value}\0{distribution}\0{_hash_of_files(_files_of(point.module))}"


@cache
def module_fingerprint(name: str) -> str | None:
    """A fingerprint of a module of Python, of assay, or of an installed package; None for any other.

    An installed package is identified by its version, or by its files if it has none. A module elsewhere, such as in
    the user's project, may change at any moment.
    """
    top = name.partition(".")[0]
    if top == "assay":
        return code_fingerprint()
    if top == "__main__":  # the user's code, whatever script started it
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
    """Whether a module's file is in one of Python's folders; modules without a file are built in."""
    return origin is None or any(Path(origin).is_relative_to(sysconfig.get_path(kind)) for kind in kinds)


def _files_of(module: str) -> list[Path]:
    """The code files of the package that contains a module, without importing it; empty if not installed."""
    name = ""
    for part in module.split("."):
        name = f"{name}.{part}".removeprefix(".")
        try:
            spec = find_spec(name)
        except (ImportError, ValueError):
            return []
        if spec is None:
            return []
        # A namespace package has no location, and its other portions belong to other packages.
        if spec.has_location and spec.origin:
            return sorted(Path(spec.origin).parent.rglob("*.py")) if spec.parent == name else [Path(spec.origin)]
    return []


def _hash_of_files(paths: Iterable[Path]) -> str:
    digest = blake2b(digest_size=8)
    for path in paths:
        digest.update(f"\0{path.name}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
