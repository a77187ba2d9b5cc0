"""`assay convert`: convert data between formats."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli import options

if TYPE_CHECKING:
    from assay.io.files import Given


@click.command("convert")
@options.data_argument
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Output file or folder.")
@click.option("--from", "source_format", metavar="FORMAT", help="The format of DATA, if its header does not tell.")
@click.option("--to", "output_format", metavar="FORMAT", default="flat", show_default=True, help="The format to write.")
@click.option("--criteria", metavar="TOML", help="Declare criteria: a TOML file with one table per criterion.")
@click.option(
    "--keep-worker-ids", is_flag=True, help="Keep the ids of annotators on platforms instead of numbering them."
)
@click.option("--equal-sets", is_flag=True, help="Subsample all sets to one size, for diversity metrics.")
@options.seed_option
@options.json_option
def command(
    data: Given,
    output: Path,
    source_format: str | None,
    output_format: str,
    criteria: str | None,
    keep_worker_ids: bool,
    equal_sets: bool,
    seed: int,
    as_json: bool,
) -> None:
    """Convert data from one format to another.

    The extension of -o chooses the file type: .jsonl, .csv, .tsv or .parquet is a flat file, none is a folder of
    tables. Diversity and colors hold less than a flat file and are written only if nothing is lost; label-studio,
    argilla (.json) and mturk (with its mapping in a .toml beside) hold outputs with the judgments about them. Other
    formats are read-only.

    \b
    assay convert outputs.jsonl -o outputs.parquet
    assay convert data:huse/summarization -o huse.jsonl
    assay convert batch.csv --map mine.toml -o judged.jsonl
    assay convert judged.jsonl --criteria criteria.toml -o declared.jsonl
    assay convert judged.jsonl --to label-studio -o tasks.json
    """
    from assay.io.convert import convert

    given = replace(data, format=source_format, keep_worker_ids=keep_worker_ids)
    dataset, notes = convert(given, output, to=output_format, criteria=criteria, equal_sets=equal_sets, seed=seed)
    for note in notes:
        options.say(note)
    counts = {
        name: len(getattr(dataset, name))
        for name in ("items", "systems", "sets", "outputs", "logprobs", "judgments", "criteria")
    }
    if as_json:
        options.print_json({"output": str(output)} | counts)
    options.say(f"wrote {output}: " + ", ".join(_counted(n, name) for name, n in counts.items() if n))


def _counted(n: int, things: str) -> str:
    return f"{n} {things if n > 1 else {'criteria': 'criterion'}.get(things, things.removesuffix('s'))}"
