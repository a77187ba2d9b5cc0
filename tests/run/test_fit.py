"""Fitted evaluators that are saved, loaded and applied: to the last bit, by name, and refused when not whole."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay import Dataset, ScoreCache, fit, parse, score
from assay.batch import Batch
from assay.errors import AssayError, DataError, EvaluatorError
from assay.evaluator import EvaluatorFactory, Shape, State, evaluator, fitted
from assay.io.fitted_models import MANIFEST, STATE, TRAINING, read_model
from assay.text.strings import Strings
from tests.contracts.worlds import records, training

NEIGHBORS = "neighbors(criterion='typicality', tau=0.05, min_neighbors=1, max_fraction=1.0)"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    fit(NEIGHBORS, training(), tmp_path / "judge")
    return tmp_path / "judge"


def applied(folder: Path) -> str:
    return f"neighbors(model={str(folder)!r})"


def world() -> Dataset:
    return Dataset.from_records(records())


@evaluator(scale="log-odds")
def bayes(*, tokenizer: str = "whitespace", order: int = 1) -> Shape:
    """Log-odds that a human wrote a text, from its n-grams: naive Bayes with one added to every count."""

    def fit(train: Batch, rng: np.random.Generator) -> State:
        grams, names = train.ngrams_of_units(tokenizer, order), train.spelled_ngrams(tokenizer, order)
        human = train.dataset.human[train.rows]
        counts = [
            np.bincount(grams.values[human[grams.row_of] == kind], minlength=len(names)) for kind in (True, False)
        ]
        met = np.flatnonzero(sum(counts))
        of_human, of_others = (np.log((count[met] + 1) / (count.sum() + len(met))) for count in counts)
        return {"ngrams": names.take(met), "weights": of_human - of_others, "prior": float(np.log(human.mean()))}

    def score(state: State, batch: Batch) -> np.ndarray[Any, Any]:
        places = batch.ngram_places(state["ngrams"], tokenizer, order)
        grams = batch.ngrams_of_units(tokenizer, order)
        weights = np.append(state["weights"], 0.0)[places[grams.values]]
        return state["prior"] + np.bincount(grams.row_of, weights=weights, minlength=len(batch))

    return fitted(fit, score, learns_from=("human", "generated"))


@pytest.mark.parametrize("order", [1, 2])
def test_an_authors_model_of_ngrams_is_the_same_fitted_and_loaded(tmp_path: Path, order: int) -> None:
    """On a bank of other texts, in other chunks: what was learnt is known by its spelling."""
    data = Dataset.from_records(
        [{"text": f"{text} indeed"} for text in [*training().outputs.text, "Nothing known", ""]]
    )
    direct = score(data, [bayes(order=order)], train=training())[repr(bayes(order=order))]
    loaded = fit(bayes(order=order), training(), tmp_path / "bayes")
    again = score(data, [loaded])[repr(loaded)]
    assert np.array_equal(direct.values, again.values)
    assert len(np.unique(direct.values)) > 3
    assert bayes(model=str(tmp_path / "bayes")) == loaded


def test_ngrams_are_spelled_and_found_again() -> None:
    batches: list[Batch] = []

    @evaluator(scale="any", stored=False)
    def looking() -> Shape:
        """Looks at the batch."""
        return fitted(lambda train, rng: train, lambda train, batch: batches.append(batch) or np.zeros(len(batch)))  # type: ignore[func-returns-value]

    score(Dataset.from_records([{"text": "a b a b"}, {"text": "b a"}]), [looking()], train=training())
    (batch,) = batches
    for order, expected in ((1, [["a", "b", "a", "b"], ["b", "a"]]), (2, [["a|b", "b|a", "a|b"], ["b|a"]])):
        grams, names = batch.ngrams_of_units("whitespace", order), batch.spelled_ngrams("whitespace", order)
        spelled = [[names[n].replace("\x1f", "|") for n in grams[row].tolist()] for row in range(2)]
        assert spelled == expected
        places = batch.ngram_places(Strings.of(["zzz", names[int(grams.values[0])]]), "whitespace", order)
        assert places[grams.values[0]] == 1
        assert (places == -1).sum() == len(names) - 1


def test_a_saved_model_is_a_name_like_any_other(folder: Path) -> None:
    made = parse(applied(folder))
    content = read_model(str(folder)).content
    assert made.params["model"] == f"judge@{content}"
    assert "tau=0.05" in made.signature, "the parameters are those it was fitted with"
    assert parse(made.signature) == made
    assert parse(f"neighbors(tau=0.05, model={str(folder)!r})") == made
    assert not made.learns(world())
    column = score(Dataset.from_records([{"text": "A fox sang at noon."}]), [made])[repr(made)]
    assert column.signature == made.signature, "nothing was fitted in this run"


def test_the_same_data_and_seed_give_the_same_folder_and_others_another(tmp_path: Path) -> None:
    asked = f"{NEIGHBORS[:-1]}, subsample=0.5)"
    data = training()
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        fit(asked, data, tmp_path / name, seed=seed)
    one, two, three = (read_model(str(tmp_path / name)).content for name in ("one", "two", "three"))
    assert one == two != three


def test_the_manifest_says_what_was_fitted_on_what(folder: Path) -> None:
    manifest = json.loads((folder / MANIFEST).read_text())
    assert manifest["evaluator"] == parse(NEIGHBORS).signature
    assert (manifest["seed"], manifest["unit"], manifest["format"]) == (0, "output", 1)
    assert manifest["training"]["fingerprint"] == training().fingerprint
    assert manifest["training"]["outputs"] == 36
    assert set(manifest["files"]) == {STATE, TRAINING} == {path.name for path in folder.iterdir()} - {MANIFEST}
    texts = "".join(path.read_bytes().decode("latin1") for path in folder.iterdir() if path.name != STATE)
    assert "My aunt" not in texts, "of the training texts only hashes are kept beside the state"


def test_a_changed_folder_gives_other_cache_keys(folder: Path, tmp_path: Path) -> None:
    cache = ScoreCache(tmp_path / "scores")
    data = Dataset.from_records([{"text": "A fox sang at noon, number 7."}])
    first = score(data, [applied(folder)], cache=cache)[applied(folder)]
    shutil.rmtree(folder)
    rows = [{**record, "judgments": [{"annotator": "w", "criterion": "typicality", "value": 1 + row % 3}]}
            for row, record in enumerate(records())]  # fmt: skip
    texts = training().outputs.text
    other = Dataset.from_records([{**row, "text": texts[n]} for n, row in enumerate(rows)])
    fit(NEIGHBORS, other, folder)
    second = score(data, [applied(folder)], cache=cache)[applied(folder)]
    assert first.signature != second.signature
    assert first.values[0] != second.values[0]
    with pytest.raises(DataError, match="not on this computer, or has changed"):
        parse(first.signature)


def test_texts_it_was_fitted_on_are_scored_and_told(folder: Path) -> None:
    notes = score(training(), [applied(folder)]).notes
    assert any(
        "judge was fitted on the texts of 36 and the contexts of 36 of the 36 outputs;" in note for note in notes
    )
    half = [{"text": training().outputs.text[0], "item": "x"}, {"text": "Something else.", "item": "y"}]
    table = score(Dataset.from_records(half), [applied(folder)])
    assert any("judge was fitted on the texts of 1 of the 2 outputs;" in note for note in table.notes)
    assert table[applied(folder)].n + table[applied(folder)].n_missing == 2
    assert not score(Dataset.from_records(half[1:]), [applied(folder)]).notes


def test_it_can_be_used_by_others(folder: Path) -> None:
    table = score(training(), [f"huse_q(quality={applied(folder)}, k=3)"])
    assert "was fitted on" in " ".join(table.notes)


def test_what_uses_a_saved_one_can_be_saved_itself(folder: Path, tmp_path: Path) -> None:
    blended = fit(f"blend(({applied(folder)}, length), 'typicality')", training(), tmp_path / "blend")
    assert parse(blended.signature) == blended
    assert score(world(), [blended])[repr(blended)].n > 0


def test_chunks_and_workers_change_nothing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = score(world(), [applied(folder)])[applied(folder)].values
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 7)
    assert np.array_equal(one, score(world(), [applied(folder)], workers=2)[applied(folder)].values, equal_nan=True)


def damaged(name: str, change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes())) and None


def manifest(**changes: Any) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        found = json.loads((folder / MANIFEST).read_text())
        (folder / MANIFEST).write_text(json.dumps({**found, **changes}))

    return change


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda folder: (folder / STATE).unlink(), "state.npz: missing"),
        (lambda folder: (folder / MANIFEST).unlink(), "not the folder of a fitted evaluator"),
        (lambda folder: shutil.rmtree(folder), "not the folder of a fitted evaluator"),
        (damaged(STATE, lambda content: content[:-1]), "state.npz: damaged"),
        (damaged(STATE, lambda content: content.replace(b"\x01", b"\x02", 1)), "state.npz: damaged"),
        (damaged(TRAINING, lambda content: b""), "training.npz: damaged"),
        (damaged(MANIFEST, lambda content: content[:50]), "manifest.json: damaged"),
        (damaged(MANIFEST, lambda content: b"[]"), "manifest.json: damaged"),
        (manifest(format=2), "written in format 2 by a newer assay"),
        (manifest(files={}), "state.npz: damaged"),
        (manifest(unit="phrase"), "manifest.json: damaged"),
        (manifest(unit=["output"]), "manifest.json: damaged"),
        (manifest(evaluator="(("), "the manifest names no evaluator"),
        (
            manifest(evaluator="trained_content_diversity()|assay:0.1.0"),
            "a fitted trained_content_diversity, not neigh",
        ),
        (manifest(evaluator="neighbors(tau=0.05)|assay:0.0.9"), "fitted by assay:0.0.9, and this is assay:"),
    ],
)
def test_a_folder_that_is_not_whole_or_not_its_own_is_one_plain_message(
    folder: Path, harm: Callable[[Path], None], message: str
) -> None:
    harm(folder)
    with pytest.raises(AssayError) as raised:
        parse(applied(folder))
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_folder_that_changes_after_it_was_named_is_refused(folder: Path) -> None:
    made = parse(applied(folder))
    damaged(STATE, lambda content: content[:-1])(folder)
    with pytest.raises(DataError, match="changed while it was in use"):
        score(world(), [made])


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("neighbors(model='{folder}', tau=0.3)", "fitted with tau=0.05, not 0.3. Leave tau out"),
        ("neighbors(model='{folder}', kernel='rouge_l')", "fitted with kernel='bleu', not 'rouge_l'"),
        ("neighbors(model='{folder}', color=1)", "no parameter 'color'"),
        ("neighbors(model=3)", "must be a folder"),
        ("neighbors(model='judge@0123456789abcdef')", "not on this computer"),
        ("trained_content_diversity(model='{folder}')", "a fitted neighbors, not trained_content_diversity"),
        ("bleu(model='{folder}')", "bleu has no parameter 'model'"),
        ("human(model='{folder}')", "a fitted neighbors, not human"),
    ],
)
def test_what_does_not_fit_the_model_is_refused(folder: Path, asked: str, message: str) -> None:
    with pytest.raises(AssayError) as raised:
        parse(asked.format(folder=folder))
    assert message in str(raised.value)


def test_what_cannot_be_fitted_is_refused_and_nothing_is_written(folder: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    for asked, message in (
        ("bleu", "does not learn, so"),
        ("reduce(blend((chrf, bleu), 'similarity'))", r"does not learn itself; blend, which it uses, does. Fit that"),
        (applied(folder), "is fitted already"),
    ):
        with pytest.raises(EvaluatorError, match=message):
            fit(asked, training(), new)
    with pytest.raises(EvaluatorError, match="judgments, and the training data has none"):
        fit("neighbors", Dataset.from_records([{"text": "a"}]), new)
    with pytest.raises(EvaluatorError, match=r"blend uses neighbors, which learns too. Fit that first"):
        fit(f"blend(({NEIGHBORS}, length), 'typicality')", training(), new)
    with pytest.raises(DataError, match="something of this name already"):
        fit(NEIGHBORS, training(), folder)
    with pytest.raises(DataError, match="no such folder"):
        fit(NEIGHBORS, training(), new / "below")
    for name in ("x" * 300, "a\0b"):
        with pytest.raises(DataError, match="cannot be the name of a folder"):
            fit(NEIGHBORS, training(), tmp_path / name)
    assert not new.exists()


def learner(state: object, **how: Any) -> EvaluatorFactory:
    @evaluator(scale="any")
    def pupil() -> Shape:
        """Learns what it is told."""
        return fitted(lambda train, rng: state, lambda learnt, batch: np.zeros(len(batch)), **how)

    return pupil


@pytest.mark.parametrize(
    ("state", "why"),
    [
        (3.0, "what it learnt is a float"),
        ({"names": np.array(["a", None], object)}, "the array 'names' holds Python objects"),
        ({"pair": (1, 2)}, "'pair' is a tuple"),
        ({"n": np.int64(3)}, "'n' is a int64"),
        ({"function": print}, "'function' is a builtin"),
    ],
)
def test_what_only_pickle_could_hold_is_refused_and_nothing_is_written(tmp_path: Path, state: object, why: str) -> None:
    with pytest.raises(EvaluatorError, match=why):
        fit(learner(state)(), training(), tmp_path / "model")
    assert os.listdir(tmp_path) == []


def test_any_state_of_plain_parts_comes_back_as_it_was(tmp_path: Path) -> None:
    state = {
        "array": np.array([[1.5, np.nan], [-0.0, np.inf]]),
        "header": np.arange(3, dtype=np.int32),
        "none": np.zeros((0, 2)),
        "texts": Strings.of(["", "ä 🙂", "x\0y"]).take(np.array([2, 1, 0])),
        "values": {"a": [1, 2.5, "x", None, True], "b": 0.1},
        "nan": float("nan"),
    }
    fit(learner(state)(), training(), tmp_path / "model")
    again = read_model(str(tmp_path / "model")).state()
    assert list(again["texts"]) == ["x\0y", "ä 🙂", ""]
    assert again["values"] == state["values"] and np.isnan(again["nan"])
    for name in ("array", "header", "none"):
        expected = np.asarray(state[name])
        assert again[name].dtype == expected.dtype and again[name].shape == expected.shape
        assert again[name].tobytes() == expected.tobytes()


def test_save_and_load_turn_anything_into_plain_parts_and_back(tmp_path: Path) -> None:
    how = {
        "save": lambda learnt: {"bytes": np.frombuffer(learnt, np.uint8)},
        "load": lambda state: state["bytes"].tobytes(),
    }
    made = fit(learner(b"weights", **how)(), training(), tmp_path / "model")
    assert score(world(), [made])[repr(made)].n == 36


def test_a_fit_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: Path, *args: Any, **kwargs: Any) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(DataError, match="No space left on device"):
        fit(NEIGHBORS, training(), tmp_path / "model")
    assert [name for name in os.listdir(tmp_path) if name != "cache"] == []
