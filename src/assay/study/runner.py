"""Runs a study. Each step's result is cached by a key of all its inputs, so that runs resume."""

from __future__ import annotations

import json
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

from assay.errors import AssayError, DataError, did_you_mean, pass_on_interrupt
from assay.io import load
from assay.io.catalogue import PREFIX, entry
from assay.io.code import code_fingerprint, plugin_fingerprint
from assay.io.files import data_files
from assay.io.paths import existing_file, text_of
from assay.io.places import expanded
from assay.io.sealed import kept_content, tell_damage, write_sealed
from assay.io.special.judgment_stores import is_store, store_state
from assay.part import Part
from assay.registry import GROUP as EVALUATOR_GROUP
from assay.registry import parse
from assay.run.executor import Executor
from assay.run.requests import Sender
from assay.study.file import Study
from assay.study.folder import KEPT, checked_names, make_ready
from assay.study.step import GROUP as STEP_GROUP
from assay.study.step import Step
from assay.study.task import Task

# Called with the number of a step, the number of steps to run, its name, its status, and whether the message is
# transient: progress that a terminal overwrites and a log drops.
Report = Callable[[int, int, str, str, bool], None]


@dataclass(frozen=True)
class Finished:
    """The result of a step, or why it failed."""

    name: str
    part: Part | None
    failure: str = ""


class StudyRun:
    """A study and its output folder: the steps already computed, and those to run."""

    def __init__(self, study: Study, folder: Path) -> None:
        self.study = study
        self._folder = folder
        code = plugin_fingerprint(EVALUATOR_GROUP, STEP_GROUP)
        shared = [code_fingerprint(), code, _hash_of_data(study, "data"), str(study.folds)]
        if study.train:
            shared.append(_hash_of_data(study, "train"))
        self._paths = {
            name: folder / KEPT / f"{name}-{_key(study, name, step, shared)}.step" for name, step in study.steps.items()
        }
        self.kept = {name: part for name, path in self._paths.items() if (part := _stored(path)) is not None}

    @property
    def pending(self) -> list[str]:
        """The steps without a result."""
        return [name for name in self.study.steps if name not in self.kept]

    def finish(self, report: Report, executor: str | Executor | None = None) -> list[Finished]:
        """Run the pending steps; a failure is reported and does not stop the others."""
        finished = {name: Finished(name, part) for name, part in self.kept.items()}
        clock = _Clock(len(self.pending))
        task = replace(_task(self.study), executor=executor) if self.pending else None
        make_ready(self._folder)
        for number, name in enumerate(self.pending, 1):
            assert task is not None
            finished[name] = self._compute(name, task, clock, partial(report, number, len(self.pending), name))
        return [finished[name] for name in self.study.steps]

    def _compute(self, name: str, task: Task, clock: _Clock, say: Callable[[str, bool], None]) -> Finished:
        def progress(done: int, total: int) -> None:
            say(f"{done / total:.0%}{clock.left(done / total)}", True)

        say(f"running{clock.left(0)}", False)
        clock.start()
        try:
            part = checked_names(self.study.steps[name].run(replace(task, progress=progress)))
            part = replace(part, seed=self.study.seed)
        except Exception as error:
            pass_on_interrupt(error)
            failure = _failure(error)
            say(f"failed: {failure}", False)
            return Finished(name, None, failure)
        finally:
            clock.stop()
        # Use the part as stored, so that this run and the next write the same bytes.
        value = part.to_json()
        path = self._paths[name]
        write_sealed(json.dumps(value, allow_nan=False).encode(), path, name=path.name)
        say(f"done in {clock.last:.1f} s", False)
        return Finished(name, Part.from_json(value))


class _Clock:
    """A rough estimate of the time left, from the steps so far."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._spent: list[float] = []
        self._started = time.monotonic()

    @property
    def last(self) -> float:
        """Seconds that the last step took."""
        return self._spent[-1]

    def start(self) -> None:
        """A step begins."""
        self._started = time.monotonic()

    def stop(self) -> None:
        """A step is over."""
        self._spent.append(time.monotonic() - self._started)

    def left(self, share: float) -> str:
        """`, about 12 s left` with this share of a step done; empty before anything is known."""
        if not share and not self._spent:
            return ""
        whole = (time.monotonic() - self._started) / share if share else sum(self._spent) / len(self._spent)
        usual = sum(self._spent) / len(self._spent) if self._spent else whole
        later = self._steps - len(self._spent) - 1
        return f", about {whole * (1 - share) + usual * later:.0f} s left"


def _failure(error: Exception) -> str:
    """The message of a user error; of any other, also where it was raised."""
    if isinstance(error, AssayError):
        return str(error)
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__}: {error} ({Path(last.filename).name} line {last.lineno})"


def _task(study: Study) -> Task:
    """Read the data and select the systems of the study."""
    sources = study.sources
    dataset = load(sources[0] if len(sources) == 1 else sources, mapping=study.mapping).with_criteria(study.criteria)
    if study.systems:
        known = dataset.systems.id.to_list()
        for system in study.systems:
            if system not in known:
                where = f"{study.path.name}: systems"
                raise DataError(f"{where}: the data has no system {system!r}.{did_you_mean(system, known)}")
        dataset = dataset.select_systems(np.isin(known, study.systems))
    train = load(study.located(study.train)) if study.train else None
    sender = Sender(study.requests)
    return Task(
        dataset, study.seed, study.resamples, train=train, folds=study.folds, sender=sender, sources=tuple(sources)
    )


def _hash_of_data(study: Study, key: str) -> str:
    """Hash the data files of a key, without parsing them, and the mapping they are read through."""
    digest = blake2b(digest_size=16)
    for source in study.sources if key == "data" else [study.located(study.train)]:
        if is_store(source):
            digest.update(f"{source}\0{store_state(source)}".encode())
            continue
        listed = entry(source.removeprefix(PREFIX)).existing_file() if source.startswith(PREFIX) else source
        for path in [Path(name) for name in expanded(str(listed))]:
            _absorb(digest, path, study, key)
    if key == "data" and study.mapping is not None:
        mapping = study.mapping
        content = text_of(mapping) if isinstance(mapping, Path) else json.dumps(mapping, sort_keys=True)
        digest.update(f"\0map\0{content}".encode())
    return digest.hexdigest()


def _absorb(digest: Any, path: Path, study: Study, key: str) -> None:
    # The file or folder name counts: it is the default name of the system.
    digest.update(f"{path.name}\0".encode())
    try:
        for file in data_files(path):
            if file.exists():
                existing_file(file)  # a pipe would never end
            # The folder of a sample log names its model.
            named = file.relative_to(path).as_posix() if path in file.parents else file.name
            digest.update(f"\0{named}\0".encode())
            with open(file, "rb") as opened:
                while block := opened.read(1 << 20):
                    digest.update(block)
    except (FileNotFoundError, ValueError):  # no file has a zero byte in its name
        where = f"the folder of the study file, {study.path.parent.resolve()}"
        raise DataError(
            f"{study.path.name}: {key}: no file {getattr(study, key)!r}. Paths are relative to {where}. "
            f"Correct the key {key}."
        ) from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror}). Check the key {key} and permissions.") from None


def _key(study: Study, name: str, step: Step, shared: Sequence[str]) -> str:
    """The cache key of a step: everything its result depends on. Signatures name models and files by content."""
    signatures = list(map(_signature, step.evaluator_calls()))
    criteria = {name: criterion.as_record() for name, criterion in study.criteria.items()}
    depends = [*shared, name, asdict(step), signatures, study.systems, study.seed, study.resamples, criteria]
    return blake2b(json.dumps(depends, sort_keys=True, default=str).encode(), digest_size=8).hexdigest()


def _signature(call: str) -> str:
    try:
        return parse(call).signature
    except AssayError as error:  # such as a model that is not installed: the step reports it
        return str(error)


def _stored(path: Path) -> Part | None:
    content = kept_content(path)
    if content is None:
        return None
    try:
        return checked_names(Part.from_json(json.loads(content)))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, AssayError):
        # The seal is valid but the content is not: written by something else.
        tell_damage(f"{path}: not the result of a step.")
        return None
