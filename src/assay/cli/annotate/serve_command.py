"""`assay annotate serve`: the web application of a study."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import click

from assay.cli import options
from assay.cli.annotate.store_option import store_option


@click.command("serve")
@click.argument("protocol", type=click.Path(path_type=Path))
@store_option
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="Port; 0 for any.")
@click.option("--url", help="Address that annotators use, such as https://study.example.org.")
@click.option("--open", "open_page", is_flag=True, help="Open the page in a browser.")
def command(protocol: Path, store: str | None, host: str, port: int, url: str | None, open_page: bool) -> None:
    """Serve PROTOCOL to annotators until Ctrl-C; it prints the link to give them.

    Only this machine can reach it, unless --host and --url say otherwise. A protocol that changed since the start is a
    new version, which the store records; answers remember the version they were given under.

    \b
    assay annotate serve protocol.toml
    assay annotate serve protocol.toml --host 0.0.0.0 --url https://study.example.org
    """
    from assay.annotate.protocol_file import read_protocol
    from assay.annotate.serving import serve

    ready = webbrowser.open if open_page else lambda url: None
    serve(read_protocol(protocol), store=store, host=host, port=port, url=url, say=options.say, ready=ready)
