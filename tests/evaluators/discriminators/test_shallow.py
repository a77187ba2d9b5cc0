"""Discriminators on n-grams: what they find, what they refuse, and the numbers on public reviews."""

from pathlib import Path

import numpy as np
import pytest

import assay
from assay import Dataset, registry, sample
from assay.errors import AssayError, EvaluatorError
from assay.evaluators.discriminators.discriminator import FOLDS, UNKNOWN, held_back_folds
from assay.run.learning import Learning
from assay.run.one_pass import Run, RunSettings


def accuracy(column: assay.Column, human: np.ndarray) -> float:
    return float(np.mean((column.values > 0.5) == human))


@pytest.fixture(scope="module")
def embedded() -> Dataset:
    return assay.load(sample.PATH)


@pytest.mark.parametrize("name", ("nb", "svm"))
def test_it_finds_the_collapsed_generator_in_a_later_sample(name: str, embedded: Dataset, tmp_path: Path) -> None:
    """Its texts look human one by one; what gives it away is that it says the same again."""
    collapsed = embedded.outputs.system == embedded.systems.id.to_list().index("collapsed")
    data = embedded.select(collapsed | embedded.human)
    members = data.outputs_by_set
    nth = np.zeros(len(data), np.int64)
    nth[members.values] = np.arange(len(data)) - members.offsets[members.row_of]
    judge = assay.fit(name, data.select(nth < 3), tmp_path / "judge")
    later = data.select((nth >= 3) & ~data.human)
    assert accuracy(assay.score(later, [judge])[repr(judge)], later.human) > 0.9


def two_samples(human: list[str], seed: int) -> Dataset:
    """Call half of the human texts generated."""
    is_second = np.random.default_rng(seed).permutation(len(human)) < len(human) // 2
    rows = [
        {"item": f"i{row}", "text": text, "system": "second" if second else "first", "human": not second}
        for row, (text, second) in enumerate(zip(human, is_second.tolist(), strict=True))
    ]
    return Dataset.from_records(rows)


@pytest.mark.parametrize("name", ("nb(search=1)", "svm(search=1)"))
def test_it_is_at_chance_on_second_samples_of_the_same_human_texts(name: str, embedded: Dataset) -> None:
    human = embedded.select(embedded.human).outputs.text.to_list()
    every = [two_samples(human, seed) for seed in range(20)]
    accuracies = [accuracy(assay.score(data, [name])[name], data.human) for data in every]
    assert abs(np.mean(accuracies) - 0.5) < 3 * np.std(accuracies) / np.sqrt(len(every))


def test_naive_bayes_by_hand() -> None:
    """Weights are log ratios of smoothed shares; the calibrated probability rises with their sum."""
    from scipy.sparse import csr_array

    from assay.evaluators.discriminators.learner import Examples
    from assay.evaluators.discriminators.nb import NaiveBayes

    rows = csr_array(np.array([[2.0, 0, 1], [0, 1, 0]]))
    examples = Examples(rows, np.array([True, False]), np.ones(2))
    weights = NaiveBayes().train(examples, {"alpha": 1.0}, None, np.random.default_rng(0)).model["weights"]
    np.testing.assert_allclose(weights, np.log([(3 / 6) / (1 / 4), (1 / 6) / (2 / 4), (2 / 6) / (1 / 4)]))


def test_held_back_folds_keep_items_and_texts_together() -> None:
    texts = [f"t{int(number)}" for number in np.random.default_rng(0).integers(0, 400, 60)]
    rows = [
        {"item": f"i{n % 15}", "system": "a" if n % 3 else "people", "human": n % 3 == 0, "text": text}
        for n, text in enumerate(texts)
    ]
    data = Dataset.from_records(rows)
    batch = Run(data, RunSettings(Learning())).over("output").batch(registry.parse("nb"))
    fold = held_back_folds(batch, data.human, np.random.default_rng(1))
    text = data.outputs.text.codes()
    for together in (text, data.outputs.item):
        assert all(len(np.unique(fold[together == one])) == 1 for one in np.unique(together))
    assert all(len(np.unique(fold[data.human == one])) == FOLDS for one in (True, False))


def test_a_text_without_known_ngrams_is_a_gap() -> None:
    rows = [{"text": f"it rained on day {n}", "human": True, "system": "people"} for n in range(9)]
    rows += [{"text": f"the the sun sun {n}", "human": False, "system": "a"} for n in range(9)]
    new = Dataset.from_records([{"text": "Ωμέγα"}, {"text": ""}, {"text": "it rained"}])
    column = assay.score(new, ["nb"], train=Dataset.from_records(rows))["nb"]
    assert column.gaps.counts() == {UNKNOWN: 2} and column.values[2] > 0.5


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"text": "one", "human": True}], "learns from generated texts"),
        ([{"text": f"t {n}"} for n in range(20)], "learns from human texts"),
        (
            [{"text": f"t {n}", "human": n > 1, "system": "p" if n > 1 else "a"} for n in range(20)],
            r"at least 3 different human and 3 different generated texts .* 15 and 1",
        ),
        (
            [{"text": f"日本語{n}", "human": n % 2 == 0, "system": "p" if n % 2 == 0 else "a"} for n in range(30)],
            "use tokenizer='chars'",
        ),
    ],
    ids=["one text", "one class", "a generator with two texts", "an unknown script"],
)
def test_what_cannot_be_learnt_from_is_refused(rows: list[dict], message: str) -> None:
    name = "rf" if "日" in rows[0]["text"] else "nb"
    with pytest.raises(EvaluatorError, match=message):
        assay.score(Dataset.from_records(rows), [name])


def test_a_saved_model_that_is_damaged_foreign_or_of_another_version_is_refused(
    tmp_path: Path, embedded: Dataset
) -> None:
    folder = tmp_path / "judge"
    assay.fit("nb(max_order=1, search=1)", embedded, folder)
    with pytest.raises(AssayError, match="a fitted nb, not svm"):
        registry.parse(f"svm(model={str(folder)!r})")
    manifest = folder / "manifest.json"
    original = manifest.read_text()
    manifest.write_text(original.replace(f"|assay:{assay.__version__}", "|assay:9.9"))
    with pytest.raises(AssayError, match=r"fitted by assay:9.9"):
        registry.parse(f"nb(model={str(folder)!r})")
    manifest.write_text(original)
    state = folder / "state.npz"
    state.write_bytes(state.read_bytes()[:-7])
    with pytest.raises(AssayError, match="damaged"):
        registry.parse(f"nb(model={str(folder)!r})")


@pytest.mark.parametrize(("name", "package"), [("rf", "sklearn"), ("xgboost", "xgboost")])
def test_without_its_extra_it_says_what_to_install(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, package, None)
    if package == "sklearn":
        monkeypatch.setitem(sys.modules, "sklearn.ensemble", None)
    rows = [{"text": f"it is {n % 4}", "human": n % 2 == 0, "system": "p" if n % 2 == 0 else "a"} for n in range(30)]
    rows = [{**row, "text": f"{row['text']} {n}"} for n, row in enumerate(rows)]
    with pytest.raises(AssayError, match=r"assay\[discriminators\]"):
        assay.score(Dataset.from_records(rows), [name])


@pytest.mark.slow
@pytest.mark.usefixtures("data")
def test_accuracy_on_public_reviews() -> None:
    """Cross-fitted accuracy on 3,600 reviews, half of them human."""
    reviews = assay.load("data:judges/reviews")
    table = assay.score(reviews, ["nb", "svm", "rf", "xgboost"])
    measured = {name: accuracy(table[name], reviews.human) for name in table.columns}
    assert measured["nb"] >= 0.64 and measured["svm"] >= 0.64
    assert measured["rf"] >= 0.66 and measured["xgboost"] >= 0.70
