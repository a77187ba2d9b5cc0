"""`assay annotate init`: propose a protocol."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options


@click.command("init")
@click.argument("data")
@click.option(
    "--form",
    required=True,
    help="typicality, real, rating, preference, similarity, diversity, diversity_aspect, diversity_ranking, writing, "
    "speaker, listener or spans.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="Write the protocol to this file, with paths relative to it. Default: print it, with paths as given.",
)
def command(data: str, form: str, output: Path | None) -> None:
    """Print a protocol for DATA: all wording, rules, checks and prices of a study in one file.

    \b
    assay annotate init outputs.jsonl --form typicality > protocol.toml
    assay annotate init data:huse/summarization --form real -o studies/real.toml
    """
    from assay.annotate.proposal import init
    from assay.io.results import write_text

    protocol = init(data, form, folder="." if output is None else output.parent)
    if output is None:
        click.echo(protocol, nl=False)
    else:
        write_text(protocol, output)
        options.say(f"wrote {output}; check it with: assay annotate check {output}")
