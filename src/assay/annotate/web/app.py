"""The application factory: one study, served to its annotators."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from assay.annotate.protocol import Protocol
from assay.annotate.records import NotSaved
from assay.annotate.service import Service
from assay.annotate.web.annotators import Annotators
from assay.annotate.web.rendering import STATIC, Renderer, static_file
from assay.annotate.web.security import MOST_BYTES, Secured

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def application(
    service: Service,
    protocol: Protocol,
    url: str,
    *,
    most_bytes: int = MOST_BYTES,
    routes: Sequence[BaseRoute] = (),
) -> Secured:
    """Make the application of a study.

    Args:
        service: the study.
        protocol: its protocol.
        url: the address that annotators use, such as `https://study.example.org` or `http://127.0.0.1:8000`.
        most_bytes: the largest body of a request.
        routes: more pages, such as those of the researcher.
    """
    address = urlsplit(url)
    https = address.scheme == "https"
    renderer = Renderer(protocol)
    annotators = Annotators(service, protocol, renderer, https=https)

    async def static(request: Request) -> Response:
        name = request.path_params["name"]
        if name not in STATIC:
            return PlainTextResponse("No such file.", 404)
        headers = {"Cache-Control": "public, max-age=31536000, immutable"}
        return Response(static_file(name), media_type=STATIC[name], headers=headers)

    async def not_saved(request: Request, error: Exception) -> Response:
        return renderer.notice("failed", 503)

    async def no_page(request: Request, error: Exception) -> Response:
        return renderer.notice("unknown", getattr(error, "status_code", 404))

    app = Starlette(
        routes=[*annotators.routes(), Route("/static/{name}", static), *routes],
        exception_handlers={NotSaved: not_saved, 404: no_page, 405: no_page},
    )
    return Secured(app, hosts_of(url), https, most_bytes)


def hosts_of(url: str) -> frozenset[str]:
    """The values of a Host header for an address; loopback has three names."""
    address = urlsplit(url)
    host = address.netloc.rpartition("@")[2].lower()
    name = host.removesuffix(f":{address.port}") if address.port else host
    names = LOOPBACK if name in LOOPBACK else (name,)
    return frozenset({host} | {f"{one}:{address.port}" if address.port else one for one in names})
