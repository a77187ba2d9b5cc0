"""The output folder of a run: check that it is writable, clean up after killed runs.

The folder may come from somebody else: nothing outside it is written or removed, whatever it contains.
"""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryFile

from assay.errors import AssayError, DataError
from assay.io.atomic import remove_unfinished
from assay.io.results import make_folder
from assay.part import Part

# The folders whose files results.json lists, and a later run may remove.
LISTED = ("scores", "tables", "figures")
KEPT = "steps"
# The name of a table or figure: a single path component, not hidden.
FILE_NAME = re.compile(r"[^./\\\0][^/\\\0]*")


def make_ready(folder: Path) -> None:
    """Create the folder, check that it is writable, and remove the temporary files of killed runs."""
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
    """Refuse a folder whose subfolders are symbolic links."""
    for part in (KEPT, *LISTED):
        if (folder / part).is_symlink():
            raise DataError(
                f"{folder / part} is a link. A run writes and removes files only in its own folder: "
                "remove the link, or choose another folder."
            )


def checked_names(part: Part) -> Part:
    """Return the part if all of its file names are valid."""
    for name in (*part.scores, *(table.name for table in part.tables), *(picture.name for picture in part.pictures)):
        if not FILE_NAME.fullmatch(name):
            raise AssayError(f"{name!r} cannot be the name of a file. Name scores, tables and figures without slashes.")
    return part
