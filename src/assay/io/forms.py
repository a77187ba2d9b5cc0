"""Forms by name, or from a TOML file: the keys of a criterion, its `name` and an `instruction`."""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path

from assay.errors import DataError, did_you_mean
from assay.forms import SHIPPED, Form
from assay.io.paths import is_file, text_of
from assay.io.toml import parse_toml
from assay.records.criteria import read_criterion


def named_form(where: str) -> str:
    """The name of a form in signatures: its own, or `path@hash` for a file, which must be a valid form."""
    if where in SHIPPED:
        return where
    path, _, content = where.partition("@")
    read_form(where)
    return f"{path}@{content or _content(path)}"


def read_form(where: str) -> Form:
    """Return a form by name, or read it from a file."""
    if where in SHIPPED:
        return SHIPPED[where]
    path, _, content = where.partition("@")
    if not path.endswith(".toml") or not is_file(path):
        raise DataError(f"no form {path!r}.{did_you_mean(path, SHIPPED)} Or give a .toml file with a question.")
    if content and content != _content(path):
        raise DataError(f"{path}: its content has changed since {where}. Omit the part from @ on to use it anyway.")
    declared = dict(parse_toml(text_of(path), Path(path).name))
    name = declared.pop("name", Path(path).stem)
    instruction = declared.pop("instruction", "")
    if not isinstance(name, str) or not isinstance(instruction, str):
        raise DataError(f"{path}: name and instruction must be texts.")
    try:
        return Form(read_criterion(name, {"unit": "output", **declared}), instruction)
    except ValueError as error:
        raise DataError(f"{path}: the form {error}") from None


def _content(path: str) -> str:
    return blake2b(text_of(path).encode(), digest_size=8).hexdigest()
