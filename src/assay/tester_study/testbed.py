"""`assay.testbed`: train generators on human texts, let them write, judge them and the judges, and write a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from assay.backends.language.conditions import column_of
from assay.backends.language.opening import language_model_name
from assay.errors import DataError
from assay.io import save
from assay.part import Part
from assay.records import Dataset
from assay.study.file import Study
from assay.study.outcome import write_outcome
from assay.study.runner import Report, StudyRun
from assay.study.step import Step
from assay.study.steps.discriminators import Discriminators
from assay.study.steps.health import Health
from assay.study.steps.huse import Huse
from assay.study.steps.scores import Scores
from assay.tester_study.findings import DISCRIMINATORS, OVERLAP, QUALITY
from assay.tester_study.readers import CRITERION, with_judgments
from assay.tester_study.steps import Findings, Matrix, Originality, Testers
from assay.tester_study.testers import Bench, Tester, all_names, assembled, settings_file
from assay.tester_study.texts import divide

N, N_QUICK = 150, 40
TEMPERATURES = (1.0, 0.7, 0.5)
OUTPUTS, TRAIN, RESULTS = "outputs.jsonl", "train.jsonl", "out"


def testbed(
    data: Dataset,
    folder: str | Path,
    *,
    kinds: Sequence[str] = (),
    models: Sequence[str] = (),
    n: int | None = None,
    temperature: Sequence[float] = TEMPERATURES,
    attributes: Sequence[str] = (),
    tune: str | None = None,
    reader: str | None = None,
    quick: bool = False,
    seed: int = 0,
    progress: Report = lambda number, total, name, status, transient: None,
) -> Part:
    """Run the study of Garbacea et al. (2019) from scratch on human texts of one's own, without people.

    One half of the human texts is for generators to learn from, the other for judges. Finished trainings, samples and
    steps are kept in the folder and never done again, so a run that was killed goes on.

    Args:
        data: human texts; all texts where none is marked.
        folder: of the study: a new one, or one of the same texts and settings.
        kinds: generators to train, by default all there are; one that cannot learn from these texts is left out with
            the reason.
        models: language models that are sampled as they are: a folder, a `.gguf` file, or the name of an installed one.
        n: texts of each system, by default 150 or as many as there are items for judges.
        temperature: temperatures of the word LSTM, each of which makes a system.
        attributes: columns of outputs or items that conditioned generators read.
        tune: a pretrained language model, which the tester `fine_tuned` begins with.
        reader: the language model of the simulated readers, by default word trigrams of the judges' texts.
        quick: a small study with trainings that are too short to be good.
        seed: of everything random.
        progress: called with a number, the number of all, a name, a status, and whether that will change.
    """
    place = Path(folder)
    chosen, pretrained = all_names(kinds, models)
    temperatures = tuple(dict.fromkeys(map(float, temperature)))
    if not temperatures or not all(0 < value < 10 for value in temperatures):
        raise DataError("give temperatures above 0, such as 1, 0.7 and 0.5.")
    # A name that is wrong is told now, not after an hour of training.
    named = {model: language_model_name(model) for model in (*models, tune, reader) if model is not None}
    for column in attributes:
        column_of(data, column)
    texts = divide(data, seed)
    n_items = len(texts.people.items)
    asked = n if n is not None else min(N_QUICK if quick else N, n_items)
    if not 2 <= asked <= n_items:
        raise DataError(f"n is {asked}; the judges' half has {n_items} items: give a number from 2 to that.")
    settings = {
        "texts": data.fingerprint,
        "n": asked,
        "temperature": list(temperatures),
        "attributes": list(attributes),
        "tune": None if tune is None else named[tune],
        "quick": quick,
        "seed": seed,
    }
    settings_file(place, settings)
    bench = Bench(place, texts, asked, temperatures, tuple(attributes), tune, quick, seed)
    testers = _testers(bench, chosen, pretrained, progress)
    if not any(tester.systems for tester in testers):
        reasons = "; ".join(f"{tester.name}: {tester.reason}" for tester in testers)
        raise DataError(f"no generator could be trained on these texts. {reasons}")
    records = assembled(bench, testers)
    bare = Dataset.from_records(records, "testbed")
    save(with_judgments(records, bare, seed, reader), place / OUTPUTS)
    save(texts.train, place / TRAIN)
    return _judged(place, testers, texts.train, seed, reader, progress)


def _testers(bench: Bench, kinds: Sequence[str], models: dict[str, str], progress: Report) -> tuple[Tester, ...]:
    """Train and sample every tester, or find what is kept of it."""
    testers: list[Tester] = []
    total = len(kinds) + len(models)
    for number, name in enumerate([*kinds, *models], 1):

        def say(what: str, share: float, number: int = number, name: str = name) -> None:
            progress(number, total, name, f"{what} {share:.0%}", True)

        kept = bench.sample_path(name).exists()
        tester = bench.pretrained(models[name], name, say) if name in models else bench.trained(name, say)
        status = f"left out: {tester.reason}" if tester.reason else "kept" if kept else "trained and sampled"
        progress(number, total, name, status, False)
        testers.append(tester)
    return tuple(testers)


def _judged(
    place: Path, testers: tuple[Tester, ...], train: Dataset, seed: int, reader: str | None, progress: Report
) -> Part:
    """Run the steps of the study, write the report, and return what stands out."""
    steps: list[Step] = [
        Testers(testers),
        Findings(),
        Huse(CRITERION, curve="temperature"),
        Scores((QUALITY, *OVERLAP.values(), *DISCRIMINATORS.values(), "length")),
        Originality(str((place / TRAIN).resolve()), train.fingerprint),
        Discriminators(tuple(DISCRIMINATORS.values())),
        Matrix(),
        Health(),
    ]
    by_name = {step.name: step for step in steps}
    study = Study(place / "testbed.json", f"Testbed of {place.name}", OUTPUTS, (), seed, 1000, by_name)
    run = StudyRun(study, place / RESULTS)
    finished = run.finish(progress)
    report = write_outcome(study, finished, place / RESULTS)
    parts = {step.name: step.part for step in finished if step.part is not None}
    failures = [f"[{step.name}] failed: {step.failure}" for step in finished if step.failure]
    found = parts.get("findings") or Part("Testbed", "")
    told = parts.get("testers") or Part("", "")
    measured = parts.get("huse") or Part("", "")
    readers = "word trigrams of the judges' human texts" if reader is None else reader
    return replace(
        found,
        title="Testbed",
        answers={**found.answers, "missing": [*told.answers.get("missing", []), *found.answers.get("missing", [])]},
        numbers=(*found.numbers, *measured.numbers),
        tables=(
            *told.tables,
            *found.tables,
            *(one for one in measured.tables if one.name in ("huse", "huse_settings")),
        ),
        notes=(f"Judgments are those of simulated readers ({readers}); no person was asked.", *failures),
        headline={"report": str(report), "outputs": str(place / OUTPUTS), "failed": failures},
    )
