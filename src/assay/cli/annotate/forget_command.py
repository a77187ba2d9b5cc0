"""`assay annotate forget`: delete a person."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options
from assay.cli.annotate.store_option import store_option


@click.command("forget")
@click.argument("protocol", type=click.Path(path_type=Path))
@click.argument("annotator")
@store_option
def command(protocol: Path, annotator: str, store: str | None) -> None:
    """Delete ANNOTATOR (a pseudonym such as a17) with all answers from the study of PROTOCOL, which must not be served.

    Of what they did, only times, kinds of events and hashes stay, so that the chain of events can still be verified.
    Backups and exports made before keep what they have.

    \b
    assay annotate forget protocol.toml a17
    """
    from assay.annotate.custody import forget
    from assay.annotate.store import store_of

    n_pages = forget(store_of(protocol, store), annotator)
    options.say(f"forgot {annotator}: {n_pages} pages are deleted")
