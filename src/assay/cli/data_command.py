"""`assay data`: the catalogue of public datasets."""

from __future__ import annotations

import click

from assay.cli import options


@click.group("data")
def command() -> None:
    """Public datasets; `data:NAME` works wherever a path does.

    Files are in the folder ASSAY_DATA, else in the user data folder. Only `get` downloads anything.
    """


@command.command("list")
@options.json_option
def list_entries(as_json: bool) -> None:
    """List all datasets, and which are on this computer."""
    from assay.io.catalogue import data_folder
    from assay.io.public_data import data
    from assay.part.text import text_table

    if as_json:
        options.print_json({"folder": str(data_folder()), "data": data()})
        return
    rows: list[list[str | float]] = [
        [f"data:{one['name']}", "yes" if one["here"] else "no", one["about"]] for one in data()
    ]
    click.echo(text_table(["name", "here", "what it is"], rows))
    options.say(f"folder: {data_folder()}")


@command.command("get")
@click.argument("name")
def get(name: str) -> None:
    """Download a dataset from its publisher."""
    from assay.io.catalogue import entry
    from assay.io.public_data import data

    dataset = entry(name)
    if dataset.file.is_file():
        options.say(f"{dataset.existing_file()} exists; delete it to download it again.")
    else:
        options.say(f"downloading {dataset.url} ({dataset.cite}). Terms: {dataset.terms}.")
    click.echo(data(name, get=True))


@command.command("path")
@click.argument("name")
def path(name: str) -> None:
    """Print the path of a dataset."""
    from assay.io.public_data import data

    click.echo(data(name))


@command.command("check")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@options.json_option
def check_entries(names: tuple[str, ...], as_json: bool) -> None:
    """Verify columns and counts of the named datasets, by default of all on this computer.

    A file whose SHA-256 differs from the original is reported, and still checked.
    """
    from assay.errors import DataError
    from assay.io.public_data import check_data

    results = check_data(*names)
    if as_json:
        options.print_json(
            {"data": [{"name": r.name, "status": r.status, "original": r.original, "notes": r.notes} for r in results]}
        )
    else:
        for result in results:
            click.echo(f"{result.status:6} data:{result.name}" + "".join(f"\n       {note}" for note in result.notes))
    failed = [r for r in results if r.status == "wrong" or (names and r.status == "absent")]
    if failed:
        raise DataError(f"{len(failed)} of {len(results)} datasets do not match the catalogue.")
