"""Connections through the proxy that the environment names."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from assay.backends.language.connections import Connections


@contextmanager
def proxy(seen: list[tuple[str, str]]) -> Iterator[str]:
    """A server that answers in the place of any other, and notes what it was asked for."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            seen.append((self.path, self.headers.get("Proxy-Authorization", "")))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.parametrize(("before", "expected"), [("", ""), ("http://", ""), ("http://me:a%20b@", "Basic bWU6YSBi")])
def test_a_proxy_with_or_without_a_scheme(before: str, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str]] = []
    with proxy(seen) as where:
        for name in ("no_proxy", "NO_PROXY", "HTTP_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("http_proxy", f"{before}{where}")
        with closing(Connections("http://judge.invalid:8000/v1", 60.0)) as connections:
            assert connections.post("chat/completions", b"{}", {}).content == b"{}"
    assert seen == [("http://judge.invalid:8000/v1/chat/completions", expected)]
