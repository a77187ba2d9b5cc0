"""Score tables: rows are units of one kind, columns are evaluators, every gap has a reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

import numpy as np
from numpy.typing import NDArray

from assay.errors import DataError, EvaluatorError, did_you_mean
from assay.framed import Columns, Framed
from assay.kernels.ragged import Ragged
from assay.kernels.statistics.exact_means import exact_means, exact_sums
from assay.text.strings import Strings, chosen_rows

# The kinds of unit, finest first. A pair is two outputs of one set, a matchup two outputs of two systems for one item.
UNITS = ("output", "pair", "matchup", "set", "system")
PAIRED = ("pair", "matchup")

# Prefix of the reason of a transient failure.
FOR_NOW = "failed for now: "
# Prefix of the reason of a request that was not sent, by choice of the user.
NOT_ASKED = "not asked: "

Finish = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Gaps:
    """Why values are missing: `codes[i]` is a position in `reasons`; 0, the empty reason, means a value."""

    codes: NDArray[np.int32]
    reasons: tuple[str, ...] = ("",)

    @classmethod
    def none(cls, n: int) -> Gaps:
        """No gap in n values."""
        return cls(np.zeros(n, np.int32))

    @classmethod
    def where(cls, n: int, masks: Mapping[str, NDArray[np.bool_]]) -> Gaps:
        """One reason per mask; the first true mask wins."""
        codes = np.zeros(n, np.int32)
        for code, mask in reversed(list(enumerate(masks.values(), 1))):
            codes[mask] = code
        return cls(codes, ("", *masks))

    @classmethod
    def of(cls, reasons: Sequence[str]) -> Gaps:
        """One reason per row, empty for a value."""
        number = {reason: code for code, reason in enumerate(dict.fromkeys(("", *reasons)))}
        return cls(np.array([number[reason] for reason in reasons], np.int32), tuple(number))

    @classmethod
    def concatenate(cls, parts: Sequence[Gaps]) -> Gaps:
        """Concatenate the gaps of several chunks."""
        number = {reason: code for code, reason in enumerate(dict.fromkeys(r for part in parts for r in part.reasons))}
        codes = [np.array([number[r] for r in part.reasons], np.int32)[part.codes] for part in parts]
        return cls(np.concatenate(codes) if codes else np.zeros(0, np.int32), tuple(number) or ("",))

    def __getitem__(self, row: int) -> str:
        return self.reasons[self.codes[row]]

    def take(self, rows: NDArray[np.int64]) -> Gaps:
        """Return the gaps of the given rows."""
        return Gaps(self.codes[rows], self.reasons)

    @property
    def for_now(self) -> dict[str, int]:
        """The counts of transient gaps by reason."""
        return {reason: n for reason, n in self.counts().items() if reason.startswith((FOR_NOW, NOT_ASKED))}

    def counts(self) -> dict[str, int]:
        """The number of gaps by reason, the most frequent first; of equally frequent ones, the first to appear."""
        return dict(sorted(self.in_order().items(), key=lambda pair: -pair[1]))

    def in_order(self) -> dict[str, int]:
        """The number of gaps by reason, in the order of the values."""
        n = len(self.codes)
        counts = np.bincount(self.codes, minlength=len(self.reasons))
        first = np.full(len(self.reasons), n)
        first[self.codes[::-1]] = np.arange(n - 1, -1, -1)  # of equal codes the last one assigned stays
        present = [code for code in np.argsort(first, kind="stable").tolist() if counts[code] and self.reasons[code]]
        return {self.reasons[code]: int(counts[code]) for code in present}


@dataclass(frozen=True, eq=False)
class Column:
    """The scores of one evaluator.

    An additive evaluator also has `statistics`, one row per unit, and `finish`, which turns sums of rows into scores:
    a system's BLEU, its bootstrap and its permutation test all come from one matrix. `texts` are explanations beside
    the scores, possibly empty.
    """

    name: str
    values: NDArray[np.float64]
    gaps: Gaps
    signature: str = ""
    higher_is_better: bool | None = True
    statistics: NDArray[np.float64] | None = None
    finish: Finish | None = None
    texts: Strings | None = None

    @classmethod
    def of(cls, name: str, values: Sequence[float], **about: object) -> Column:
        """Make a column from numbers; NaN is a gap with the reason `missing`."""
        array = np.asarray(values, np.float64)
        return cls(name, array, Gaps.where(len(array), {"missing": np.isnan(array)}), **about)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def n_missing(self) -> int:
        """The number of units without a score."""
        return int(np.isnan(self.values).sum())

    @property
    def n(self) -> int:
        """The number of units with a score."""
        return len(self) - self.n_missing

    def take(self, rows: NDArray[np.int64]) -> Column:
        """Return the scores of the given rows."""
        statistics = None if self.statistics is None else self.statistics[rows]
        texts = None if self.texts is None else self.texts.take(rows)
        return replace(self, values=self.values[rows], gaps=self.gaps.take(rows), statistics=statistics, texts=texts)

    @classmethod
    def concatenate(cls, columns: Sequence[Column]) -> Column:
        """The scores of one evaluator, of some units after others; columns without a score may lack statistics."""
        widths = [column.statistics.shape[1] for column in columns if column.statistics is not None]
        statistics, texts = None, None
        if widths:
            rows = [
                np.full((len(column), widths[0]), np.nan) if column.statistics is None else column.statistics
                for column in columns
            ]
            statistics = np.concatenate(rows)
        if any(column.texts is not None for column in columns):
            texts = Strings.concatenate([column.texts or Strings.empty(len(column)) for column in columns])
        values, gaps = [column.values for column in columns], [column.gaps for column in columns]
        whole = replace(columns[0], values=np.concatenate(values), gaps=Gaps.concatenate(gaps))
        return replace(whole, statistics=statistics, texts=texts)

    def pooled(self, groups: Ragged) -> Column:
        """Score each group of rows: from the sums of their statistics if there are any, else by their mean.

        Units without a score are left out of their group; a group without any score is a gap. Texts are dropped.
        """
        scored = ~np.isnan(self.values[groups.values])
        row, group = groups.values[scored], groups.row_of[scored]
        n = np.bincount(group, minlength=len(groups)).astype(np.float64)
        if self.statistics is not None and self.finish is not None:
            sums = exact_sums(self.statistics[row], group, len(groups))
            values = np.where(n > 0, self.finish(sums), np.nan)
        else:
            sums, values = None, exact_means(self.values[row], group, n)

        def most_frequent_reason(group: int) -> str:
            return next(iter(self.gaps.take(groups[group]).counts()), "no units")

        reasons = ["" if size else most_frequent_reason(number) for number, size in enumerate(n.tolist())]
        return replace(self, values=values, gaps=Gaps.of(reasons), statistics=sums, texts=None)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreTable(Framed):
    """Scores of units of one kind. `item` and `system` are empty if a unit has none or several.

    The system of a matchup is `left|right`, so that matchups are pooled by pair of systems.
    """

    kind: str
    unit: Strings
    item: Strings
    system: Strings
    columns: Mapping[str, Column]
    seed: int = 0
    notes: tuple[str, ...] = field(default=())

    def gap_notes(self) -> list[str]:
        """How many gaps each column has, and why."""
        return [
            f"{name}: {column.n_missing} of {len(column)} {self.kind}s have no score "
            f"({', '.join(f'{reason}: {n}' for reason, n in column.gaps.counts().items())})"
            for name, column in self.columns.items()
            if column.n_missing
        ]

    def __post_init__(self) -> None:
        for column in self.columns.values():
            if len(column) != len(self.unit):
                raise DataError(f"column {column.name!r} has {len(column)} scores for {len(self.unit)} units.")

    def __len__(self) -> int:
        return len(self.unit)

    def __repr__(self) -> str:
        return f"ScoreTable({', '.join([f'{len(self)} {self.kind}s', *self.columns])})"

    @overload
    def __getitem__(self, name: str) -> Column: ...

    @overload
    def __getitem__(self, name: slice) -> ScoreTable: ...

    def __getitem__(self, name: str | slice) -> Column | ScoreTable:
        """A column by name, or rows by a slice."""
        if isinstance(name, slice):
            return self.take(np.arange(len(self))[name])
        if name not in self.columns:
            raise EvaluatorError(f"no column {name!r} in the score table.{did_you_mean(name, self.columns)}")
        return self.columns[name]

    def frame_columns(self) -> Columns:
        """Unit, item and system, and the scores of each evaluator; a gap is NaN."""
        names = {"unit": self.unit, "item": self.item, "system": self.system}
        return names | {name: column.values for name, column in self.columns.items()}

    def filter(
        self, *, system: str | Sequence[str] = (), item: str | Sequence[str] = (), unit: str | Sequence[str] = ()
    ) -> ScoreTable:
        """The rows of these systems, items and units; an unknown name is an error.

        >>> names = Strings.of(["a", "b"])
        >>> ScoreTable("output", names, names, names, {}).filter(system="b")
        ScoreTable(1 outputs)
        """
        keep = np.ones(len(self), bool)
        for what, column, wanted in (
            ("system", self.system, system),
            ("item", self.item, item),
            ("unit", self.unit, unit),
        ):
            if wanted:
                keep &= chosen_rows(column, wanted, what)
        return self.take(np.flatnonzero(keep))

    def take(self, rows: NDArray[np.int64]) -> ScoreTable:
        """Return the given rows."""
        return replace(
            self,
            unit=self.unit.take(rows),
            item=self.item.take(rows),
            system=self.system.take(rows),
            columns={name: column.take(rows) for name, column in self.columns.items()},
        )

    def select_systems(self, systems: Sequence[str], exclude: Sequence[str] = ()) -> ScoreTable:
        """The units of the chosen systems; a matchup needs both of its own."""
        if not systems and not exclude:
            return self
        sides = [name.split("|") if self.kind == "matchup" else [name] for name in self.system]
        known = list(dict.fromkeys(side for names in sides for side in names if side))
        for name in (*systems, *exclude):
            if name not in known:
                raise DataError(f"the scores have no system {name!r}.{did_you_mean(name, known)}")
        keep = {name for name in known if (not systems or name in systems) and name not in exclude}
        return self.take(np.flatnonzero([all(side in keep for side in names) for names in sides]))

    def complete(self, names: Sequence[str]) -> tuple[ScoreTable, int]:
        """The units with a score in every named column, and the number dropped."""
        scored = np.ones(len(self), bool)
        for name in names:
            scored &= ~np.isnan(self[name].values)
        return self.take(np.flatnonzero(scored)), int((~scored).sum())

    def rows_by_system(self) -> Ragged:
        """The rows of each system, in order of first appearance; units of several systems are left out."""
        codes, systems = self.system.factorize()
        return Ragged.grouped(codes.astype(np.int64), len(systems)).take(np.flatnonzero(systems.lengths > 0))

    def by_system(self) -> ScoreTable:
        """Pool the units of each system: one row per system, in the order of `rows_by_system`."""
        groups = self.rows_by_system()
        systems = self.system.take(groups.values[groups.offsets[:-1]])
        return replace(
            self,
            kind="system",
            unit=systems,
            item=Strings.of([""] * len(systems)),
            system=systems,
            columns={name: column.pooled(groups) for name, column in self.columns.items()},
        )

    def join(self, other: ScoreTable) -> ScoreTable:
        """Put the columns of two tables about the same units side by side; rows are matched by id."""
        if self.kind != other.kind:
            raise DataError(f"a table of {self.kind} scores cannot be joined with one of {other.kind} scores.")
        codes = Strings.concatenate([self.unit, other.unit]).factorize()[0]
        here, there = codes[: len(self)], codes[len(self) :]
        if set(here.tolist()) != set(there.tolist()) or len(self) != len(other):
            only = [self.unit[row] for row in np.flatnonzero(~np.isin(here, there))[:3].tolist()]
            only += [other.unit[row] for row in np.flatnonzero(~np.isin(there, here))[:3].tolist()]
            raise DataError(f"the two tables are not about the same units; they differ in {', '.join(only)}.")
        clash = set(self.columns) & set(other.columns)
        if clash:
            raise DataError(f"both tables have a column {sorted(clash)[0]!r}. Rename one.")
        order = np.empty(len(self), np.int64)
        order[there] = np.arange(len(other))
        moved = {name: column.take(order[here]) for name, column in other.columns.items()}
        return replace(self, columns={**self.columns, **moved})
