"""The catalogue of public datasets: what each is, where its authors publish it, and its local path."""

from __future__ import annotations

import os
import tomllib
from dataclasses import dataclass
from functools import cache
from hashlib import file_digest
from pathlib import Path

from assay.errors import DataError, did_you_mean

PREFIX = "data:"


@dataclass(frozen=True)
class Entry:
    """One dataset of the catalogue. An empty string or -1 means unknown; `beside` is the URL of a second file."""

    name: str
    about: str
    cite: str
    path: str
    page: str
    terms: str
    format: str
    columns: tuple[str, ...]
    url: str
    member: str = ""
    mapping: str = ""
    sha256: str = ""
    beside: str = ""
    outputs: int = -1
    judgments: int = -1

    @property
    def file(self) -> Path:
        """The local path, whether or not the file exists."""
        return data_folder() / self.path

    @property
    def hash_file(self) -> Path:
        """The SHA-256 of a downloaded file, in sha256sum format."""
        return self.file.with_name(f"{self.file.name}.sha256")

    def existing_file(self) -> Path:
        """The local path; an error if the file is absent, or no longer matches the download."""
        if not self.file.is_file():
            raise DataError(f"{PREFIX}{self.name}: {self.file} does not exist. {self.how_to_get()}")
        if self.hash_file.is_file() and self.hash_file.read_bytes()[:64] != digest_of(self.file).encode():
            raise DataError(
                f"{PREFIX}{self.name}: {self.file} does not match its checksum: it was changed or damaged. Delete it "
                f"and download it again, or delete {self.hash_file.name} next to it to use it as it is."
            )
        return self.file

    def how_to_get(self) -> str:
        """A sentence that tells the user how to get the file."""
        return f"Get it with `assay data get {self.name}`, or set ASSAY_DATA to a folder that has {self.path}."


def data_folder() -> Path:
    """`ASSAY_DATA`, or `assay` in the user's data folder."""
    override = os.environ.get("ASSAY_DATA")
    if override:
        return Path(override)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "assay"


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


@cache
def entries() -> dict[str, Entry]:
    """All datasets by name."""
    content = tomllib.loads((Path(__file__).parent / "catalogue.toml").read_text(encoding="utf-8"))
    return {name: Entry(name, **about | {"columns": tuple(about["columns"])}) for name, about in content.items()}


def entry(name: str) -> Entry:
    """Return a dataset by name, with or without `data:`."""
    name = name.removeprefix(PREFIX)
    if name not in entries():
        hint = did_you_mean(name, entries())
        raise DataError(f"no dataset {name!r} in the catalogue.{hint} `assay data list` lists them.")
    return entries()[name]
