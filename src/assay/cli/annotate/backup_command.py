"""`assay annotate backup`: a consistent copy of a study."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options
from assay.cli.annotate.store_option import store_option


@click.command("backup")
@click.argument("protocol", type=click.Path(path_type=Path))
@click.argument("copy", type=click.Path(path_type=Path))
@store_option
def command(protocol: Path, copy: Path, store: str | None) -> None:
    """Write a copy of the study of PROTOCOL to the SQLite file COPY, while annotators go on.

    \b
    assay annotate backup protocol.toml backup.sqlite
    """
    from assay.annotate.custody import backup
    from assay.annotate.store import store_of

    backup(store_of(protocol, store), copy)
    options.say(f"wrote {copy}")
