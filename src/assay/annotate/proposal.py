"""A complete, commented protocol for a form: all its wording, every rule."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from assay.annotate.wording import CONSENT, INTERFACE, RETENTION
from assay.errors import DataError, did_you_mean
from assay.forms import QUESTIONNAIRES, Questionnaire
from assay.io import load
from assay.io.catalogue import PREFIX
from assay.io.toml import toml_value
from assay.io.toml_lines import BARE_KEY
from assay.records import Criterion

UNITS_ON_A_PAGE = {"typicality": 25, "real": 20, "writing": 1, "speaker": 3, "spans": 3}
SECONDS = {"typicality": 10.0, "real": 20.0, "writing": 240.0, "speaker": 40.0, "spans": 60.0, "listener": 10.0}


def init(data: str | Path, form: str, *, folder: str | Path = ".") -> str:
    """Propose a protocol for data, which must have something to ask this form about.

    Args:
        data: a path, or `data:NAME`.
        form: the name of a questionnaire.
        folder: where the protocol will be: paths in it are relative to that.
    """
    if form not in QUESTIONNAIRES:
        raise DataError(f"no form {form!r}.{did_you_mean(form, QUESTIONNAIRES)}")
    asked = QUESTIONNAIRES[form]
    dataset = load(data)
    if next(iter(asked.units(dataset)), None) is None:
        raise DataError(
            f"{data}: there is nothing to ask the form {form!r} about. `assay annotate init --help` lists all."
        )
    name = str(data)
    if not name.startswith(PREFIX) and not os.path.isabs(name):
        name = os.path.relpath(name, folder)
    return "\n".join(_lines(name, asked)) + "\n"


def _lines(data: str, form: Questionnaire) -> Iterator[str]:
    yield "# All that annotators see and all rules of the study. `assay annotate check` reports mistakes by line,"
    yield "# and what the study costs and takes."
    title = f"{form.name.replace('_', ' ').capitalize()} of {Path(data).name}"
    yield f"title = {toml_value(title)}"
    yield f"form = {toml_value(form.name)}"
    yield f"data = {toml_value(data)}  # relative to this file, or data:NAME"
    yield "# systems = []  # only these"
    yield 'language = "en"  # of the wording below: translate it, and name the language here'
    yield 'direction = "ltr"  # or rtl'
    yield "seed = 0  # of every order and assignment"
    yield f"retention = {toml_value(RETENTION)}"
    yield "# What stands above the units of a page."
    yield f"instruction = {toml_value(form.instruction)}"
    yield from _options(form)
    for criterion in form.criteria:
        yield from _criterion(criterion, is_scale=form.ABOUT not in ("", "set pair") and form.name != "preference")
    yield "\n# Headings and labels of the form."
    yield from _table("words", form.words)
    yield from _rules(form)
    yield from _people()
    yield from _examples(form)
    yield "\n# Every word of the application itself."
    yield from _table("interface", INTERFACE)


def _options(form: Questionnaire) -> Iterator[str]:
    values = {name: getattr(form, name) for name in form.options()}
    if values:
        yield "\n# Settings of the form: docs/protocol.md."
        yield from _table("options", {key: value for key, value in values.items() if not isinstance(value, Mapping)})
        for key, value in values.items():
            if isinstance(value, Mapping):
                yield ""
                yield from _table(f"options.{key}", value)


def _criterion(criterion: Criterion, *, is_scale: bool) -> Iterator[str]:
    """A declared question; anchors and labels are wording, so they are written out."""
    yield "\n# The question. Add tables [criteria.NAME] to ask for more, each on its own scale."
    record = criterion.as_record()
    anchors = record.pop("anchors", {})
    yield from _table(f"criteria.{criterion.name}", record)
    if is_scale and anchors:
        yield ""
        yield from _table(f"criteria.{criterion.name}.anchors", anchors)


def _rules(form: Questionnaire) -> Iterator[str]:
    yield "\n[pages]"
    yield f"units = {UNITS_ON_A_PAGE.get(form.name, 10)}  # on a page, without checks"
    yield "judgments = 3  # of each unit, by different annotators"
    yield "checks = 0  # units of [[checks]] on each page, at random places"
    yield "# most = 10  # pages of one annotator"
    yield 'policy = "balanced"  # or blocks: nobody sees an item twice; or pages: fixed pages'
    yield "lease_minutes = 60.0  # then an unanswered page is given to others"
    yield "revise_minutes = 10.0  # for so long a saved page may be changed"
    yield "\n[payment]"
    yield "per_page = 0.0"
    yield 'currency = "USD"'
    yield f"seconds_per_unit = {SECONDS.get(form.name, 20.0)}  # for the estimates of `assay annotate check`"
    yield "\n# Where annotators come from. A panel passes its ids in the link; they are stored only as keyed hashes."
    yield "[panel]"
    yield '# name = "prolific"'
    yield '# person = "PROLIFIC_PID"'
    yield '# session = "SESSION_ID"'
    yield '# parameters = ["STUDY_ID"]'
    yield '# completion_url = "https://app.prolific.com/submissions/complete?cc={code}"'


def _people() -> Iterator[str]:
    yield "\n[consent]"
    yield f'text = """\n{CONSENT}"""'
    yield "\n# A page of its own before the first texts."
    yield "# [instructions]"
    yield '# text = """..."""'
    yield "\n# Questions at the end, for every annotator. Kinds: choice, line, area, number."
    for name, question in (("age", "How old are you?"), ("english", "Is English your first language?")):
        answers = ["yes", "no"] if name == "english" else ["18-29", "30-44", "45-59", "60 or older"]
        yield "# [[survey]]"
        yield f'# name = "{name}"'
        yield f"# question = {toml_value(question)}"
        yield '# kind = "choice"'
        yield f"# answers = {_value(answers)}"


def _examples(form: Questionnaire) -> Iterator[str]:
    shown = {str: '"..."', int: "0", tuple[str, ...]: '["...", "..."]'}
    keys = [f"# {key} = {shown[kind]}" for key, kind in form.SHOWS.items()]
    if not form.criteria or form.name == "spans":
        return
    answers = f"# answers = {{ {form.criteria[0].name} = ... }}  # one answer, or a list of all that are accepted"
    for name, about in (
        ("checks", "A unit with a known answer among the others; it is never counted as a judgment."),
        ("practice", "A question before the first page, whose answer is then explained."),
        ("qualification.units", "A test before the study. Also: [qualification] with pass = 0.8 and attempts = 1."),
    ):
        yield f"\n# {about}"
        yield f"# [[{name}]]"
        yield from keys
        yield answers
        if name == "practice":
            yield '# why = "..."'


def _table(name: str, values: Mapping[Any, Any]) -> Iterator[str]:
    yield f"[{name}]"
    for key, value in values.items():
        text = str(key)
        yield f"{text if BARE_KEY.fullmatch(text) else toml_value(text)} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml_value, value))}]"
    return toml_value(value)
