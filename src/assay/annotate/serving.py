"""Serving a study: its store beside the protocol, the application, and a server until Ctrl-C."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from assay.annotate.protocol import Protocol
from assay.annotate.records import StoreError
from assay.annotate.service import Service
from assay.annotate.store import store_exists, store_of
from assay.errors import AssayError, DataError, MissingExtra
from assay.io.toml import parse_toml

LOOPBACK = ("127.0.0.1", "localhost", "::1")

# Seconds that a connection stays open without a request: people think longer about a page than uvicorn's five.
KEEP_ALIVE = 75
HOOK_SECRET = "ASSAY_HOOK_SECRET"
"""The environment variable with the secret of a panel's web-hooks; without it none are taken."""


def study_of(protocol: Protocol, store: str | None = None, say: Callable[[str], None] = lambda _: None) -> Service:
    """Open the store of a protocol, or make it. A protocol that changed since is a new version, recorded.

    Args:
        protocol: of the study.
        store: the path of an SQLite file, or `postgresql://...`; by default a file beside the protocol.
        say: receives what was done.
    """
    where = store_of(protocol.path, store)
    if store_exists(where):
        service = Service.open(where)
        try:
            _amend(service, protocol, say)
        except BaseException:
            service.close()
            raise
        return service
    dataset = protocol.dataset()
    units = protocol.units(dataset)
    service = Service.create(
        where,
        protocol.text,
        protocol.sha,
        protocol.rules,
        units,
        data=dataset,
        criteria=protocol.form.criteria,
    )
    made = "a store in the database" if "://" in where else where  # an address may hold a password
    say(f"made {made}: {sum(unit.gold is None for unit in units)} units, {len(protocol.checks)} checks")
    return service


def _amend(service: Service, protocol: Protocol, say: Callable[[str], None]) -> None:
    terms = service.terms()
    if terms.sha == protocol.sha:
        return
    before = parse_toml(service.protocol_text(), protocol.path.name).get("form")
    if before != protocol.form.name:
        raise StoreError(
            f"form was {before!r} when the study began, and is {protocol.form.name!r} now. "
            "Its units cannot be asked about by another form: begin another study, with --store."
        )
    dataset = protocol.dataset()
    version, added = service.amend(
        protocol.text,
        protocol.sha,
        protocol.rules,
        protocol.units(dataset),
        data=dataset,
        criteria=protocol.form.criteria,
    )
    say(f"the protocol changed: it is version {version} now" + (f", with {added} new units" if added else ""))


def serve(
    protocol: Protocol,
    *,
    store: str | None = None,
    host: str = "127.0.0.1",
    port: int = 8000,
    url: str | None = None,
    say: Callable[[str], None] = print,
    ready: Callable[[str], object] = lambda url: None,
) -> None:
    """Serve a study until it is interrupted.

    Args:
        protocol: of the study.
        store: where answers are kept; by default an SQLite file beside the protocol.
        host: the address to listen on; others than this machine can reach it only if it is not loopback.
        port: to listen on; 0 for any.
        url: the address that annotators use, needed behind a reverse proxy or on another host than loopback.
        say: receives the link for annotators and messages.
        ready: called with the link once the server listens.
    """
    uvicorn = _uvicorn()
    if url is None and host not in LOOPBACK:
        raise AssayError(
            f"--host {host} can be reached from other machines. Say by which address annotators come: "
            "--url https://study.example.org"
        )
    from assay.annotate.web.app import application
    from assay.annotate.web.bounded import BoundedRequests
    from assay.annotate.web.researcher import Researcher

    with listening(host, port) as listener:
        public = url or f"http://{'[::1]' if host == '::1' else host}:{listener.getsockname()[1]}"
        _check_url(public)
        with study_of(protocol, store, say) as service:
            researcher = Researcher(
                service,
                protocol,
                store_of(protocol.path, store),
                https=public.startswith("https:"),
                hook_secret=os.environ.get(HOOK_SECRET, ""),
            )
            app = application(service, protocol, public, routes=researcher.routes())
            config = uvicorn.Config(
                app,
                http=BoundedRequests,
                log_level="warning",
                access_log=False,
                server_header=False,
                timeout_keep_alive=KEEP_ALIVE,
            )
            say(f"annotators: {public}/")
            say(f"researcher, works once: {public}/researcher/open/{researcher.key}")
            say("Ctrl-C stops it; saved answers stay.")
            ready(public)
            uvicorn.Server(config).run(sockets=[listener])


def _uvicorn() -> Any:
    try:
        import httptools  # noqa: F401
        import jinja2  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise MissingExtra("assay annotate serve", str(error.name), "annotate") from None
    return uvicorn


def _check_url(url: str) -> None:
    try:
        address = urlsplit(url)
        port_fits = address.port != 0
    except ValueError:  # brackets that do not match, or a port above 65535
        raise DataError(f"--url {url}: not an address such as https://study.example.org") from None
    if not port_fits or address.scheme not in ("http", "https") or not address.hostname or address.path.strip("/"):
        raise DataError(f"--url {url}: not an address such as https://study.example.org")
    if address.scheme == "http" and address.hostname not in LOOPBACK:
        raise DataError(f"--url {url}: http is for this machine only. Put https in front of it.")


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address; an error says why it cannot."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # connections wait until the server takes them
    except OSError as error:
        listener.close()
        raise AssayError(
            f"cannot listen on {host}:{port}: {error.strerror or error}. Choose another with --port."
        ) from None
    return listener
