"""Download files of the catalogue, only on request."""

from __future__ import annotations

import zlib
from dataclasses import replace
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
# No file of the catalogue is nearly as large: more is a server error or a zip bomb.
MOST_BYTES = 1 << 30


def fetch(entry: Entry) -> Path:
    """Download a dataset to its local path; it appears whole and verified, or not at all."""
    if entry.beside:
        # First, so that the file that says whether the dataset is here comes last.
        second = Path(entry.path).with_name(entry.beside.rpartition("/")[2])
        fetch(replace(entry, url=entry.beside, path=str(second), sha256="", beside=""))
    path = entry.file
    make_folder(path.parent)
    with TemporaryFile() as downloaded:
        try:
            with urlopen(entry.url, timeout=TIMEOUT_SECONDS) as answer:
                _copy(answer, downloaded, entry)
        except (OSError, HTTPException) as error:
            raise DataError(f"{entry.url}: cannot be downloaded ({error}). Try again, or see {entry.page}.") from None
        downloaded.seek(0)
        with replacing(path) as temporary:
            with open(temporary, "wb") as file:
                if entry.member:
                    _copy_member(downloaded, entry, file)
                else:
                    _copy(downloaded, file, entry)
            digest = digest_of(temporary)
            if entry.sha256 and digest != entry.sha256:
                raise DataError(
                    f"{entry.url}: not the file in the catalogue (SHA-256 {digest}, expected {entry.sha256}). "
                    f"Nothing was kept. Ask its authors: {entry.page}."
                )
            # The hash is written before the file, so that a downloaded file always has one.
            write_text(f"{digest}  {path.name}\n", entry.hash_file)
    return path


def _copy(source: IO[bytes], target: IO[bytes], entry: Entry) -> None:
    """Copy at most `MOST_BYTES`."""
    copied = 0
    while block := source.read(BLOCK):
        copied += len(block)
        if copied > MOST_BYTES:
            raise DataError(
                f"{entry.url}: more than {MOST_BYTES >> 20} MB, and no dataset of the catalogue is that large. "
                f"Nothing was kept. Ask its authors: {entry.page}."
            )
        target.write(block)


def _copy_member(archive: IO[bytes], entry: Entry, file: IO[bytes]) -> None:
    """Extract the one file of an archive whose path ends in `entry.member`."""
    try:
        with ZipFile(archive) as opened:
            members = [name for name in opened.namelist() if f"/{name}".endswith(f"/{entry.member}")]
            if len(members) != 1:
                raise DataError(
                    f"{entry.url}: the archive has {len(members)} files {entry.member}, not one. See {entry.page}."
                )
            with opened.open(members[0]) as member:
                _copy(member, file, entry)
    except (BadZipFile, RuntimeError, zlib.error, EOFError) as error:
        raise DataError(f"{entry.url}: cannot be downloaded ({error}). Try again, or see {entry.page}.") from None
