"""`assay generate`: sweeps, seeds, exact values, and runs that go on."""

import json
from itertools import product
from math import isnan
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset
from assay.backends.language.opening import open_model
from assay.backends.language.protocol import Reading, Sampling, ToScore
from assay.cli import cli
from assay.errors import AssayError, DataError
from assay.io.answers import AnswerStore
from assay.io.prompts import load_prompts
from assay.run.requests import Requests
from tests.backends.language.fake_endpoint import FakeServer
from tests.tiny_models import save_tiny_language_model, tiny_language_model

ENDS = ("</s>", "<s>")
LINE = "{context}{text}"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))


def items(*contexts: str) -> Dataset:
    rows = [{"item": f"i{context}", "context": context, "references": ["ab"], "text": ""} for context in contexts]
    return Dataset.from_records(rows)


def draw(dataset: Dataset, **settings: Any) -> assay.Dataset:
    folder = str(tiny_language_model())
    return assay.generate(dataset, folder, template=LINE, end=ENDS, max_tokens=6, **settings).dataset


def test_a_sweep_makes_systems_with_sets_params_and_exact_log_probabilities() -> None:
    result = draw(items("a", "bc"), n=3, temperature=(0.5, 1.0), top_p=(0.8, 1.0), system="tiny")
    assert len(result) == 2 * 4 * 3 and len(result.sets) == 8
    assert result.systems.id.to_list()[:2] == ["tiny t=0.5 p=0.8", "tiny t=0.5 p=1"]
    assert sorted(result.outputs.columns) == ["finish", "params.temperature", "params.top_p", "read_again"]
    assert not result.human.any() and result.items.references[0] == ["ab"]
    model = open_model(str(tiny_language_model()))
    for row, output in enumerate(result.iter_outputs()):
        sampling = Sampling(output.columns["params.temperature"], None, output.columns["params.top_p"])
        reading = Reading(sampling, end=ENDS, max_tokens=6)
        scored = model.score([ToScore(output.item.context, output.text, reading)])[0]
        assert result.logprobs.value[row] == pytest.approx(scored.logprob, abs=1e-4)
        assert result.logprobs.system[row] == result.outputs.system[row]


def test_a_text_depends_on_its_item_setting_number_and_seed_alone() -> None:
    def texts(dataset: Dataset) -> dict[str, str]:
        return {output.id: output.text for output in dataset.iter_outputs()}

    whole = texts(draw(items("a", "bc", "dd"), n=4, temperature=(0.7, 1.3)))
    other_order = texts(draw(items("dd", "a"), n=4, temperature=(0.7, 1.3)))
    assert other_order.items() <= whole.items()
    assert texts(draw(items("a", "bc", "dd"), n=2, temperature=(0.7, 1.3))).items() <= whole.items()
    assert texts(draw(items("a", "bc", "dd"), n=4, temperature=(0.7, 1.3), seed=1)) != whole


def test_texts_whose_tokens_are_others_when_read_again_have_both_values() -> None:
    # The network may draw the beginning of a text, which no text spells as one token when it is read again.
    result = assay.generate(items("a", "bc"), str(tiny_language_model()), template=LINE, n=30, max_tokens=30)
    texts = result.dataset.outputs.text.to_list()
    odd = np.array(["<s>" in text for text in texts])
    flags = [output.columns["read_again"] for output in result.dataset.iter_outputs()]
    assert odd.any() and [flag != "same" for flag in flags] == odd.tolist()
    for output, flag, value in zip(result.dataset.iter_outputs(), flags, result.dataset.logprobs.value, strict=True):
        again = output.columns["logprob_read_again"]
        assert np.isfinite(again) == (flag == "other") and again != value
    assert result.part.headline["n_read_again_differs"] == odd.sum()
    assert any("logprobs holds the value of the tokens drawn" in note for note in result.part.notes)


def test_an_empty_text_is_an_end_at_once_without_the_white_space_of_the_template(tmp_path: Path) -> None:
    folder = str(save_tiny_language_model(tmp_path / "model", "ab "))
    result = assay.generate(items("a", "ab"), folder, n=60, end=ENDS, max_tokens=4)
    empty = [output for output in result.dataset.iter_outputs() if not output.text]
    at_once = [output for output in empty if output.columns["read_again"] == "same"]
    # A text may also be the white space of the template alone: it has other tokens than an empty one.
    assert 0 < len(at_once) < len(empty)
    assert {output.columns["read_again"] for output in empty} == {"same", "other"}
    scored = assay.logprob(result.dataset, folder, "read", end=ENDS, max_tokens=4).dataset
    read = scored.logprobs.system == scored.systems.id.to_list().index("read")
    values = dict(zip(scored.logprobs.output[read].tolist(), scored.logprobs.value[read], strict=True))
    drawn = dict(zip(scored.logprobs.output[~read].tolist(), scored.logprobs.value[~read], strict=True))
    rows = [row for row, name in enumerate(scored.outputs.id) if name in {output.id for output in at_once}]
    assert [values[row] for row in rows] == pytest.approx([drawn[row] for row in rows], abs=1e-4)
    blank = sum(not text.strip() for text in result.dataset.outputs.text)
    assert any(note.startswith(f"{blank} empty texts: the model ended at once") for note in result.part.notes)


def test_human_texts_are_kept_and_scored_at_every_setting() -> None:
    rows = [
        {"item": "1", "context": "ab", "text": "cd", "system": "people", "human": True},
        {"item": "1", "context": "ab", "text": "xx", "system": "other"},
    ]
    result = draw(Dataset.from_records(rows), n=2, temperature=(0.5, 1.0), system="m", human=True)
    assert result.human.sum() == 1 and len(result) == 5
    under = {
        result.systems.id[int(s)]: v
        for o, s, v in zip(result.logprobs.output, result.logprobs.system, result.logprobs.value, strict=True)
        if result.human[o]
    }
    assert sorted(under) == ["m t=0.5", "m t=1"] and under["m t=1"] != under["m t=0.5"]
    with pytest.raises(DataError, match="no human-written outputs"):
        draw(items("a"), human=True)


def test_beam_search_says_one_text_and_no_other() -> None:
    rows = [{"item": str(n), "context": "ab", "text": "cd", "system": "people", "human": True} for n in range(2)]
    model = open_model(str(tiny_language_model()))
    every = ["".join(letters) for n in range(5) for letters in product("abcd", repeat=n)]
    reading = Reading(end=ENDS, max_tokens=4)
    scored = model.score([ToScore("ab", text, reading) for text in every])
    best = every[int(np.argmax([one.logprob for one in scored]))]
    rows[1]["text"] = best
    settings: dict[str, Any] = {"template": LINE, "end": ENDS, "max_tokens": 4, "system": "b"}
    result = assay.generate(Dataset.from_records(rows), model, beam=200, human=True, **settings).dataset
    assert result.outputs.text.to_list() == [best, best, "cd", best]  # so wide a beam is an exhaustive search
    assert result.logprobs.value.tolist() == [0, 0, -np.inf, 0]
    assert numbers(result, "params.beams")[:2] == [200, 200]
    with pytest.raises(AssayError, match="finds one text"):
        assay.generate(items("a"), model, beam=2, n=2, template=LINE)
    with pytest.raises(AssayError, match="needs a model folder"):
        assay.generate(items("a"), FakeServer("none").endpoint(), beam=2)


def test_the_command_reads_prompts_writes_data_and_a_second_run_draws_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "prompts.jsonl").write_text(
        '{"id": "q1", "context": "ab", "topic": "x"}\n{"id": "q2", "context": "c"}\n'
    )
    assert load_prompts(tmp_path / "prompts.jsonl").items.id.to_list() == ["q1", "q2"]
    words = [
        *("generate", str(tmp_path / "prompts.jsonl"), "--model", str(tiny_language_model()), "--n", "2"),
        *(
            "--temperature",
            ".4:1:3",
            "--max-tokens",
            "6",
            "--template",
            LINE,
            "--json",
            "--end",
            "</s>,<s>",
            "-o",
            str(tmp_path / "out.jsonl"),
        ),
    ]
    first = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert first.exit_code == 0, first.output
    data = assay.load(tmp_path / "out.jsonl")
    assert len(data) == 12 and set(numbers(data, "params.temperature")) == {0.4, 0.7, 1.0}
    written = (tmp_path / "out.jsonl").read_bytes()
    monkeypatch.setattr("assay.backends.language.local.LocalModel.sample", lambda *_: pytest.fail("drawn again"))
    assert CliRunner().invoke(cli, words, catch_exceptions=False).exit_code == 0
    assert (tmp_path / "out.jsonl").read_bytes() == written


def numbers(data: Dataset, name: str) -> list[float]:
    return [float(output.columns[name]) for output in data.iter_outputs()]


def test_an_endpoint_draws_and_says_what_it_does_not_tell(tmp_path: Path) -> None:
    server = FakeServer("none")
    requests = Requests(store=AnswerStore(tmp_path / "store"))
    result = assay.generate(items("a", "bc"), server.endpoint(), template=LINE, n=2, max_tokens=4, requests=requests)
    assert len(result.dataset) == 4 and not len(result.dataset.logprobs)
    assert any("without a log-probability: the endpoint gives no" in note for note in result.part.notes)
    rows = result.part.table("generated").rows
    assert isnan(rows[0][-1])  # type: ignore[arg-type]
    few = Requests(store=AnswerStore(tmp_path / "few"), most=2, at_once=1)
    with pytest.raises(DataError, match=r"2 of 4 texts were not drawn: not asked.*same command goes on"):
        assay.generate(items("a", "bc"), server.endpoint(), template=LINE, n=2, max_tokens=4, requests=few)


def test_bad_input_is_one_plain_message(tmp_path: Path) -> None:
    (tmp_path / "prompts.jsonl").write_text(json.dumps({"context": "ab" * 40}))
    model = str(tiny_language_model())
    for words, says in (
        (["--model", model], f"the prompt '{'ab' * 20}...' has 80 tokens, and 64 are to follow, but the model sees 64"),
        (["--model", model, "--temperature", "1,1"], "given twice"),
        (["--model", model, "--top-p", "0"], "top_p is 0"),
    ):
        call = [
            "generate",
            str(tmp_path / "prompts.jsonl"),
            "--template",
            LINE,
            *words,
            "-o",
            str(tmp_path / "o.jsonl"),
        ]
        with pytest.raises(AssayError) as refusal:
            CliRunner().invoke(cli, call, catch_exceptions=False)
        assert says in str(refusal.value)
    call = ["generate", str(tmp_path / "prompts.jsonl"), "--model", model, "--temperature", "hot", "-o", "o.jsonl"]
    assert CliRunner().invoke(cli, call).exit_code == 2
    assert not list(tmp_path.glob("o.*"))
