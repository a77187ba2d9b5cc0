"""`assay annotate simulate`: a rehearsal of a study with bots."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from assay.cli import options
from assay.cli.show import result_options, show

SHARE = click.FloatRange(0, 1)
SD = click.FloatRange(0, 3)


@click.command("simulate")
@click.argument("protocol", type=click.Path(path_type=Path))
@click.option(
    "--annotators", type=click.IntRange(1, 100_000), default=200, show_default=True, help="Who would come, at most."
)
@click.option("--spammers", type=SHARE, default=0.1, show_default=True, help="Share of them who answer at random.")
@click.option("--leave", type=SHARE, default=0.1, show_default=True, help="Share who leave with a page open.")
@click.option(
    "--noise", type=SD, default=0.15, show_default=True, help="Standard deviation of one answer, by the scale's width."
)
@click.option(
    "--annotator-sd", type=SD, default=0.1, show_default=True, help="Standard deviation of leniency, likewise."
)
@click.option(
    "--unit-sd", type=SD, default=0.15, show_default=True, help="Standard deviation of quality between units, likewise."
)
@click.option("--item-sd", type=SD, default=0.1, show_default=True, help="Standard deviation between items, likewise.")
@click.option(
    "--system-sd", type=SD, default=0.1, show_default=True, help="Standard deviation between systems, likewise."
)
@click.option(
    "--slips", type=SHARE, default=0.05, show_default=True, help="Probability that honest annotators miss a check."
)
@click.option(
    "--hurry",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.5,
    show_default=True,
    help="Time of a spammer per unit, as a share of that of others.",
)
@click.option(
    "--speed-sd", type=SD, default=0.3, show_default=True, help="Standard deviation of the logarithm of seconds."
)
@click.option(
    "--arrivals",
    type=click.FloatRange(0.01, 1e6),
    default=60.0,
    show_default=True,
    help="Annotators who come per hour.",
)
@options.seed_option
@result_options
def command(protocol: Path, form: str, as_json: bool, **assumed: Any) -> None:
    """Rehearse PROTOCOL with bots: annotators needed, cost, hours, dropouts, and what agreement to expect.

    Bots answer the real form in a temporary store and in simulated time; the store of the study is not touched. All
    numbers are simulated under assumptions that are listed with them.

    \b
    assay annotate simulate protocol.toml --annotators 200 --spammers .1
    """
    from assay.annotate.protocol_file import read_protocol
    from assay.annotate.rehearsal import simulate

    show(simulate(read_protocol(protocol), **assumed), form, as_json)
