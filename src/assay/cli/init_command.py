"""`assay init`: propose a study of a dataset, and a mapping for a foreign file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("init")
@options.data_argument
def command(data: Given) -> None:
    """Print a study file with every step that DATA allows.

    For a foreign file it proposes which columns are texts, names and judgments, says why, and shows three rows as it
    understood them; the study holds the mapping.

    \b
    assay init outputs.jsonl > study.toml
    assay init answers.csv > study.toml && assay run study.toml
    """
    from assay.study.init import init

    click.echo(init(data, options.say), nl=False)
