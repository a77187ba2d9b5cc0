"""Signatures of web-hooks, as Prolific's documentation describes them.

The header `X-Prolific-Request-Signature` is the base64 of the HMAC-SHA256 of timestamp and body under a shared secret.
"""

from __future__ import annotations

import base64
import hmac

SIGNATURE, TIMESTAMP = "X-Prolific-Request-Signature", "X-Prolific-Request-Timestamp"
LONGEST_SECONDS = 300.0
"""An older request is refused, so that a recorded one cannot be sent again later."""


def signature_of(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a request."""
    digest = hmac.new(secret.encode(), timestamp.encode() + body, "sha256").digest()
    return base64.b64encode(digest).decode("ascii")


def is_genuine(secret: str, timestamp: str, body: bytes, signature: str, now: float) -> bool:
    """Whether a request comes from who knows the secret, and is recent."""
    if not secret or not timestamp.isascii() or not timestamp.isdecimal() or len(timestamp) > 15:
        return False
    if abs(now - int(timestamp)) > LONGEST_SECONDS:
        return False
    return hmac.compare_digest(signature_of(secret, timestamp, body).encode(), signature.encode())
