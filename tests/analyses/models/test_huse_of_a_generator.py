"""From a trained generator to HUSE: exact log-probabilities, and a simulated panel that judges all texts alike."""

from pathlib import Path

import numpy as np
import pytest

import assay
from assay import Dataset
from assay.errors import GeneratorError
from assay.generators.fitting import fit_generator
from assay.records.unflat import flat_records
from assay.sample import copy_to


def judged(dataset: Dataset, seed: int) -> Dataset:
    """Judgments of a fair panel: they do not depend on who wrote a text."""
    rng = np.random.default_rng(seed)
    records = []
    for record in flat_records(dataset):
        quality = rng.normal(3, 1)
        answers = np.clip(np.round(quality + rng.normal(0, 0.7, 20)), 0, 5).astype(int).tolist()
        votes = [{"annotator": f"a{k}", "criterion": "typicality", "value": vote} for k, vote in enumerate(answers)]
        records.append(record | {"judgments": votes})
    return Dataset.from_records(records)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("ngram")
    fit_generator(assay.load(copy_to(place)), str(place / "ngram"), "ngram")
    return str(place / "ngram")


def drawn_twice(folder: str, place: Path, seed: int, temperature: tuple[float, ...]) -> Dataset:
    """Two samples of one generator, the first called human; the second at each temperature."""
    requests = assay.Requests(store=assay.AnswerStore(place))
    sample = assay.load(copy_to(place))
    first = assay.generate(sample, folder, n=5, seed=2 * seed, system="people", requests=requests).dataset
    records = [
        {key: value for key, value in record.items() if key not in ("logprobs", "n_tokens", "params")} | {"human": True}
        for record in flat_records(first)
    ]
    second = assay.generate(
        Dataset.from_records(records),
        folder,
        n=5,
        seed=2 * seed + 1,
        temperature=temperature,
        system="m",
        human=True,
        requests=requests,
    ).dataset
    return judged(second, seed)


@pytest.mark.slow
def test_a_generator_is_near_itself_and_far_from_a_colder_copy(folder: str, tmp_path: Path) -> None:
    values = []
    for seed in range(6):
        data = drawn_twice(folder, tmp_path, seed, (1.0, 0.5))
        assert data.human.sum() == 150 and len(data.logprobs) == 150 * 2 + 300
        part = assay.huse(data, intervals=False, figures=False, examples=0)
        values.append([number.value for number in part.numbers if number.name == "huse"])
    itself, colder = np.array(values).T
    # The standard error of one value is about .08; leaving a text out of its own neighbors biases HUSE up a little.
    assert abs(itself.mean() - 1) < 0.1
    assert colder.max() < 0.3 < itself.min()


@pytest.mark.slow
def test_the_interval_of_a_generator_against_itself_holds_1(folder: str, tmp_path: Path) -> None:
    n_held = 0
    for seed in range(12):
        part = assay.huse(drawn_twice(folder, tmp_path, seed, (1.0,)), figures=False, examples=0)
        number = next(number for number in part.numbers if number.name == "huse")
        n_held += number.low <= 1 <= number.high
    assert n_held >= 9  # of 12 intervals at 95%; 8 or fewer have a chance of 2 in 1,000


def test_a_model_of_words_reads_its_texts_again_as_it_drew_them(folder: str) -> None:
    data = assay.Dataset.from_records([{"item": "q", "context": "How was your day?", "text": "-"}])
    result = assay.generate(data, folder, n=5)
    assert result.part.headline == {"n": 5, "n_read_again_differs": 0} and not result.part.notes
    assert result.part.summary.startswith("5 texts at 1 setting.")


def test_rounding_makes_no_other_words_of_a_drawn_text(tmp_path: Path) -> None:
    sample = assay.load(copy_to(tmp_path))
    fit_generator(sample, str(tmp_path / "lstm"), "lstm", epochs=1, size=8)
    result = assay.generate(sample, str(tmp_path / "lstm"), n=2, temperature=(0.7, 1.0), top_p=(0.9, 1.0))
    assert result.part.headline["n_read_again_differs"] == 0


def test_a_model_of_words_has_no_chat_template(folder: str) -> None:
    data = assay.Dataset.from_records([{"item": "q", "context": "How was your day?", "text": "Fine."}])
    with pytest.raises(GeneratorError, match="leave --chat out"):
        assay.generate(data, folder, chat=True)
    with pytest.raises(GeneratorError, match="leave --chat out"):
        assay.logprob(data, folder, "ngram", chat=True)
