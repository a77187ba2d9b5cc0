"""Train every tester on the texts for generators, let it write, and score human texts under it.

What is finished is a file or a folder of the study and is never done again: a killed run goes on.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assay.analyses.models.generate import generate
from assay.analyses.models.logprob import logprob
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import LanguageModel
from assay.errors import AssayError, DataError
from assay.generators.fitting import fit_generator
from assay.generators.kinds import all_kinds, kind_named, why_not
from assay.io import load, save
from assay.io.generator_folders import MANIFEST, read_generator
from assay.io.results import json_text, make_folder, write_text
from assay.progress import reporting
from assay.records import Dataset
from assay.tester_study.texts import DividedTexts, whole_records

TRAINED, SAMPLES = "testers", "samples"
# The word LSTM is three systems of the study, one for each temperature; others are sampled as they are.
SWEPT = "lstm"
QUICK = {"epochs": 4, "rounds": 2, "size": 64, "steps": 4}

# Called with what is done and how much of it, 0 to 1.
Say = Callable[[str, float], None]


@dataclass(frozen=True)
class Tester:
    """A generator of the study: the systems it makes, or why it makes none."""

    name: str
    about: str
    systems: tuple[str, ...] = ()
    reason: str = ""
    training: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Bench:
    """Where testers are trained, on what, and how they are sampled.

    Attributes:
        folder: of the study.
        texts: divided between testers and judges.
        n: texts of each system.
        temperatures: of the word LSTM.
        attributes: columns that conditioned testers read.
        tune: a pretrained language model that one tester begins with.
        quick: a training that is too short to be good.
        seed: of trainings and samples.
    """

    folder: Path
    texts: DividedTexts
    n: int
    temperatures: tuple[float, ...]
    attributes: tuple[str, ...]
    tune: str | None
    quick: bool
    seed: int

    def trained(self, kind: str, say: Say) -> Tester:
        """A tester that learns from the texts for generators."""
        path, known = self.folder / TRAINED / kind, kind_named(kind)
        attributes = self.attributes if "attributes" in known.options else ()
        model = self.tune if "model" in known.options else None
        try:
            if reason := why_not(kind, self.texts.train, attributes, model):
                return Tester(kind, known.about, reason=reason)
            if not (path / MANIFEST).exists():
                make_folder(path.parent)
                with reporting(lambda done, total: say("training", done / total)):
                    fit_generator(
                        self.texts.train,
                        str(path),
                        kind,
                        attributes=attributes,
                        model=model,
                        seed=self.seed,
                        **({name: QUICK[name] for name in QUICK if name in known.options} if self.quick else {}),
                    )
            training = read_generator(path).manifest["training"]
            temperatures = self.temperatures if kind == SWEPT else (1.0,)
            systems = self._sampled(kind, lambda: open_model(str(path)), temperatures, say)
        except AssayError as error:
            return Tester(kind, known.about, reason=_line(error))
        return Tester(kind, known.about, systems, training=training)

    def pretrained(self, model: str, name: str, say: Say) -> Tester:
        """A language model that learnt elsewhere."""
        about = "a language model as it is"
        try:
            return Tester(name, about, self._sampled(name, lambda: open_model(model), (1.0,), say))
        except AssayError as error:
            return Tester(name, about, reason=_line(error))

    def _sampled(
        self, name: str, opened: Callable[[], LanguageModel], temperatures: Sequence[float], say: Say
    ) -> tuple[str, ...]:
        """Write the texts of a tester, and the human texts with their log-probabilities under it, to one file."""
        path = self.sample_path(name)
        if not path.exists():
            save(self._drawn(opened(), name, temperatures, say), path)
        dataset = load(path)
        return tuple(
            system for system, human in zip(dataset.systems.id, dataset.systems.human, strict=True) if not human
        )

    def sample_path(self, name: str) -> Path:
        """The file of a tester's texts."""
        make_folder(self.folder / SAMPLES)
        return self.folder / SAMPLES / f"{name}.jsonl"

    def _drawn(self, model: LanguageModel, name: str, temperatures: Sequence[float], say: Say) -> Dataset:
        people = self.texts.people
        # No human text is impossible just because it is long.
        longest = 1 + max(len(model.tokenize(text)) for text in people.outputs.text)
        drawn = generate(
            self.texts.items(self.n, self.seed),
            model,
            temperature=temperatures,
            system=name,
            max_tokens=longest,
            seed=self.seed,
            progress=lambda done, total: say("sampling", done / total),
        ).dataset
        known = {float(value): system for system, value in _temperatures(drawn)}
        for temperature in temperatures:
            people = logprob(
                people,
                model,
                known[temperature],
                temperature=temperature,
                max_tokens=longest,
                seed=self.seed,
                progress=lambda done, total: say("scoring human texts", done / total),
            ).dataset
        return Dataset.from_records([*whole_records(people), *whole_records(drawn)], name)


def all_names(kinds: Sequence[str], models: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """The kinds to train, all by default, and the pretrained models by a name of their own."""
    chosen = tuple(dict.fromkeys(kinds)) or tuple(all_kinds())
    for kind in chosen:
        kind_named(kind)
    named = {(Path(model).stem or model): model for model in models}
    if len(named) < len(models) or set(named) & set(chosen):
        raise DataError("two testers have one name. Rename the folder of one of the models.")
    return chosen, named


def assembled(bench: Bench, testers: Sequence[Tester]) -> list[dict[str, Any]]:
    """One record for every text: people's with their log-probabilities under every system, then each system's."""
    people: dict[str, dict[str, Any]] = {}
    generated: list[dict[str, Any]] = []
    for tester in testers:
        if not tester.systems:
            continue
        for record in whole_records(load(bench.sample_path(tester.name))):
            if not record.get("human"):
                generated.append(record)
                continue
            own = people.setdefault(record["id"], record | {"logprobs": {}, "n_tokens": {}})
            own["logprobs"] |= record.get("logprobs", {})
            own["n_tokens"] |= _by_system(record)
    return [*people.values(), *generated]


def _by_system(record: Mapping[str, Any]) -> dict[str, int]:
    n_tokens = record.get("n_tokens", {})
    return dict(n_tokens) if isinstance(n_tokens, dict) else dict.fromkeys(record.get("logprobs", {}), n_tokens)


def _temperatures(dataset: Dataset) -> Iterator[tuple[str, float]]:
    values = dataset.outputs.columns["params.temperature"]
    for row, system in enumerate(dataset.outputs.system.tolist()):
        yield dataset.systems.id[system], float(values[row])


def _line(error: AssayError) -> str:
    return " ".join(str(error).split())


def settings_file(folder: Path, settings: Mapping[str, Any]) -> None:
    """Remember the settings of a study, or refuse a folder that holds a study of others."""
    path = folder / "testbed.json"
    if path.exists():
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            raise DataError(f"{path}: not the settings of a testbed. Name another folder.") from None
        differ = [name for name, value in settings.items() if kept.get(name) != value]
        if differ:
            held = ", ".join(f"{name} {kept.get(name)}" for name in differ)
            raise DataError(f"{folder}: holds a testbed with other settings: {held}. Give these, or name a new folder.")
        return
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder}: not empty, and no testbed. Name a new folder.")
    make_folder(folder)
    write_text(json_text(settings), path)
