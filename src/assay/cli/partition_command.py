"""`assay partition`: cut data into parts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("partition")
@options.data_argument
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Output folder, a new one.")
@click.option(
    "--rows", type=options.count(1), default=100_000, show_default=True, help="Outputs per part; items stay whole."
)
@click.option(
    "--ending", type=click.Choice([".parquet", ".jsonl"]), default=".parquet", show_default=True, help="File type."
)
@options.json_option
def command(data: Given, output: Path, rows: int, ending: str, as_json: bool) -> None:
    """Cut data into parts that `assay score` scores one by one, on one machine or many.

    The outputs of an item are in one part, and so are items whose outputs or sets a judgment compares.

    \b
    assay partition outputs.jsonl -o parts
    assay score parts -e bleu -e distinct --cluster local:4 -o scores
    """
    from assay.io.partition import partition

    made = partition(data, output, rows=rows, ending=ending)
    if as_json:
        options.print_json({"output": str(output), "parts": made.parts})
    options.say(f"wrote {made.n_outputs:,} outputs to {len(made.parts):,} parts in {output}")
