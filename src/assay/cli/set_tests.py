"""Options that the tests of diversity metrics share."""

from __future__ import annotations

import click

from assay.cli import options

resamples_option = click.option(
    "--resamples",
    type=options.count(),
    default=1000,
    show_default=True,
    help="Draws behind the interval of OCA; the others leave out each context in turn. 0 leaves all of them out.",
)
label_option = click.option(
    "--label", default="label_value", show_default=True, help="The column of the sets with two classes."
)
high_option = click.option(
    "--high", metavar="VALUE", help="Which value of the label is high diversity; default the larger number."
)
