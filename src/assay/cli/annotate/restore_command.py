"""`assay annotate restore`: a new store from a backup."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options
from assay.cli.annotate.store_option import store_option


@click.command("restore")
@click.argument("protocol", type=click.Path(path_type=Path))
@click.argument("copy", type=click.Path(path_type=Path))
@store_option
def command(protocol: Path, copy: Path, store: str | None) -> None:
    """Make the store of PROTOCOL from the backup COPY, which is verified first; the store must not exist.

    A backup can be restored into another kind of store than it came from.

    \b
    assay annotate restore protocol.toml backup.sqlite --store postgresql://localhost/study
    """
    from assay.annotate.custody import restore
    from assay.annotate.store import store_of

    restore(copy, store_of(protocol, store))
    options.say(f"restored {copy}")
