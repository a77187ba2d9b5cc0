"""Reference sets of a data file as documents for document frequencies."""

import numpy as np

from assay.errors import DataError
from assay.io.files import load
from assay.io.paths import is_file, is_folder
from assay.records import Dataset
from assay.text.lists import StringLists


def named_documents(where: str) -> str:
    """Return `path@hash` for a data file, as used in signatures; check that it has references."""
    return f"{where.partition('@')[0]}@{_checked(where).fingerprint[:16]}"


def load_documents(where: str) -> StringLists:
    """Return the references of every item that has any."""
    references = _checked(where).items.references
    return references.take(np.flatnonzero(references.lengths > 0))


def _checked(where: str) -> Dataset:
    path, _, content = where.partition("@")
    if not is_file(path) and not is_folder(path):
        raise DataError(
            f"{path}: no such file. Give 'pooled', 'system', or a data file whose references are documents."
        )
    dataset = load(path)
    if content not in ("", dataset.fingerprint[:16]):
        raise DataError(f"{path}: its content has changed since {where}. Omit the part from @ on to use it anyway.")
    if not len(dataset.items.references.texts):
        raise DataError(f"{path}: no item has references, so there are no documents to count words in.")
    return dataset
