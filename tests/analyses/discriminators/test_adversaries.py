"""Pooled, individual and unseen discriminators; that unseen means unseen, by construction."""

from collections.abc import Iterator
from math import isnan
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset, registry, sample
from assay.batch import Batch
from assay.cli import cli
from assay.errors import EvaluatorError
from assay.evaluator import Fitted, Shape, evaluator, fitted


@pytest.fixture(scope="module")
def embedded() -> Dataset:
    return assay.load(sample.PATH)


@pytest.fixture
def spied(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[Batch, Batch]]]:
    """Register a discriminator that remembers what it was trained on and what it scored."""
    seen: list[tuple[Batch, Batch]] = []

    @evaluator(scale="probability that a human wrote the text")
    def spy() -> Shape:
        """Say one half of everything."""

        def score(train: Batch, batch: Batch) -> np.ndarray:
            seen.append((train, batch))
            return np.full(len(batch), 0.5)

        return fitted(lambda train, rng: train, score, learns_from=("human", "generated"))

    original = registry.factory
    monkeypatch.setattr(registry, "factory", lambda name: spy if name == "spy" else original(name))
    yield seen


def test_an_unseen_run_never_trains_on_the_judged_generator(
    embedded: Dataset, spied: list[tuple[Batch, Batch]]
) -> None:
    """Nor on any human text that it judges, nor on a text that equals one of those."""
    assay.adversaries(embedded, ["spy"])
    n_generators = int((~embedded.systems.human).sum())
    assert len(spied) == 5 + 5 * n_generators + n_generators
    unseen = spied[-n_generators:]
    judged_in_all = set()
    for train, batch in unseen:
        systems = embedded.systems.id.take(embedded.outputs.system[batch.outputs.values]).to_list()
        judged = set(systems) - {"people"}
        assert len(judged) == 1
        judged_in_all |= judged
        assert not judged & set(train.dataset.systems.id.take(train.dataset.outputs.system).to_list())
        texts = set(embedded.outputs.text.take(batch.outputs.values))
        assert not texts & set(train.dataset.outputs.text)
        human = train.dataset.human
        assert human.any() and not human.all()
    assert judged_in_all == set(embedded.systems.id.to_list()) - {"people"}


def test_individual_discriminators_know_one_generator_alone(
    embedded: Dataset, spied: list[tuple[Batch, Batch]]
) -> None:
    assay.adversaries(embedded, ["spy"])
    for train, _ in spied[5:-6]:
        codes = np.unique(train.dataset.outputs.system)
        assert len(codes) == 2 and "people" in train.dataset.systems.id.take(codes).to_list()


def test_training_data_of_each_kind(embedded: Dataset, spied: list[tuple[Batch, Batch]]) -> None:
    """Given apart: all of it, that of the judged generator with human texts, and all but that generator's."""
    rows = [
        {"item": "t", "system": system, "human": system == "people", "text": f"training text {n} of {system}"}
        for system in embedded.systems.id
        if system != "ngram-t1.3"
        for n in range(3)
    ]
    part = assay.adversaries(embedded, ["spy"], train=Dataset.from_records(rows))
    n_generators = int((~embedded.systems.human).sum())
    learnt = [set(train.dataset.systems.id.take(np.unique(train.dataset.outputs.system))) for train, _ in spied]
    assert learnt[0] == {row["system"] for row in rows}
    assert all(len(systems) == 2 and "people" in systems for systems in learnt[1:n_generators])
    assert len(learnt) == n_generators + n_generators  # pooled, individual but for one, unseen
    assert "ngram-t1.3, individual: " in " ".join(part.notes)


def test_folds_by_system_are_those_of_unseen_discriminators(embedded: Dataset) -> None:
    with pytest.raises(EvaluatorError, match="leave the system out anyway"):
        assay.adversaries(embedded, folds="system")


def test_the_numbers_by_hand() -> None:
    """A generator that always says "so", one that speaks as people do, and one too small for a discriminator."""
    rng = np.random.default_rng(1)
    words = "we went home and had some tea with the children before it rained again today".split()
    rows = [
        {
            "item": f"i{n}",
            "system": system,
            "human": system == "people",
            "text": f"{'so ' * (system == 'marked')}{' '.join(rng.choice(words, 6))}",
        }
        for n in range(30)
        for system in ("people", "marked", "mimic", *(["small"] if n < 2 else []))
    ]
    part = assay.adversaries(Dataset.from_records(rows), ["nb(max_order=1)"])
    value = {
        (number.about["kind"], number.about["system"]): number for number in part.numbers if number.name == "accuracy"
    }
    assert value["pooled", "marked"].value == value["individual", "marked"].value == 1
    assert value["unseen", "marked"].value < 0.8
    assert isnan(value["individual", "small"].value) and "at least 3" in value["individual", "small"].reason
    assert any(note.startswith("small, individual: ") for note in part.notes)
    assert value["pooled", "human texts"].n == 30
    assert part.pictures[0].drawing.svg("x").startswith("<svg")
    assert assay.Part.from_json(part.to_json()).to_json() == part.to_json()


def test_intervals_of_shares_are_shares(embedded: Dataset) -> None:
    """The mean over six generators, of which some are always found and others never."""
    part = assay.adversaries(embedded, ["repetition(search=1)"], confidence=0.99)
    means = [number for number in part.numbers if number.name == "mean accuracy"]
    assert len(means) == 3 and any(number.high == 1.0 for number in means)
    assert all(0 <= number.low < number.value < number.high <= 1 for number in means)


def test_unseen_is_not_above_pooled_on_average(embedded: Dataset) -> None:
    part = assay.adversaries(embedded, ["svm"])
    means = {number.about["kind"]: number for number in part.numbers if number.name == "mean accuracy"}
    assert means["unseen"].value <= means["pooled"].high
    areas = {number.about["kind"]: number.value for number in part.numbers if number.name == "AUC"}
    assert areas["unseen"] < areas["pooled"]


@pytest.mark.parametrize(
    ("evaluators", "message"),
    [(["bleu"], "bleu is not a discriminator"), (["neighbors(criterion='typicality')"], "is not a discriminator")],
)
def test_what_is_no_discriminator_is_refused(evaluators: list[str], message: str, embedded: Dataset) -> None:
    with pytest.raises(EvaluatorError, match=message):
        assay.adversaries(embedded, evaluators)


def test_one_class_is_refused(embedded: Dataset) -> None:
    for one in (embedded.human, ~embedded.human):
        with pytest.raises(EvaluatorError, match="only one of them"):
            assay.adversaries(embedded.select(one))


def test_one_generator_has_no_unseen_discriminator(embedded: Dataset) -> None:
    first = embedded.systems.id.to_list().index("ngram-t1.3")
    data = embedded.select((embedded.outputs.system == first) | embedded.human)
    part = assay.adversaries(data, ["nb(search=1)"])
    unseen = [number for number in part.numbers if number.about.get("kind") == "unseen"]
    assert all(isnan(number.value) and number.reason for number in unseen)


def test_every_discriminator_is_known_by_what_it_learns_from() -> None:
    names = {"nb", "svm", "rf", "xgboost", "logistic", "cnn", "lstm", "cnn_lstm", "fine_tuned"}
    for name in names:
        shape = registry.parse(name).shape
        assert isinstance(shape, Fitted) and {"human", "generated"} <= set(shape.learns_from)


def test_the_command_prints_the_table_and_writes_the_figures(tmp_path: Path) -> None:
    figures = tmp_path / "figures"
    words = ["adversaries", str(sample.PATH), "-e", "nb(search=1)", "--no-cache", "--figures", str(figures)]
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 0
    assert "mean of generators" in result.stdout and "calibration error" in result.stdout
    assert len(list(figures.iterdir())) == 2
