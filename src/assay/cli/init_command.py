"""`assay init`: propose a study of a dataset, and a mapping for a foreign file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("init")
@options.data_argument
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the study to this file, with paths relative to it. Default: print it, with paths as given.",
)
def command(data: Given, output: Path | None) -> None:
    """Print a study file with every step that DATA allows.

    For a foreign file it proposes which columns are texts, names and judgments, says why, and shows three rows as it
    understood them; the study holds the mapping.

    \b
    assay init outputs.jsonl > study.toml
    assay init answers.csv > study.toml && assay run study.toml
    assay init data/outputs.jsonl -o studies/first.toml
    """
    from assay.io.results import write_text
    from assay.study.init import init

    study = init(data, options.say, folder="." if output is None else output.parent)
    if output is None:
        click.echo(study, nl=False)
    else:
        write_text(study, output)
        options.say(f"wrote {output}; run it with: assay run {output}")
