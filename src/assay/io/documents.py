"""Reference sets of a data file as the documents of a word's document frequency."""

import numpy as np

from assay.errors import DataError
from assay.io.files import load
from assay.io.paths import is_file, is_folder
from assay.records import Dataset
from assay.text.lists import StringLists


def named_documents(where: str) -> str:
    """Return `path@content` for a data file, which names it in a signature; check that it has references."""
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
        raise DataError(f"{path}: its content is no longer that of {where}. Name it without what follows the @.")
    if not len(dataset.items.references.texts):
        raise DataError(f"{path}: no item has references, so there are no documents to count words in.")
    return dataset
