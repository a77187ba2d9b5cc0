"""Running a study: every step's result is kept by what it depends on, so a run that was stopped goes on."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

from assay import __version__
from assay.errors import AssayError, DataError
from assay.io.atomic import remove_unfinished
from assay.io.catalogue import PREFIX, entry
from assay.io.results import plain_json, write_text
from assay.report.pieces import Part
from assay.study.file import Study

# Called with the number of the step, how many there are, its name, and what is happening to it.
Tell = Callable[[int, int, str, str], None]


@dataclass(frozen=True)
class Finished:
    """A step that was run, or why it could not be."""

    name: str
    part: Part | None
    failure: str = ""
    stored: bool = False


def run_study(study: Study, folder: Path, tell: Tell) -> list[Finished]:
    """Run the steps that have no result yet; one that fails is reported and the others go on."""
    kept = folder / "steps"
    kept.mkdir(parents=True, exist_ok=True)
    remove_unfinished(folder)
    content = _hash_of_data(study.source)
    data = _Lazy(study)
    finished = []
    spent: list[float] = []
    for number, (name, step) in enumerate(study.steps.items(), 1):
        path = kept / f"{name}-{_key(study, name, asdict(step), content)}.json"
        stored = _stored(path)
        if stored is not None:
            tell(number, len(study.steps), name, "kept from an earlier run")
            finished.append(Finished(name, stored, stored=True))
            continue
        tell(number, len(study.steps), name, f"running{_time_left(spent, len(study.steps) - number + 1)}")
        started = time.monotonic()
        try:
            part = step.run(data.dataset, study.seed, study.resamples)
        except AssayError as error:
            finished.append(Finished(name, None, str(error)))
            tell(number, len(study.steps), name, f"failed: {error}")
            continue
        except Exception as error:
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name} line {last.lineno}"
            finished.append(Finished(name, None, f"{type(error).__name__}: {error} ({where})"))
            tell(number, len(study.steps), name, f"failed: {type(error).__name__}: {error}")
            continue
        value = plain_json(part.to_json())
        write_text(json.dumps(value, ensure_ascii=False, allow_nan=False), path)
        finished.append(Finished(name, Part.from_json(value)))
        spent.append(time.monotonic() - started)
        tell(number, len(study.steps), name, f"done in {spent[-1]:.1f} s")
    return finished


def _time_left(spent: list[float], steps: int) -> str:
    """A guess from the steps so far: they differ, so it is no more than that."""
    return f", about {sum(spent) / len(spent) * steps:.0f} s left" if spent else ""


class _Lazy:
    """The data, read when the first step needs it: a run that computes nothing reads nothing."""

    def __init__(self, study: Study) -> None:
        self._study = study
        self._dataset: Any = None

    @property
    def dataset(self) -> Any:
        if self._dataset is None:
            import numpy as np

            from assay.errors import did_you_mean
            from assay.io import load

            dataset = load(self._study.source)
            if self._study.systems:
                known = dataset.systems.id.to_list()
                for system in self._study.systems:
                    if system not in known:
                        raise DataError(f"the data has no system {system!r}.{did_you_mean(system, known)}")
                wanted = [known.index(system) for system in self._study.systems]
                dataset = dataset.select(np.isin(dataset.outputs.system, wanted))
            self._dataset = dataset
        return self._dataset


def _hash_of_data(source: str) -> str:
    """A hash of the files the data is in, without reading what they mean."""
    path = entry(source.removeprefix(PREFIX)).existing_file() if source.startswith(PREFIX) else Path(source)
    if not path.exists():
        raise DataError(f"{path}: no such file. Check the key data of the study.")
    digest = blake2b(digest_size=16)
    files = sorted(part for part in path.rglob("*") if part.is_file()) if path.is_dir() else [path]
    for file in files:
        digest.update(f"\0{file.name}\0".encode())
        with open(file, "rb") as opened:
            while block := opened.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def _key(study: Study, name: str, settings: Mapping[str, Any], content: str) -> str:
    depends = [__version__, name, settings, content, study.systems, study.seed, study.resamples]
    return blake2b(json.dumps(depends, sort_keys=True, default=str).encode(), digest_size=8).hexdigest()


def _stored(path: Path) -> Part | None:
    try:
        return Part.from_json(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
