"""`assay annotate export`: the judgments of a study as data."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options
from assay.cli.annotate.store_option import store_option


@click.command("export")
@click.argument("protocol", type=click.Path(path_type=Path))
@store_option
@click.option("-o", "--output", required=True, type=click.Path(path_type=Path), help="File or folder of the data.")
def command(protocol: Path, store: str | None, output: Path) -> None:
    """Write the outputs of PROTOCOL with all judgments so far, under pseudonyms; a served study too.

    A codebook with a methods paragraph is written beside it. Each judgment is kept with its time, order, probability,
    revision and place. `assay run` and every other command also read the store itself, as it stands.

    \b
    assay annotate export protocol.toml -o judged.jsonl
    """
    from assay.annotate.exporting import codebook_path, export
    from assay.annotate.protocol_file import read_protocol
    from assay.annotate.store import store_of

    data = export(store_of(protocol, store), output, protocol=read_protocol(protocol))
    options.say(f"wrote {output}: {len(data)} outputs, {len(data.judgments)} judgments; and {codebook_path(output)}")
