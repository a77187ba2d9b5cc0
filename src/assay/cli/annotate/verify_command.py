"""`assay annotate verify`: whether a store is whole."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options
from assay.cli.annotate.store_option import store_option
from assay.errors import DataError


@click.command("verify")
@click.argument("protocol", type=click.Path(path_type=Path))
@store_option
def command(protocol: Path, store: str | None) -> None:
    """Check the store of PROTOCOL: the file, the chain of events, answers against judgments, counters and caps.

    The exit code is 1 if anything is wrong.

    \b
    assay annotate verify protocol.toml
    """
    from assay.annotate.custody import verify
    from assay.annotate.store import store_of

    problems = verify(store_of(protocol, store))
    if problems:
        raise DataError(problems)
    options.say("nothing is wrong")
