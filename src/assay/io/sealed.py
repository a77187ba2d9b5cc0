"""Files with a checksum at the end (a seal), so that a damaged file is never used."""

from __future__ import annotations

import logging
from hashlib import blake2b
from pathlib import Path

from assay.errors import DataError
from assay.io.atomic import replacing

# Library users can silence this logger; by default Python prints its warnings to stderr.
LOG = logging.getLogger("assay")
MARK = b"\nassay-seal:"
DIGITS = 32


def write_sealed(content: bytes, path: Path, *, name: str = "") -> None:
    """Write content and its seal. With a `name`, the file is valid only under that name."""
    with replacing(path) as temporary:
        temporary.write_bytes(content + _seal(content, name))


def read_sealed(path: Path, *, name: str = "") -> bytes:
    """Return the content of a file with a valid seal; otherwise raise FileNotFoundError or DataError."""
    try:
        stored = path.read_bytes()
    except FileNotFoundError:
        raise
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}).") from None
    content = stored[: -len(MARK) - DIGITS]
    if stored != content + _seal(content, name):
        raise DataError(f"{path}: damaged, or not written by assay.")
    return content


def kept_content(path: Path) -> bytes | None:
    """Return what an earlier run stored under this name; None on a miss. A damaged file is a miss, with a warning."""
    try:
        return read_sealed(path, name=path.name)
    except FileNotFoundError:
        return None
    except DataError as error:
        tell_damage(str(error))
        return None


def tell_damage(what: str) -> None:
    """Warn that a cached file cannot be used."""
    LOG.warning("%s It is ignored, and its content is computed again.", what)


def _seal(content: bytes, name: str) -> bytes:
    digest = blake2b(content, digest_size=DIGITS // 2, key=name.encode()[:64]).hexdigest()
    return MARK + digest.encode()
