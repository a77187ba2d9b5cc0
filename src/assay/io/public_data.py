"""The datasets of the catalogue: what there is, where it is, and whether it is whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any, overload

from assay.io import catalogue
from assay.io.catalogue_check import FileCheck, check
from assay.io.download import fetch


@overload
def data(name: None = None) -> list[dict[str, Any]]: ...


@overload
def data(name: str, *, get: bool = False) -> Path: ...


def data(name: str | None = None, *, get: bool = False) -> list[dict[str, Any]] | Path:
    """List the datasets of the catalogue or, with a name, return the path of one.

    Nothing is downloaded unless `get` says so; a dataset that is here is not downloaded again.
    """
    if name is None:
        return [described(one) for one in catalogue.entries()]
    listed = catalogue.entry(name)
    if get and not listed.file.is_file():
        fetch(listed)
    return listed.existing_file()


def check_data(*names: str) -> list[FileCheck]:
    """Verify the columns and counts of the named datasets, by default of all."""
    return [check(one) for one in (map(catalogue.entry, names) if names else catalogue.entries().values())]


def described(name: str) -> dict[str, Any]:
    """What the catalogue says of a dataset, and whether it is on this computer."""
    dataset = catalogue.entry(name)
    return {
        "name": name,
        "about": dataset.about,
        "cite": dataset.cite,
        "here": dataset.file.is_file(),
        "path": str(dataset.file),
        "url": dataset.url,
        "page": dataset.page,
        "sha256": dataset.sha256 or None,
        "terms": dataset.terms,
        "format": dataset.format,
    }
