"""The result of every analysis, shown by the command line, studies, notebooks and reports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from assay.errors import AssayError, did_you_mean
from assay.framed import Columns, Framed
from assay.part.examples import Example, html_examples
from assay.part.html import html_table
from assay.part.markup import latex_table, markdown_table
from assay.part.model import Number, Picture, Table, plain_json
from assay.part.text import titled_text_table
from assay.part.visible import visible_line
from assay.part.words import paragraphs, sentence

FORMS = ("text", "markdown", "latex")

# The questions of the first screen, which any analysis may answer, and the text shown if no step of a study does.
QUESTIONS = {
    "best": ("Which generator is best, and how sure is that?", "No step of this study ranks generators."),
    "wrong": ("What does each get wrong?", "No step of this study looks for failures."),
    "trust": ("Which evaluators can be trusted here?", "No step of this study compares evaluators with a target."),
    "missing": ("What is missing from the data?", "Nothing that a step of this study looked for."),
    "next": ("What to measure next?", "Nothing stands out."),
}


@dataclass(frozen=True)
class Part(Framed):
    """The result of one analysis: a section of a report.

    Attributes:
        title: of the section.
        summary: what was done, in a paragraph or two.
        answers: sentences, by the question in `QUESTIONS` that they answer.
        numbers: every number, with interval and signature.
        tables: the numbers, arranged for reading.
        pictures: figures.
        methods: signatures, and the works to cite.
        scores: tables of single units as CSV, by name.
        notes: caveats: gaps and their reasons, warnings.
        seed: the random seed.
        headline: the results that a script looks for, by name; `--json` prints them at the top level.
        examples: texts worth reading, beside the answers of other systems.
    """

    title: str
    summary: str
    answers: Mapping[str, list[str]] = field(default_factory=dict)
    numbers: tuple[Number, ...] = ()
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()
    methods: tuple[str, ...] = ()
    scores: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seed: int = 0
    headline: Mapping[str, Any] = field(default_factory=dict)
    examples: tuple[Example, ...] = ()

    def table(self, name: str) -> Table:
        """The table of this name."""
        return next(table for table in self.tables if table.name == name)

    def figure(self, name: str = "") -> Picture:
        """A figure by name, by default the first; a notebook shows it, `save` writes it."""
        if not self.pictures:
            raise AssayError(f"{self.title}: this result has no figures.")
        for picture in self.pictures:
            if name in ("", picture.name):
                return picture
        raise AssayError(f"no figure {name!r}.{did_you_mean(name, [picture.name for picture in self.pictures])}")

    def frame_columns(self) -> Columns:
        """A row per number: its name, what it is about, value, interval, sample size, reason and signature."""
        rows: list[dict[str, Any]] = [
            {
                "name": number.name,
                **number.about,
                "value": number.value,
                "low": number.low,
                "high": number.high,
                "n": number.n,
                "n_missing": number.n_missing,
                "reason": number.reason,
                "signature": number.signature,
            }
            for number in self.numbers
        ]
        names = dict.fromkeys(name for row in rows for name in row)
        return {name: [row.get(name) for row in rows] for name in names}

    def without_files(self) -> Part:
        """The part without what is written to files: pictures, scores and tables of single units."""
        shown = tuple(table for table in self.tables if not table.in_file)
        return replace(self, tables=shown, pictures=(), scores={})

    def render(self, form: str = "text") -> str:
        """Render the part as `text`, `markdown` or `latex`, without its notes."""
        shown = [table for table in self.tables if not table.in_file]
        if form == "latex":
            return "\n".join(latex_table(replace(table, title=table.title or self.title)) for table in shown)
        mark = "**" if form == "markdown" else ""
        blocks = [visible_line(line) for line in self.summary.split("\n\n") if line]
        for key, (question, _) in QUESTIONS.items():
            if self.answers.get(key):
                lines = [f"- {visible_line(answer)}" for answer in self.answers[key]]
                blocks.append("\n".join([f"{mark}{question}{mark}", *([""] if mark else []), *lines]))
        blocks += [markdown_table(table) if mark else titled_text_table(table) for table in shown]
        return "\n\n".join(blocks) + "\n"

    def __str__(self) -> str:
        return self.render() + "".join(f"\n{visible_line(note)}\n" for note in self.notes)

    def _repr_markdown_(self) -> str:
        notes = "".join(f"\n{visible_line(note)}\n" for note in self.notes)
        return f"### {visible_line(self.title)}\n\n{self.render('markdown')}{notes}"

    def _repr_html_(self) -> str:
        """Render the part in a notebook: tables, then figures."""
        answers = [
            f"<h4>{sentence(QUESTIONS[key][0])}</h4><ul>{''.join(f'<li>{sentence(line)}</li>' for line in lines)}</ul>"
            for key in QUESTIONS
            if (lines := self.answers.get(key))
        ]
        tables = [html_table(table) for table in self.tables if not table.in_file]
        figures = [
            f"<figure>{picture.drawing.svg(picture.name)}<figcaption>{sentence(picture.caption)}</figcaption></figure>"
            for picture in self.pictures
        ]
        notes = map(paragraphs, self.notes)
        head = f"<h3>{sentence(self.title)}</h3>{paragraphs(self.summary)}"
        inside = "".join([head, *answers, *tables, html_examples(self.examples), *figures, *notes])
        return f'<div style="overflow-x: auto; max-width: 100%">{inside}</div>'

    def to_json(self) -> dict[str, Any]:
        """Return the part as JSON values, NaN as None and an infinity as a string: what `--json` prints."""
        about = {
            "title": self.title,
            "summary": self.summary,
            "answers": dict(self.answers),
            "seed": self.seed,
            "numbers": [number.to_json(self.seed) for number in self.numbers],
            "tables": [table.to_json() for table in self.tables],
            "pictures": list(map(asdict, self.pictures)),
            **({"examples": list(map(asdict, self.examples))} if self.examples else {}),
            "methods": list(self.methods),
            "scores": dict(self.scores),
            "notes": list(self.notes),
            **({"headline": dict(self.headline)} if self.headline else {}),
        }
        return {key: plain_json(value) for key, value in about.items()}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Part:
        """Rebuild a part from `to_json`."""
        parts = {
            "numbers": tuple(map(Number.from_json, stored["numbers"])),
            "tables": tuple(map(Table.from_json, stored["tables"])),
            "pictures": tuple(map(Picture.from_json, stored["pictures"])),
            "examples": tuple(map(Example.from_json, stored.get("examples", ()))),
            "methods": tuple(stored["methods"]),
            "notes": tuple(stored["notes"]),
        }
        return cls(**{**stored, **parts})


def reasons_once(gaps: Iterable[tuple[str, str]]) -> list[str]:
    """Format gaps as `what: reason`; a shared reason appears once, with a count."""
    by_reason: dict[str, list[str]] = {}
    for what, reason in gaps:
        if reason:
            by_reason.setdefault(reason, []).append(what)
    return [
        f"{shared[0]}: {reason}{f' ({len(shared) - 1:,} more alike)' if len(shared) > 1 else ''}"
        for reason, shared in by_reason.items()
    ]
