"""`assay annotate check`: what is wrong with a protocol, and what its study costs and takes."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.show import result_options, show


@click.command("check")
@click.argument("protocol", type=click.Path(path_type=Path))
@result_options
def command(protocol: Path, form: str, as_json: bool) -> None:
    """Check PROTOCOL: every mistake with its line, else the units, pages, money and hours of the study.

    \b
    assay annotate check protocol.toml
    """
    from assay.annotate.estimates import check
    from assay.annotate.protocol_file import read_protocol

    show(check(read_protocol(protocol)), form, as_json)
