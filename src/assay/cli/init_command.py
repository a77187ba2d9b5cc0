"""`assay init`: propose a study of a dataset."""

from __future__ import annotations

import click

from assay.cli import options


@click.command("init")
@options.data_argument
def command(data: str) -> None:
    """Print a study file with every step that DATA allows.

    \b
    assay init outputs.jsonl > study.toml
    """
    from assay.io import load
    from assay.study.init import propose

    click.echo(propose(data, load(data), options.say), nl=False)
