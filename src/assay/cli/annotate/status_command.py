"""`assay annotate status`: how a study stands."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.annotate.store_option import store_option
from assay.cli.show import result_options, show


@click.command("status")
@click.argument("protocol", type=click.Path(path_type=Path))
@store_option
@result_options
def command(protocol: Path, store: str | None, form: str, as_json: bool) -> None:
    """Show how the study of PROTOCOL stands, also while it is served.

    Progress by system and unit, money, time, how each annotator works, agreement, and the systems so far.

    \b
    assay annotate status protocol.toml
    """
    from assay.annotate.protocol_file import read_protocol
    from assay.annotate.standing import status

    show(status(read_protocol(protocol), store=store), form, as_json)
