"""`assay init`: propose a study of a data set."""

from __future__ import annotations

import click

from assay.cli import options


@click.command("init")
@options.data_argument
def command(data: str) -> None:
    """Look at what the data has and print a study file that measures what can be measured.

    \b
    assay init outputs.jsonl > study.toml
    """
    from assay.io import load
    from assay.study.init import propose

    click.echo(propose(data, load(data), options.say), nl=False)
