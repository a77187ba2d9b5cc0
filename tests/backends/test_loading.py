"""Model folders: their code is never run, there is no prompt, and a folder that cannot be loaded is one error."""

import ast
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.errors import DataError

torch = pytest.importorskip("torch")

from tests.tiny_models import tiny_cross_encoder, tiny_encoder  # noqa: E402

EVALUATORS = {
    "embedding_diversity": "embedding_diversity(model={!r})",
    "content_diversity": "content_diversity(model={!r})",
    "bert_score": "bert_score(model={!r})",
    "cross_encoder": "cross_encoder({!r})",
    "neighbors": "neighbors(kernel='cosine', encoder={!r})",
    "trained_content_diversity": "trained_content_diversity(encoder={!r})",
    "nearest": "bleu(references=nearest(by={!r}))",
}


def evil_folder(folder: Path, marker: Path) -> Path:
    """Write a model folder with custom Python code for configuration, network and tokenizer."""
    folder.mkdir()
    classes = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model", "AutoTokenizer": ["evil.Words", None]}
    classes["AutoModelForSequenceClassification"] = "evil.Model"
    config = {"model_type": "evil", "auto_map": classes, "hidden_size": 8, "max_position_embeddings": 8}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "Words", "auto_map": classes}))
    (folder / "evil.py").write_text(f"from pathlib import Path\nPath({str(marker)!r}).write_text('run')\n")
    return folder


def data_file(folder: Path) -> Path:
    path = folder / "data.jsonl"
    rows = [
        {
            "id": f"{n}",
            "item": f"{n // 4}",
            "context": f"What {n // 4}?",
            "system": "ab"[n // 2 % 2],
            "set": f"s{n // 2}",
            "human": n // 2 % 2 == 0,
            "set_columns": {"label_value": n // 2 % 2},
            "text": f"a text of number {n}",
            "references": ["a text"],
            "judgments": [{"annotator": "w", "criterion": "good", "value": n % 3}],
        }
        for n in range(40)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("name", EVALUATORS)
def test_code_in_a_folder_is_not_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    marker = tmp_path / "marker"
    evaluator = EVALUATORS[name].format(str(evil_folder(tmp_path / "evil", marker)))
    monkeypatch.setattr("builtins.input", lambda *_: "y")
    with pytest.raises(DataError, match="cannot be loaded: it needs the Python code"):
        assay.score(assay.load(data_file(tmp_path)), [evaluator])
    assert not marker.exists()


def test_there_is_no_prompt_and_one_line_of_error(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    evaluator = EVALUATORS["cross_encoder"].format(str(evil_folder(tmp_path / "evil", marker)))
    command = [sys.executable, "-m", "assay", "score", str(data_file(tmp_path)), "-e", evaluator, "--no-cache"]
    done = subprocess.run(command, input="y\ny\ny\ny\n", capture_output=True, text=True, cwd=tmp_path)
    assert not marker.exists()
    assert done.returncode == 1, done.stdout
    assert "cannot be loaded" in done.stderr
    assert "[y/N]" not in done.stdout + done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr


class Bomb:
    """Writes a file when unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> object:
        return Path.write_text, (self.marker, "run")


def test_pickled_weights_are_not_unpickled(tmp_path: Path) -> None:
    folder, marker = tmp_path / "bomb", tmp_path / "marker"
    folder.mkdir()
    for file in tiny_encoder().iterdir():
        if file.suffix != ".safetensors":
            (folder / file.name).write_bytes(file.read_bytes())
    torch.save({"weight": Bomb(marker)}, folder / "pytorch_model.bin", pickle_module=pickle)
    data = assay.load(data_file(tmp_path))
    with pytest.raises(DataError, match="cannot be loaded"):
        assay.score(data, [f"embedding_diversity(model={str(folder)!r})"])
    assert not marker.exists()


def test_missing_weights_are_an_error(tmp_path: Path) -> None:
    """An encoder has no classifier; transformers would initialize one at random."""
    data = assay.load(data_file(tmp_path))
    with pytest.raises(DataError, match="would be random numbers"):
        assay.score(data, [f"cross_encoder({str(tiny_encoder_with_one_label(tmp_path))!r})"])


def tiny_encoder_with_one_label(tmp_path: Path) -> Path:
    folder = tmp_path / "headless"
    folder.mkdir()
    for file in tiny_encoder().iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**config, "id2label": {"0": "score"}, "label2id": {"score": 0}}))
    return folder


@pytest.mark.parametrize("damage", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_damaged_folder_is_one_error(damage: str, tmp_path: Path) -> None:
    folder = tmp_path / "damaged"
    folder.mkdir()
    for file in tiny_cross_encoder().iterdir():
        (folder / file.name).write_bytes(file.read_bytes())
    (folder / damage).write_bytes(b"{" + (folder / damage).read_bytes()[:50])
    data = assay.load(data_file(tmp_path))
    for evaluator in ("cross_encoder({!r})", "embedding_diversity(model={!r})"):
        with pytest.raises(DataError, match="cannot be"):
            assay.score(data, [evaluator.format(str(folder))])


def test_models_are_loaded_in_one_place() -> None:
    source = Path(assay.__file__).parent
    users = []
    for path in source.rglob("*.py"):
        names = {node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)}
        if names & {"from_pretrained", "SentenceTransformer", "CrossEncoder"}:
            users.append(path.name)
    assert users == ["loading.py"]
