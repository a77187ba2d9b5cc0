"""Names of files and marks made from names of users: short, plain, and different where those are."""

from __future__ import annotations

import re
from hashlib import blake2b

LONGEST = 60


def plain_name(name: str) -> str:
    """Keep small letters, digits, dots and dashes. What loses anything by it gets a hash of the whole at its end."""
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.")[:LONGEST]
    if plain == name:
        return plain
    return f"{plain}-{blake2b(name.encode(), digest_size=3).hexdigest()}".lstrip("-")
