"""Explain a guessed mapping: a reason for each column, and three rows as they are understood."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

from assay.errors import DataError
from assay.io.catalogue import PREFIX
from assay.io.mapping.columns import written
from assay.io.mapping.guess import Guess, guess_mapping, summarized
from assay.io.mapping.profile import profiles
from assay.io.mapping.read import LOOKED_AT, mapped_dataset
from assay.io.paths import is_file
from assay.io.places import stem, unpacked
from assay.io.score_tables import describes_scores
from assay.io.special.formats import detect_format
from assay.io.special.hugging_face import dataset_rows, is_dataset_folder
from assay.io.special.rowwise import format_of_row
from assay.io.tabular.rows import ENDINGS, WORDS, Row, first_rows
from assay.io.tabular.separated import has_decimal_commas
from assay.records import Dataset

ROWS_SHOWN = 3
MOST_CHARACTERS = 70


def is_foreign(name: str) -> bool:
    """Whether this is a table in no known format, without outputs in a column `text`: one that needs a mapping."""
    if name.startswith(PREFIX):
        return False
    path = unpacked(name)
    if is_dataset_folder(path):
        rows = dataset_rows(path)[:LOOKED_AT]
        return bool(rows) and format_of_row(rows[0][1]) is None and not any("text" in row for _, row in rows)
    if not is_file(path) or path.suffix.lower() not in ENDINGS or describes_scores(path):
        return False
    if detect_format(path) != "flat":
        return False
    rows = first_rows(path, LOOKED_AT)
    if not any("text" in row for _, row in rows):
        return bool(rows)
    return summarized(profiles(rows)) is not None


def guess_of(name: str) -> Guess:
    """Guess the mapping of a foreign file."""
    path = unpacked(name)
    return guess_mapping(_first(path), decimal_commas=has_decimal_commas(path))


def explained_guess(name: str, say: Callable[[str], None]) -> Guess:
    """Guess the mapping of a foreign file, and say what it is and why."""
    path = unpacked(name)
    rows, decimal_commas = _first(path), has_decimal_commas(path)
    guess = guess_mapping(rows, decimal_commas=decimal_commas)
    if not guess.is_usable:
        columns = ", ".join(map(str, dict.fromkeys(key for _, row in rows for key in row)))
        raise DataError(
            f"{name}: nothing looks like texts or ratings. The columns are {columns}. Say which are, as in: assay init "
            f"{shlex.quote(name)} --map text=COLUMN,item=COLUMN"
        )
    say(f"{name} is a table of another kind. A guess at what its columns are:")
    width = max(len(field) for field in guess.mapping.fields)
    for field, sources in guess.mapping.fields.items():
        columns = ", ".join(written(source) for source in sources)
        say(f"  {field:{width}} = {columns}  ({guess.reasons.get(field, '')})")
    for column, summary in guess.left_out.items():
        say(f"  left out: {column}  ({summary}); kept as a column")
    try:
        understood = mapped_dataset(
            rows,
            guess.mapping,
            Path(name).name,
            stem(name),
            decimal_commas=decimal_commas,
            word=WORDS.get(path.suffix, "line"),
        )
    except DataError as error:
        raise DataError(
            [
                *error.problems[:ROWS_SHOWN],
                f"So the guess is wrong. Correct it: assay init {shlex.quote(name)} --map "
                f"{shlex.quote(str(guess.mapping))}",
            ]
        ) from None
    say(f"The first {min(ROWS_SHOWN, len(understood))} outputs, as understood:")
    for row in range(min(ROWS_SHOWN, len(understood))):
        say(f"  {_shown(understood, row)}")
    say(f"To correct it, pass this to any command: --map {shlex.quote(str(guess.mapping))}")
    return guess


def _first(path: Path) -> list[Row]:
    return dataset_rows(path)[:LOOKED_AT] if is_dataset_folder(path) else first_rows(path, LOOKED_AT)


def _shown(dataset: Dataset, row: int) -> str:
    output = dataset.output(row)
    parts = [f"item {_short(output.item.id)}", f"system {_short(output.system)}", f"text {_short(output.text)!r}"]
    if output.item.context:
        parts.append(f"context {_short(output.item.context)!r}")
    if output.item.references:
        parts.append(f"{len(output.item.references)} references")
    answers = [
        f"{answer.criterion} {answer.value:g}"
        if isinstance(answer.value, float)
        else f"{answer.criterion} {_short(answer.value)}"
        for answer in output.judgments
    ]
    if answers:
        parts.append(f"judgments: {', '.join(answers[:6])}{' ...' if len(answers) > 6 else ''}")
    return "; ".join(parts)


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= MOST_CHARACTERS else plain[: MOST_CHARACTERS - 1] + "…"
