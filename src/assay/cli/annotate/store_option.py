"""The option that names the store of a study."""

import click

store_option = click.option("--store", help="SQLite file or postgresql://... of the answers. Default: beside PROTOCOL.")
