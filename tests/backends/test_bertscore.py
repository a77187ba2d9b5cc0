"""BERTScore from any model folder, against the definition computed directly with transformers."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

if find_spec("torch") is None or find_spec("transformers") is None:
    pytest.skip("needs the extra neural: pip install 'assay[neural]'", allow_module_level=True)

from assay.evaluators.neighbors.regressor import NeighborRegressor
from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.pairs.sparse_rows import stack
from assay.text.strings import Strings

TEXTS = ["the cat sat", "a cat sat on the mat", "dogs bark", "the mat", ""]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model folder with random weights."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    path = tmp_path_factory.mktemp("tiny")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "a", "cat", "sat", "on", "mat", "dogs", "bark"]
    (path / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab_file=str(path / "vocab.txt"), model_max_length=32).save_pretrained(path)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
    )
    BertModel(config).save_pretrained(path)
    return path


def plain_f1(folder: Path, left: str, right: str) -> float:
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()

    def vectors(text: str) -> np.ndarray:
        with torch.inference_mode():
            states = model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy().astype(float)
        return states / np.linalg.norm(states, axis=1, keepdims=True)

    cosines = vectors(left) @ vectors(right).T
    # Special tokens may be matched, but only the tokens between them count.
    precision, recall = cosines.max(axis=1)[1:-1].mean(), cosines.max(axis=0)[1:-1].mean()
    return 2 * precision * recall / (precision + recall)


def test_pairs_equal_the_definition(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    similarity = Similarity("bertscore", encoder=str(folder))
    rows = stack([part for _, part in similarity.rows(Strings.of(TEXTS), None, -1.0)])
    assert len(rows.values) == 16  # an empty text has no scores
    for row, column, value in zip(rows.rows, rows.columns, rows.values, strict=True):
        assert value == pytest.approx(plain_f1(folder, TEXTS[row], TEXTS[column]), abs=1e-5)


def test_neighbors_by_embeddings(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path))
    for kernel in ("bertscore", "cosine"):
        regressor = NeighborRegressor(kernel, tau=0.0, min_neighbors=1, max_fraction=1, encoder=str(folder))
        result = regressor.fit(TEXTS[:3], [0.1, 0.2, 0.3]).estimate([TEXTS[3], ""])
        assert 0.1 <= result.values[0] <= 0.3
        assert result.gaps[1] == "empty text"
