"""The catalogue of public data sets: what each is, where its authors publish it, and where it lies here."""

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
    """One data set of the catalogue. An empty text or -1 stands for what is not known."""

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
    outputs: int = -1
    judgments: int = -1

    @property
    def file(self) -> Path:
        """Where the file lies, or would lie."""
        return data_folder() / self.path

    @property
    def hash_file(self) -> Path:
        """Where the SHA-256 of the file lies if it was fetched, in the format of sha256sum."""
        return self.file.with_name(f"{self.file.name}.sha256")

    def existing_file(self) -> Path:
        """Where the file lies; an error says how to get it, or that it is not what was fetched any more."""
        if not self.file.is_file():
            raise DataError(f"{PREFIX}{self.name}: {self.file} is not there. {self.how_to_get()}")
        if self.hash_file.is_file() and self.hash_file.read_bytes()[:64] != digest_of(self.file).encode():
            raise DataError(
                f"{PREFIX}{self.name}: {self.file} is not what was fetched: it was changed or damaged. Delete it and "
                f"fetch it again, or delete {self.hash_file.name} beside it to use it as it is."
            )
        return self.file

    def how_to_get(self) -> str:
        """Say in a sentence how a user comes by the file."""
        return f"Fetch it with `assay data get {self.name}`, or set ASSAY_DATA to a folder that holds {self.path}."


def data_folder() -> Path:
    """`ASSAY_DATA`, or `assay` in the user's data folder."""
    named = os.environ.get("ASSAY_DATA")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "assay"


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return file_digest(file, "sha256").hexdigest()


@cache
def entries() -> dict[str, Entry]:
    """All data sets by name."""
    content = tomllib.loads((Path(__file__).parent / "catalogue.toml").read_text(encoding="utf-8"))
    return {name: Entry(name, **about | {"columns": tuple(about["columns"])}) for name, about in content.items()}


def entry(name: str) -> Entry:
    """Return one data set by its name, with or without `data:`."""
    name = name.removeprefix(PREFIX)
    if name not in entries():
        hint = did_you_mean(name, entries())
        raise DataError(f"no data set {name!r} in the catalogue.{hint} `assay data list` shows them.")
    return entries()[name]
