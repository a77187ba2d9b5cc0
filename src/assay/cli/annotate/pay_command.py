"""`assay annotate pay`: files for paying annotators of a panel."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli import options
from assay.cli.annotate.store_option import store_option


@click.command("pay")
@click.argument("protocol", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=click.Path(path_type=Path), required=True, help="Folder of the files.")
@click.option("--base", type=float, default=0.0, show_default=True, help="What the panel pays by itself per person.")
@store_option
def command(protocol: Path, output: Path, base: float, store: str | None) -> None:
    """Write whom to approve, whom to reject and bonuses of the study of PROTOCOL, by the panel's ids.

    Those with an accepted page are approved, those whose pages were all rejected are rejected; a bonus is the price of
    accepted pages beyond --base. Nobody is paid for pages that are neither accepted nor rejected: see undecided.csv.

    \b
    assay annotate pay protocol.toml -o payments --base 1.50
    """
    from assay.annotate.protocol_file import read_protocol
    from assay.annotate.standing import pay

    result = pay(read_protocol(protocol), output, base=base, store=store)
    options.say(
        f"wrote {output}: {len(result.approve)} to approve, {len(result.reject)} to reject, "
        f"{len(result.bonus)} bonuses, {len(result.undecided)} undecided"
    )
    if result.unknown:
        options.say(f"{len(result.unknown)} annotators did not come from a panel and are in no file.")
