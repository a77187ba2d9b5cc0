"""`assay answers`: cached replies of services."""

from __future__ import annotations

import time
from datetime import date

import click

from assay.cli import options

DAY = 86400.0


@click.command("answers")
@click.option("--service", metavar="NAME", help="Only answers of this service.")
@click.option("--older-than", type=click.FloatRange(0), metavar="DAYS", help="Only answers older than this.")
@click.option("--forget", is_flag=True, help="Delete them; the next run sends the requests again.")
@options.json_option
def command(service: str | None, older_than: float | None, forget: bool, as_json: bool) -> None:
    """List or delete cached replies of services.

    Evaluators that call a service, such as a language model, store every reply in `answers.sqlite` in the cache folder
    (ASSAY_CACHE) until it is deleted here.

    \b
    assay answers
    assay answers --older-than 90 --forget
    """
    from assay.errors import AssayError
    from assay.io.answers import AnswerStore
    from assay.part.text import text_table

    store = AnswerStore()
    if forget:
        if service is None and older_than is None:
            raise AssayError("name the answers to delete: --service NAME, --older-than DAYS or both.")
        before = None if older_than is None else time.time() - older_than * DAY
        options.say(f"deleted {store.forget(service=service, before=before)} answers from {store.path}")
    services = [entry for entry in store.summary() if service in (None, entry.service)]
    if as_json:
        options.print_json({"path": str(store.path), "services": list(map(vars, services))})
        return
    rows: list[list[str | float | int]] = [
        [entry.service, entry.n, entry.n_bytes, _day(entry.oldest), _day(entry.newest)] for entry in services
    ]
    click.echo(text_table(["service", "answers", "bytes", "oldest", "newest"], rows))


def _day(seconds: float) -> str:
    return date.fromtimestamp(seconds).isoformat()
