"""The folder a run writes into: whether that can be done, and what runs that were killed left in it."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from assay.errors import DataError
from assay.io.atomic import remove_unfinished

# The folders whose files results.json lists; a run may remove what it listed.
LISTED = ("scores", "tables", "figures")
KEPT = "steps"


def make_ready(folder: Path) -> None:
    """Make the folder, see that it can be written, and remove what killed runs left half-written in it."""
    make_folder(folder)
    make_folder(folder / KEPT)
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataError(f"cannot write into {folder}: {error.strerror}. Choose another folder.") from None
    for part in ("", KEPT, *LISTED):
        remove_unfinished(folder / part)


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, where they are not there yet."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise DataError(f"cannot make the folder {folder}: a file is in its way. Choose another folder.") from None
    except OSError as error:
        raise DataError(f"cannot make the folder {folder}: {error.strerror}. Choose another folder.") from None
