"""Where commands that judge evaluators get their scores: a table on disk, or a data set scored now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

from assay.cli import options
from assay.errors import AssayError, EvaluatorError, did_you_mean

if TYPE_CHECKING:
    from assay.records import Dataset
    from assay.scores import ScoreTable


@dataclass(frozen=True)
class Source:
    """The data named on the command line: a table of scores, or a data set that is scored on demand."""

    data: str
    seed: int = 0
    workers: int = 1
    no_cache: bool = False
    lower_is_better: tuple[str, ...] = ()

    @property
    def is_table(self) -> bool:
        """Whether the file, or a folder of mt-metrics-eval, holds scores and no texts."""
        from assay.io.mtme import is_mtme_folder
        from assay.io.read_scores import is_score_table

        return is_score_table(self.data) or is_mtme_folder(self.data)

    @cached_property
    def dataset(self) -> Dataset:
        """The data set, read once."""
        from assay.io import load

        return load(self.data)

    def table(self, columns: Sequence[str], unit: str | None) -> ScoreTable:
        """The scores of the given columns; all columns of a table on disk where none is given."""
        if self.is_table:
            return self._stored(columns, unit)
        if not columns:
            raise AssayError(f"{self.data} holds texts, not scores. Name evaluators with -e, such as -e bleu.")
        from assay.io.cache import ScoreCache
        from assay.run import score

        with options.progress("scoring") as progress:
            return score(
                self.dataset,
                list(dict.fromkeys(columns)),
                unit=unit,
                seed=self.seed,
                workers=self.workers,
                cache=None if self.no_cache else ScoreCache(),
                progress=progress,
                failures="error",
            )

    def _stored(self, columns: Sequence[str], unit: str | None) -> ScoreTable:
        from assay.io.mtme import is_mtme_folder, read_mtme
        from assay.io.read_scores import read_scores, with_unit

        is_mtme = is_mtme_folder(self.data)
        table = read_mtme(self.data, "sys" if unit == "system" else "seg") if is_mtme else read_scores(self.data)
        for note in table.notes:
            options.say(f"{self.data}: {note}")
        for name in (*columns, *self.lower_is_better):
            if name not in table.columns:
                raise EvaluatorError(f"{self.data} has no column {name!r}.{did_you_mean(name, table.columns)}")
        chosen = dict.fromkeys(columns) if columns else table.columns
        turned = {name: replace(table[name], higher_is_better=name not in self.lower_is_better) for name in chosen}
        table = replace(table, columns=turned)
        return with_unit(table, unit) if unit else table
