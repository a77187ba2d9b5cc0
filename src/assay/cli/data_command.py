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
    from assay.io.catalogue import data_folder, entries
    from assay.part.text import text_table

    if as_json:
        options.print_json({"folder": str(data_folder()), "data": list(map(_describe, entries()))})
        return
    rows: list[list[str | float]] = [
        [f"data:{name}", "yes" if entry.file.is_file() else "no", entry.about] for name, entry in entries().items()
    ]
    click.echo(text_table(["name", "here", "what it is"], rows))
    options.say(f"folder: {data_folder()}")


@command.command("get")
@click.argument("name")
def get(name: str) -> None:
    """Download a dataset from its publisher."""
    from assay.io.catalogue import entry
    from assay.io.download import fetch

    dataset = entry(name)
    if dataset.file.is_file():
        options.say(f"{dataset.existing_file()} exists; delete it to download it again.")
    else:
        options.say(f"downloading {dataset.url} ({dataset.cite}). Terms: {dataset.terms}.")
        fetch(dataset)
    click.echo(dataset.file)


@command.command("path")
@click.argument("name")
def path(name: str) -> None:
    """Print the path of a dataset."""
    from assay.io.catalogue import entry

    click.echo(entry(name).existing_file())


@command.command("check")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@options.json_option
def check_entries(names: tuple[str, ...], as_json: bool) -> None:
    """Verify columns and counts of the named datasets, by default of all on this computer.

    A file whose SHA-256 differs from the original is reported, and still checked.
    """
    from assay.errors import DataError
    from assay.io.catalogue import entries, entry
    from assay.io.catalogue_check import check

    results = [check(dataset) for dataset in (map(entry, names) if names else entries().values())]
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


def _describe(name: str) -> dict[str, object]:
    from assay.io.catalogue import entry

    dataset = entry(name)
    return {
        "name": name,
        "about": dataset.about,
        "cite": dataset.cite,
        "here": dataset.file.is_file(),
        "path": str(dataset.file),
        "url": dataset.url,
        "page": dataset.page,
        "sha256": dataset.sha256 or None,
        "terms": dataset.terms,
        "format": dataset.format,
    }
