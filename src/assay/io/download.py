"""Fetching a file of the catalogue, only when a user asks for it."""

from __future__ import annotations

from hashlib import sha256
from http.client import HTTPException
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO
from urllib.request import urlopen
from zipfile import BadZipFile, ZipFile

from assay.errors import DataError
from assay.io.atomic import replacing
from assay.io.catalogue import Entry

TIMEOUT_SECONDS = 60
BLOCK = 1 << 16


def fetch(entry: Entry) -> Path:
    """Download a data set to its place; it appears whole and verified, or not at all."""
    path = entry.file
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile() as downloaded, replacing(path) as temporary:
            with urlopen(entry.url, timeout=TIMEOUT_SECONDS) as answer:
                copyfileobj(answer, downloaded, BLOCK)
            downloaded.seek(0)
            with open(temporary, "wb") as file:
                if entry.member:
                    _copy_member(downloaded, entry, file)
                else:
                    copyfileobj(downloaded, file, BLOCK)
            found = digest_of(temporary)
            if entry.sha256 and found != entry.sha256:
                raise DataError(
                    f"{entry.url}: not the file that the catalogue knows (SHA-256 {found}, known {entry.sha256}). "
                    f"Nothing was kept. Ask its authors: {entry.page}."
                )
    except (OSError, HTTPException, BadZipFile) as error:
        raise DataError(f"{entry.url}: cannot be fetched ({error}). Try again, or see {entry.page}.") from None
    return path


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    digest = sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _copy_member(archive: IO[bytes], entry: Entry, file: IO[bytes]) -> None:
    """Take the one file of an archive whose path ends as the catalogue says."""
    with ZipFile(archive) as opened:
        found = [name for name in opened.namelist() if f"/{name}".endswith(f"/{entry.member}")]
        if len(found) != 1:
            raise DataError(
                f"{entry.url}: the archive holds {len(found)} files {entry.member}, not one. See {entry.page}."
            )
        with opened.open(found[0]) as member:
            copyfileobj(member, file, BLOCK)
