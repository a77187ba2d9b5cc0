"""Names of annotators of platforms: numbers by first appearance, unless their ids are kept."""

from __future__ import annotations

from typing import Any


class Annotators:
    """Gives every annotator id a name; without `keep`, one that cannot be turned back without the file."""

    def __init__(self, *, keep: bool = False) -> None:
        self._keep = keep
        self._names: dict[str, str] = {}

    def name(self, given: Any) -> str:
        """The name of an annotator; an id may be nested in an object, as `{"id": 1, "email": ...}`."""
        if isinstance(given, dict):
            given = given.get("id", given.get("email"))
        text = str(given)
        if self._keep:
            return text
        return self._names.setdefault(text, f"annotator-{len(self._names) + 1:04d}")
