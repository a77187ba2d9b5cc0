"""The scores behind a command: a table on disk, or a dataset scored on demand."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from assay.cli import options
from assay.errors import AssayError, DataError
from assay.io.files import Given

if TYPE_CHECKING:
    from assay.records import Dataset
    from assay.scores import Column, ScoreTable


@dataclass(frozen=True)
class Source:
    """The data named on the command line: a score table, or a dataset that is scored on demand.

    `evaluators` are all that the command will score: at least one of them must learn if `scoring` says how.
    """

    data: str | Given
    seed: int = 0
    workers: int = 1
    no_cache: bool = False
    lower_is_better: tuple[str, ...] = ()
    scoring: options.Scoring = field(default_factory=options.Scoring)
    evaluators: tuple[str, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether the data is a score table, or an mt-metrics-eval folder."""
        from assay.io.mtme import is_mtme_folder
        from assay.io.score_parts import is_score_folder
        from assay.io.score_tables import describes_scores, is_score_table
        from assay.io.special.formats import detect_format

        path = self.path
        if path is None:
            return False
        if is_score_table(path):
            return describes_scores(Path(path)) or detect_format(Path(path)) == "flat"
        return is_mtme_folder(path) or is_score_folder(path)

    @property
    def path(self) -> str | None:
        """The file, if there is a single one."""
        return self.data if isinstance(self.data, str) else self.data.path

    @cached_property
    def dataset(self) -> Dataset | None:
        """The dataset, read once; None for a score table."""
        from assay.io import load

        return None if self.is_table else load(self.data)

    def score(self, evaluators: Sequence[str], unit: str | None = None) -> ScoreTable:
        """Score with the evaluators; for a score table, return these columns, or all."""
        if self.dataset is None:
            if self.scoring.in_use():
                raise AssayError(f"{self.data} already holds scores: leave out {self.scoring.in_use()}.")
            try:
                return self._stored(evaluators, unit)
            except AssayError as error:
                raise _with_mapping(error, self.path) from None
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
        from assay.analyses.sources import column_of
        from assay.io.mtme import is_mtme_folder, read_mtme
        from assay.score_files import load_scores

        path = self.path
        assert path is not None
        is_mtme = is_mtme_folder(path)
        table = read_mtme(path, "sys" if unit == "system" else "seg") if is_mtme else load_scores(path)
        if isinstance(self.data, Given):
            table = table.select_systems(self.data.systems, self.data.exclude)
        notes = [f"{self.data}: {note}" for note in table.notes]
        lower = {column_of(table, name, path) for name in self.lower_is_better}
        chosen = {name: column_of(table, name, path) for name in columns or table.columns}
        has_kind = any(map(_is_described, table.columns.values()))
        selected = {alias: replace(table[name], name=alias) for alias, name in chosen.items()}
        for alias, name in chosen.items():
            if name in lower:
                selected[alias] = replace(selected[alias], higher_is_better=False)
        undirected = [name for name, column in selected.items() if not _is_described(column)]
        if undirected:
            notes.append(
                f"{self.data} does not say whether higher is better ({', '.join(undirected)}): scores are used as they "
                "are. Name columns in which lower is better with --lower-is-better."
            )
        table = replace(table, columns=selected, notes=tuple(notes))
        if unit is None or unit == table.kind:
            return table
        if has_kind:
            raise AssayError(
                f"{self.data} holds scores of {table.kind}s, not of {unit}s. Leave --unit out (--level system pools), "
                f"or rerun assay score with --unit {unit}."
            )
        return replace(table, kind=unit)


def _with_mapping(error: AssayError, name: str | None) -> AssayError:
    """The error of a table that has no such scores, and how to read it if it holds something else."""
    from assay.io.mapping.explain import guess_of, is_foreign

    if name is None or not is_foreign(name):
        return error
    guess = guess_of(name)
    if not guess.is_usable:
        return error
    problems = error.problems[:3] if isinstance(error, DataError) else [str(error)]
    remedy = f"If it holds texts or ratings, not scores, this would work: --map {shlex.quote(str(guess.mapping))}"
    return DataError([*problems, remedy])


def _is_described(column: Column) -> bool:
    """Whether a column has a signature or a direction, not only numbers."""
    return bool(column.signature) or column.higher_is_better is not None
