"""Options shared by the tests of diversity metrics."""

from __future__ import annotations

import click

from assay.cli import options

resamples_option = click.option(
    "--resamples",
    type=options.count(),
    default=1000,
    show_default=True,
    help="Resamples behind the interval of OCA; the other intervals are jackknifed over contexts. 0 skips all of them.",
)
label_option = click.option(
    "--label", default="label_value", show_default=True, help="The set column with two classes."
)
high_option = click.option(
    "--high", metavar="VALUE", help="The label value that means high diversity. Default: the larger number."
)
