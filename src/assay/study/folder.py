"""The folder a run writes into: whether that can be done, and what runs that were killed left in it.

A folder may come from somebody else. Nothing outside it is written or removed, whatever it holds.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryFile

from assay.errors import AssayError, DataError
from assay.io.atomic import remove_unfinished
from assay.io.results import make_folder
from assay.part import Part

# The folders whose files results.json lists; a run may remove what it listed.
LISTED = ("scores", "tables", "figures")
KEPT = "steps"
# The name of a table or a figure: that of a single file, in the folder it belongs to and not hidden there.
FILE_NAME = re.compile(r"[^./\\\0][^/\\\0]*")


def make_ready(folder: Path) -> None:
    """Make the folder, see that it can be written, and remove what killed runs left half-written in it."""
    make_folder(folder)
    refuse_links(folder)
    make_folder(folder / KEPT)
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataError(f"cannot write into {folder}: {error.strerror}. Choose another folder.") from None
    for part in ("", KEPT, *LISTED):
        remove_unfinished(folder / part)


def refuse_links(folder: Path) -> None:
    """Refuse a folder in which links lead to other places."""
    for part in (KEPT, *LISTED):
        if (folder / part).is_symlink():
            raise DataError(
                f"{folder / part} is a link. A run writes and removes files only in its own folder: "
                "remove the link, or choose another folder."
            )


def checked_names(part: Part) -> Part:
    """Return the part if every name that it makes a file of is the name of one file."""
    for name in (*part.scores, *(table.name for table in part.tables), *(picture.name for picture in part.pictures)):
        if not FILE_NAME.fullmatch(name):
            raise AssayError(f"{name!r} cannot be the name of a file. Name scores, tables and figures without slashes.")
    return part
