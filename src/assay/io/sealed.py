"""Files that assay reads back as its own end with a seal, a hash of what they hold: no damaged one is ever used."""

from __future__ import annotations

import logging
from hashlib import blake2b
from pathlib import Path

from assay.errors import DataError
from assay.io.atomic import replacing

# Whoever uses assay as a library can turn this off; without any setting Python prints warnings on stderr as they are.
LOG = logging.getLogger("assay")
MARK = b"\nassay-seal:"
DIGITS = 32


def write_sealed(content: bytes, path: Path, *, name: str = "") -> None:
    """Write content and its seal. With a `name`, the file is good under that name alone."""
    with replacing(path) as temporary:
        temporary.write_bytes(content + _seal(content, name))


def read_sealed(path: Path, *, name: str = "") -> bytes:
    """Return the content of a file whose seal is whole; FileNotFoundError or DataError says what else it is."""
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
    """Return what an earlier run kept under this very name, None where nothing is. Damage is told, and is nothing."""
    try:
        return read_sealed(path, name=path.name)
    except FileNotFoundError:
        return None
    except DataError as error:
        tell_damage(str(error))
        return None


def tell_damage(what: str) -> None:
    """Say that something kept cannot be used."""
    LOG.warning("%s It is not used; what it held is computed again.", what)


def _seal(content: bytes, name: str) -> bytes:
    digest = blake2b(content, digest_size=DIGITS // 2, key=name.encode()[:64]).hexdigest()
    return MARK + digest.encode()
