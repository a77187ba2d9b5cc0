"""What each part adds to the scores of whole systems: sums of finer units, stored so that a part is read once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path

import numpy as np

from assay.applied import Saved
from assay.io.parts import DataPart
from assay.io.sealed import kept_content, write_sealed
from assay.records import Dataset
from assay.run.facts import Facts
from assay.run.part_plan import Plan
from assay.run.part_scores import PartOutcome, PartTask, ScorePart, told
from assay.run.partial_sums import ColumnSums
from assay.units import Units

FOLDER = ".shares"


@dataclass(frozen=True)
class SharePart:
    """Scores a part with the evaluators of finer units, each at its own, and keeps the sums of each system.

    `native` are these units.
    """

    scoring: ScorePart
    native: Mapping[str, str]

    def __call__(self, task: PartTask) -> PartOutcome:
        """The sums and facts of a part; whatever is wrong with it is told, and no error."""
        return told(task, self._share)

    def _share(self, task: PartTask) -> PartOutcome:
        dataset = task.part.load()
        sums: dict[str, ColumnSums] = {}
        notes: list[str] = []
        for kind in dict.fromkeys(self.native.values()):
            names = [name for name, native in self.native.items() if native == kind]
            table = self.scoring.table(dataset, names, kind, {})
            sums |= {name: ColumnSums.of(table, name) for name in names}
            notes += table.notes
        systems = facts_of_systems(dataset, self.scoring.saved)
        facts = reduce(Facts.__add__, systems.values())
        outcome = PartOutcome(task.part.name, facts, sums, tuple(notes), systems)
        path = _path(self.scoring.folder, task.part)
        write_sealed(f"{task.key}\n{outcome.as_json()}".encode(), path, name=path.name)
        return outcome


def share_part(scoring: ScorePart, plan: Plan) -> SharePart:
    """What sums up parts."""
    (scoring.folder / FOLDER).mkdir(exist_ok=True)
    return SharePart(scoring, plan.native)


def kept_share(folder: Path, part: DataPart, key: str) -> PartOutcome | None:
    """What an earlier run stored of a part; None if there is nothing, or it answers something else."""
    stored_key, _, outcome = (kept_content(_path(folder, part)) or b"").decode().partition("\n")
    return PartOutcome.from_json(part.name, outcome) if stored_key == key else None


def facts_of_systems(dataset: Dataset, saved: Saved) -> dict[str, Facts]:
    """The facts of each system alone."""
    units = Units("system", dataset)
    found = {}
    for name, system in zip(units.ids, units.system.tolist(), strict=True):
        alone = dataset.select(np.equal(dataset.outputs.system, system))
        found[name] = Facts.of(Units("system", alone), saved)
    return found


def _path(folder: Path, part: DataPart) -> Path:
    return folder / FOLDER / f"{part.name}.json"
