"""Fetching a file of the catalogue, only when a user asks for it."""

from __future__ import annotations

import zlib
from http.client import HTTPException
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from urllib.request import urlopen
from zipfile import BadZipFile, ZipFile

from assay.errors import DataError
from assay.io.atomic import replacing
from assay.io.catalogue import Entry, digest_of
from assay.io.results import make_folder, write_text

TIMEOUT_SECONDS = 60
BLOCK = 1 << 16
# No file of the catalogue comes near it: more is an error of the server, or an archive made to fill the disk.
MOST_BYTES = 1 << 30


def fetch(entry: Entry) -> Path:
    """Download a data set to its place; it appears whole and verified, or not at all."""
    path = entry.file
    make_folder(path.parent)
    with TemporaryFile() as downloaded:
        try:
            with urlopen(entry.url, timeout=TIMEOUT_SECONDS) as answer:
                _copy(answer, downloaded, entry)
        except (OSError, HTTPException) as error:
            raise DataError(f"{entry.url}: cannot be fetched ({error}). Try again, or see {entry.page}.") from None
        downloaded.seek(0)
        with replacing(path) as temporary:
            with open(temporary, "wb") as file:
                if entry.member:
                    _copy_member(downloaded, entry, file)
                else:
                    _copy(downloaded, file, entry)
            found = digest_of(temporary)
            if entry.sha256 and found != entry.sha256:
                raise DataError(
                    f"{entry.url}: not the file that the catalogue knows (SHA-256 {found}, known {entry.sha256}). "
                    f"Nothing was kept. Ask its authors: {entry.page}."
                )
            # The hash is there before the file is, so that no file that we fetched is ever without.
            write_text(f"{found}  {path.name}\n", entry.hash_file)
    return path


def _copy(source: IO[bytes], target: IO[bytes], entry: Entry) -> None:
    """Copy no more than a data set can have."""
    copied = 0
    while block := source.read(BLOCK):
        copied += len(block)
        if copied > MOST_BYTES:
            raise DataError(
                f"{entry.url}: more than {MOST_BYTES >> 20} MB, and no data set of the catalogue is so large. "
                f"Nothing was kept. Ask its authors: {entry.page}."
            )
        target.write(block)


def _copy_member(archive: IO[bytes], entry: Entry, file: IO[bytes]) -> None:
    """Take the one file of an archive whose path ends as the catalogue says."""
    try:
        with ZipFile(archive) as opened:
            found = [name for name in opened.namelist() if f"/{name}".endswith(f"/{entry.member}")]
            if len(found) != 1:
                raise DataError(
                    f"{entry.url}: the archive holds {len(found)} files {entry.member}, not one. See {entry.page}."
                )
            with opened.open(found[0]) as member:
                _copy(member, file, entry)
    except (BadZipFile, RuntimeError, zlib.error, EOFError) as error:
        raise DataError(f"{entry.url}: cannot be fetched ({error}). Try again, or see {entry.page}.") from None
