"""`assay data`: the catalogue of public data sets."""

from __future__ import annotations

import click

from assay.cli import options


@click.group("data")
def command() -> None:
    """Public data sets, by the name that `data:NAME` takes wherever a path is.

    Files lie in the folder that ASSAY_DATA names, else in the user's data folder. Nothing is fetched unless `get`
    is called.
    """


@command.command("list")
@options.json_option
def list_entries(as_json: bool) -> None:
    """Show all data sets, and which of them are here."""
    from assay.io.catalogue import data_folder, entries
    from assay.part.text import text_table

    if as_json:
        described = [_describe(name) for name in entries()]
        options.print_json({"folder": str(data_folder()), "data": described})
        return
    rows: list[list[str | float]] = [
        [f"data:{name}", "yes" if entry.file.is_file() else "no", entry.about] for name, entry in entries().items()
    ]
    click.echo(text_table(["name", "here", "what it is"], rows))
    options.say(f"folder: {data_folder()}")


@command.command("get")
@click.argument("name")
def get(name: str) -> None:
    """Fetch a data set from where its authors publish it."""
    from assay.io.catalogue import entry
    from assay.io.download import fetch

    known = entry(name)
    if known.file.is_file():
        options.say(f"{known.existing_file()} is there already; delete it to fetch it again.")
    else:
        options.say(f"fetching {known.url} ({known.cite}). Terms: {known.terms}.")
        fetch(known)
    click.echo(known.file)


@command.command("path")
@click.argument("name")
def path(name: str) -> None:
    """Print where the file of a data set lies."""
    from assay.io.catalogue import entry

    click.echo(entry(name).existing_file())


@command.command("check")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@options.json_option
def check_entries(names: tuple[str, ...], as_json: bool) -> None:
    """Verify columns and counts of the data sets that are here, or of those named.

    A file whose SHA-256 is not that of the authors' original is told, and still checked.
    """
    from assay.errors import DataError
    from assay.io.catalogue import entries, entry
    from assay.io.catalogue_check import check

    results = [check(known) for known in (map(entry, names) if names else entries().values())]
    if as_json:
        options.print_json(
            {"data": [{"name": r.name, "status": r.status, "original": r.original, "notes": r.notes} for r in results]}
        )
    else:
        for result in results:
            click.echo(f"{result.status:6} data:{result.name}" + "".join(f"\n       {note}" for note in result.notes))
    failed = [r for r in results if r.status == "wrong" or (names and r.status == "absent")]
    if failed:
        raise DataError(f"{len(failed)} of {len(results)} data sets are not as the catalogue says.")


def _describe(name: str) -> dict[str, object]:
    from assay.io.catalogue import entry

    known = entry(name)
    return {
        "name": name,
        "about": known.about,
        "cite": known.cite,
        "here": known.file.is_file(),
        "path": str(known.file),
        "url": known.url,
        "page": known.page,
        "sha256": known.sha256 or None,
        "terms": known.terms,
        "format": known.format,
    }
