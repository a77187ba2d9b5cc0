"""`assay answers`: what services replied, kept so that nothing is asked twice."""

from __future__ import annotations

import time
from datetime import date

import click

from assay.cli import options

DAY = 86400.0


@click.command("answers")
@click.option("--service", metavar="NAME", help="Only answers of this service.")
@click.option("--older-than", type=click.FloatRange(0), metavar="DAYS", help="Only answers older than this.")
@click.option("--forget", is_flag=True, help="Remove them: the next run asks again.")
@options.json_option
def command(service: str | None, older_than: float | None, forget: bool, as_json: bool) -> None:
    """List what services replied, or forget it.

    Evaluators that ask a service, such as a language model, keep every reply in `answers.sqlite` of the cache folder
    (ASSAY_CACHE) until it is removed here.

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
            raise AssayError("say which answers to forget: --service NAME, --older-than DAYS or both.")
        before = None if older_than is None else time.time() - older_than * DAY
        n = store.forget(service=service, before=before)
        options.say(f"removed {n} answers from {store.path}")
    kept = [one for one in store.summary() if service in (None, one.service)]
    if as_json:
        options.print_json({"path": str(store.path), "services": [vars(one) for one in kept]})
        return
    rows: list[list[str | float | int]] = [
        [one.service, one.n, one.n_bytes, _day(one.oldest), _day(one.newest)] for one in kept
    ]
    click.echo(text_table(["service", "answers", "bytes", "oldest", "newest"], rows))


def _day(seconds: float) -> str:
    return date.fromtimestamp(seconds).isoformat()
