"""`assay answers`: cached replies of services."""

from __future__ import annotations

from datetime import date

import click

from assay.cli import options


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
    from assay.io.answers import AnswerStore, answers
    from assay.part.text import text_table

    path = AnswerStore().path
    before = sum(entry.n for entry in answers(service))
    services = answers(service, older_than=older_than, forget=forget)
    if forget:
        options.say(f"deleted {before - sum(entry.n for entry in services)} answers from {path}")
    if as_json:
        options.print_json({"path": str(path), "services": list(map(vars, services))})
        return
    rows: list[list[str | float | int]] = [
        [entry.service, entry.n, entry.n_bytes, _day(entry.oldest), _day(entry.newest)] for entry in services
    ]
    click.echo(text_table(["service", "answers", "bytes", "oldest", "newest"], rows))


def _day(seconds: float) -> str:
    return date.fromtimestamp(seconds).isoformat()
