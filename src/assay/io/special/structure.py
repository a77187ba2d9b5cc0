"""Documents that are not built as their project builds them: one plain error, whatever is missing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import DataError


@contextmanager
def as_written_by(project: str, path: Path) -> Iterator[None]:
    """Turn the errors of a missing key or of a value of another type into an error of the file."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError, OverflowError) as error:
        why = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise DataError(f"{path}: not as {project} writes it ({why}). Read it with --map instead.") from None
