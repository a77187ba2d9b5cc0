"""Where commands that judge evaluators get their scores: a table on disk, or a data set scored now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

from assay.cli import options
from assay.errors import AssayError, EvaluatorError, did_you_mean
from assay.grammar import without_origin

if TYPE_CHECKING:
    from assay.records import Dataset
    from assay.scores import Column, ScoreTable


@dataclass(frozen=True)
class Source:
    """The data named on the command line: a table of scores, or a data set that is scored on demand.

    `evaluators` are all that will be asked for, where that is not at once: one of them must heed `scoring`.
    """

    data: str
    seed: int = 0
    workers: int = 1
    no_cache: bool = False
    lower_is_better: tuple[str, ...] = ()
    scoring: options.Scoring = field(default_factory=options.Scoring)
    evaluators: tuple[str, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether the file, or a folder of mt-metrics-eval, holds scores and no texts."""
        from assay.io.mtme import is_mtme_folder
        from assay.io.score_tables import is_score_table

        return is_score_table(self.data) or is_mtme_folder(self.data)

    @cached_property
    def dataset(self) -> Dataset | None:
        """The data set, read once; None for a table of scores."""
        from assay.io import load

        return None if self.is_table else load(self.data)

    def score(self, evaluators: Sequence[str], unit: str | None = None) -> ScoreTable:
        """The scores of the given columns; all columns of a table on disk where none is given."""
        if self.dataset is None:
            if self.scoring.of_learning:
                raise AssayError(f"{self.data} holds scores already: leave {self.scoring.of_learning} out.")
            return self._stored(evaluators, unit)
        if not evaluators:
            raise AssayError(f"{self.data} holds texts, not scores. Name evaluators with -e, such as -e bleu.")
        from assay.io.cache import ScoreCache
        from assay.run import score

        scoring = self.scoring.arguments(self.dataset, self.evaluators or evaluators)
        with options.progress("scoring") as progress:
            return score(
                self.dataset,
                list(dict.fromkeys(evaluators)),
                unit=unit,
                **scoring,
                seed=self.seed,
                workers=self.workers,
                cache=None if self.no_cache else ScoreCache(),
                progress=progress,
                failures="error",
            )

    def _stored(self, columns: Sequence[str], unit: str | None) -> ScoreTable:
        from assay.io.mtme import is_mtme_folder, read_mtme
        from assay.score_files import load_scores

        is_mtme = is_mtme_folder(self.data)
        table = read_mtme(self.data, "sys" if unit == "system" else "seg") if is_mtme else load_scores(self.data)
        notes = [f"{self.data}: {note}" for note in table.notes]
        lower = {_column_of(self.data, table, name) for name in self.lower_is_better}
        chosen = {name: _column_of(self.data, table, name) for name in columns or table.columns}
        is_own = any(map(_is_described, table.columns.values()))
        turned = {asked: replace(table[name], name=asked) for asked, name in chosen.items()}
        turned |= {asked: replace(turned[asked], higher_is_better=False) for asked in turned if chosen[asked] in lower}
        unsaid = [name for name, column in turned.items() if not _is_described(column)]
        if unsaid:
            notes.append(
                f"{self.data} does not say whether high or low is good ({', '.join(unsaid)}): scores are taken as "
                "they are. Name columns in which low is good with --lower-is-better."
            )
        table = replace(table, columns=turned, notes=tuple(notes))
        if unit is None or unit == table.kind:
            return table
        if is_own:
            raise AssayError(
                f"{self.data} holds scores of {table.kind}s, not of {unit}s. Leave --unit out (--level system pools), "
                f"or score again with --unit {unit}."
            )
        return replace(table, kind=unit)


def _is_described(column: Column) -> bool:
    """Whether more is known of a column than its numbers."""
    return bool(column.signature) or column.higher_is_better is not None


def _column_of(data: str, table: ScoreTable, asked: str) -> str:
    """The column of this name, or the one whose signature says the same; results name their columns by signature."""
    if asked in table.columns:
        return asked
    same = [name for name, column in table.columns.items() if without_origin(column.signature) == asked]
    if not same:
        raise EvaluatorError(f"{data} has no column {asked!r}.{did_you_mean(asked, table.columns)}")
    return same[0]
