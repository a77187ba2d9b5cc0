"""Requests of bounded size: the C parser of HTTP puts no limit to headers, and keeps what has come of them."""

from __future__ import annotations

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from assay.annotate.web.security import MOST_BYTES

MOST_OF_REQUEST = 2 * MOST_BYTES


class BoundedRequests(HttpToolsProtocol):
    """A connection that is closed by a request of more bytes than any form has, headers included."""

    _n_bytes = 0

    def data_received(self, data: bytes) -> None:
        """Count the bytes of a request before they are parsed."""
        self._n_bytes += len(data)
        if self._n_bytes > MOST_OF_REQUEST:
            self.send_400_response("The request is too large.")
        else:
            super().data_received(data)

    def on_message_complete(self) -> None:
        """The next request begins."""
        self._n_bytes = 0
        super().on_message_complete()
