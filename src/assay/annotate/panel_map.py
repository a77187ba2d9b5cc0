"""Ids that a panel gives to people: in the store only as keyed hashes; the key and the map are files of their own."""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from threading import Lock

from assay.annotate.records import StoreError
from assay.io.atomic import replacing


class PanelMap:
    """`NAME.key` and `NAME.people.jsonl`, readable by their owner only. Made when the first id comes."""

    def __init__(self, beside: Path) -> None:
        self._key_path = beside.with_name(beside.name + ".key")
        self.path = beside.with_name(beside.name + ".people.jsonl")
        self._lock = Lock()

    def hashed(self, panel: str, identity: str) -> str:
        """The keyed hash of a panel's id."""
        return hmac.new(self._key, f"{panel}\0{identity}".encode(), "sha256").hexdigest()

    def add(self, annotator: str, panel: Mapping[str, str]) -> None:
        """Append who an annotator is."""
        line = json.dumps({"annotator": annotator, **panel}, sort_keys=True) + "\n"
        with self._lock:
            handle = self._open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            with os.fdopen(handle, "a", encoding="utf-8") as file:
                file.write(line)
                file.flush()
                os.fsync(file.fileno())

    def people(self) -> dict[str, dict[str, str]]:
        """The ids of each annotator, as the panel gave them last."""
        if not self.path.exists():
            return {}
        return {entry.pop("annotator"): entry for _, entry in self._entries()}

    def _entries(self) -> list[tuple[str, dict[str, str]]]:
        """Every line of the map, and what it says."""
        found = []
        for number, line in enumerate(self.path.read_text("utf-8").splitlines(), 1):
            if not line.strip():
                continue
            try:
                entry = json.loads(line)
                found.append((line, {"annotator": entry["annotator"], **entry}))
            except (ValueError, KeyError, TypeError):
                raise StoreError(f"{self.path} line {number}: says nobody's ids. Correct or remove the line.") from None
        return found

    def forget(self, annotator: str) -> None:
        """Remove a person from the map."""
        with self._lock:
            if self.path.exists():
                kept = [line for line, entry in self._entries() if entry["annotator"] != annotator]
                with replacing(self.path) as temporary:
                    temporary.write_text("".join(f"{line}\n" for line in kept), "utf-8")
                self.path.chmod(0o600)

    @cached_property
    def _key(self) -> bytes:
        if not self._key_path.exists():
            self._make_key()
        try:
            key = bytes.fromhex(self._key_path.read_text("ascii").strip())
        except (OSError, ValueError):
            key = b""
        if not key:
            raise StoreError(f"{self._key_path}: holds no key, by which people of a panel are known. Restore the file.")
        return key

    def _make_key(self) -> None:
        """Write a new key beside its place and link it there: whoever comes at the same time finds a whole one."""
        fresh = self._key_path.with_name(f"{self._key_path.name}.{secrets.token_hex(4)}")
        handle = self._open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        try:
            with os.fdopen(handle, "w", encoding="ascii") as file:
                file.write(secrets.token_hex(32) + "\n")
                file.flush()
                os.fsync(file.fileno())
            with suppress(FileExistsError):
                os.link(fresh, self._key_path)
        finally:
            fresh.unlink(missing_ok=True)

    def _open(self, path: Path, flags: int) -> int:
        try:
            return os.open(path, flags, 0o600)
        except OSError as error:
            raise StoreError(f"{path}: cannot be written ({error.strerror}). Ids of panels are kept there.") from None
