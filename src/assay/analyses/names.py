"""Short, unique file names and ids made from names in the data."""

from __future__ import annotations

import re
from hashlib import blake2b

LONGEST = 60


def plain_name(name: str) -> str:
    """Keep lowercase letters, digits, dots and dashes; append a hash of the name if anything was lost."""
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-.")[:LONGEST]
    if plain == name:
        return plain
    return f"{plain}-{blake2b(name.encode(), digest_size=3).hexdigest()}".lstrip("-")
