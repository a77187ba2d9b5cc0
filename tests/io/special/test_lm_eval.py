"""Sample logs as written by lm-evaluation-harness 0.4, with numbers and flags as strings."""

import json
from pathlib import Path

import pytest

from assay import DataError
from assay.io import load, save
from assay.io.special.lm_eval import sample_logs

GENERATED = {
    "doc_id": 0,
    "doc": {"question": "2 + 2?", "answer": "#### 4"},
    "target": "#### 4",
    "arguments": {"gen_args_0": {"arg_0": "Q: 2 + 2?\nA:", "arg_1": {"until": ["\n"], "temperature": 0.0}}},
    "resps": [["It is #### 4"]],
    "filtered_resps": ["4"],
    "filter": "strict-match",
    "metrics": ["exact_match"],
    "doc_hash": "d0",
    "prompt_hash": "p0",
    "target_hash": "t0",
    "exact_match": 1.0,
}
CHOSEN = {
    "doc_id": 7,
    "doc": {"query": "The sky is", "choices": ["blue", "loud"], "gold": 0},
    "target": "0",
    "arguments": {
        "gen_args_0": {"arg_0": "The sky is", "arg_1": " blue"},
        "gen_args_1": {"arg_0": "The sky is", "arg_1": " loud"},
    },
    "resps": [[["-1.25", "True"]], [["-9.5", "False"]]],
    "filtered_resps": [["-1.25", "True"], ["-9.5", "False"]],
    "filter": "none",
    "metrics": ["acc", "acc_norm"],
    "acc": 1.0,
    "acc_norm": 0.0,
}


def log(tmp_path: Path, *samples, model: str = "org__model-1b", second: int = 5) -> Path:
    folder = tmp_path / model
    folder.mkdir(exist_ok=True, parents=True)
    path = folder / f"samples_gsm8k_2026-01-02T03-04-0{second}.678901.jsonl"
    path.write_text("".join(json.dumps(sample) + "\n" for sample in samples))
    return path


def test_generated_texts(tmp_path):
    other = GENERATED | {"filter": "flexible-extract", "filtered_resps": ["4."], "exact_match": 0.0}
    data = load(log(tmp_path, GENERATED, other))
    assert len(data) == 1
    output = data.output(0)
    assert (output.id, output.text, output.system) == ("gsm8k/0/0|org__model-1b", "It is #### 4", "org__model-1b")
    assert output.item.context == "Q: 2 + 2?\nA:"
    assert output.item.references == ("#### 4",)
    assert output.columns["exact_match,strict-match"] == 1.0
    assert output.columns["exact_match,flexible-extract"] == 0.0
    assert output.columns["filtered,strict-match"] == "4"
    assert output.columns["params.temperature"] == 0.0
    assert json.loads(data.items.columns["doc"][0]) == GENERATED["doc"]


def test_repeated_answers_are_a_set(tmp_path):
    data = load(log(tmp_path, GENERATED | {"resps": [["a", "b", "c"]], "filtered_resps": ["a"], "filter": "none"}))
    assert data.outputs.text.to_list() == ["a", "b", "c"]
    assert data.sets.columns["exact_match"].tolist() == [1.0]
    assert "exact_match" not in data.outputs.columns
    assert data.outputs.columns["filtered"].to_list() == ["a", "", ""]


def test_log_likelihoods(tmp_path):
    data = load(log(tmp_path, CHOSEN))
    assert data.outputs.text.to_list() == [" blue", " loud"]
    assert data.systems.id.to_list() == ["choices", "org__model-1b"]
    assert data.logprobs.value.tolist() == [-1.25, -9.5]
    assert data.logprobs.system.tolist() == [1, 1]
    assert data.items.choices[0] == [" blue", " loud"]
    assert data.items.target[0].tolist() == [1, 0]
    assert data.sets.columns["acc"].tolist() == [1.0]
    assert data.outputs.columns["greedy"].tolist() == [1.0, 0.0]


def test_rolling_log_likelihood_and_requests_as_lists(tmp_path):
    sample = {
        "doc_id": 1,
        "doc": {},
        "target": "x",
        "arguments": [["whole text"]],
        "resps": [["-12.5"]],
        "ppl": 3,
    }
    data = load(log(tmp_path, sample))
    assert data.outputs.text.to_list() == ["whole text"]
    assert data.logprobs.value.tolist() == [-12.5]
    assert data.outputs.columns["ppl"].tolist() == [3]


@pytest.mark.parametrize(
    ("sample", "message"),
    [
        ({"doc_id": 3, "resps": 3, "arguments": []}, "line 2: arguments contains no requests."),
        (CHOSEN | {"doc_id": 3, "resps": []}, "line 2: resps is empty"),
        (GENERATED | {"doc_id": 1, "resps": [3]}, "line 2: resps is not a list of responses"),
        ({"doc_id": 1, "doc": {}}, "line 2: no 'resps', which a line of a sample log has"),
        (GENERATED | {"resps": [["other"]]}, "other responses to document gsm8k/0 than on line 1"),
        (CHOSEN | {"resps": [[["much", "True"]], [["-9.5", "False"]]]}, 'line 2: "much" is not a log-probability'),
        (CHOSEN | {"arguments": {"a": {"b": "c"}}}, "1 requests and 2 responses"),
    ],
)
def test_problems_are_reported(tmp_path, sample, message):
    with pytest.raises(DataError) as caught:
        load(log(tmp_path, GENERATED, sample))
    assert message in str(caught.value)


SAMPLED = GENERATED | {"resps": [["a b", "a c"]], "filtered_resps": ["a b"], "filter": "none"}


def two_models(tmp_path: Path) -> Path:
    """A results folder of the harness after two runs."""
    log(tmp_path / "results", SAMPLED, CHOSEN)
    log(tmp_path / "results", SAMPLED | {"resps": [["x y", "x z", "q"]]}, CHOSEN, model="org__model-7b")
    return tmp_path / "results"


def test_logs_are_searched_only_one_level_deep(tmp_path):
    path = log(tmp_path / "results", GENERATED)
    assert sample_logs(path.parent) == sample_logs(path.parent.parent) == [path]
    assert sample_logs(tmp_path) == []


def test_a_folder_of_logs_keeps_its_models_apart(tmp_path):
    data = load(two_models(tmp_path))
    assert data.items.id.to_list() == ["gsm8k/0", "gsm8k/7"]
    assert data.systems.id.to_list() == ["org__model-1b", "choices", "org__model-7b"]
    texts = {
        data.sets.id[row]: [data.outputs.text[int(output)] for output in data.outputs_by_set[row]]
        for row in range(len(data.sets))
    }
    assert texts == {
        "gsm8k/0|org__model-1b": ["a b", "a c"],
        "gsm8k/7|org__model-1b": [" blue", " loud"],
        "gsm8k/0|org__model-7b": ["x y", "x z", "q"],
        "gsm8k/7|org__model-7b": [" blue", " loud"],
    }
    assert [data.systems.id[int(row)] for row in data.logprobs.system] == ["org__model-1b"] * 2 + ["org__model-7b"] * 2


@pytest.mark.parametrize("without", [(), ("id",), ("id", "set", "set_columns")])
def test_logs_that_were_converted_one_by_one_can_be_joined(tmp_path, without):
    """Models stay separate in joined logs, even if a user drops the ids."""
    records = []
    for path in sorted(two_models(tmp_path).rglob("*.jsonl")):
        save(load(path), tmp_path / "one.jsonl")
        records += [json.loads(line) for line in (tmp_path / "one.jsonl").read_text().splitlines()]
    joined = tmp_path / "joined.jsonl"
    joined.write_text("".join(json.dumps({k: v for k, v in r.items() if k not in without}) + "\n" for r in records))
    data = load(joined)
    sampled = data.select(data.outputs.system != data.systems.id.to_list().index("choices"))
    assert sampled.outputs_by_set.lengths.tolist() == [2, 3]
    assert (sampled.set_system >= 0).all()


def test_two_logs_of_one_model_and_task_are_rejected(tmp_path):
    log(tmp_path, GENERATED)
    log(tmp_path, GENERATED, second=6)
    with pytest.raises(DataError, match="a second log of org__model-1b for the task gsm8k, beside samples_gsm8k"):
        load(tmp_path)


def test_different_prompts_are_rejected(tmp_path):
    log(tmp_path, GENERATED)
    asked = {"gen_args_0": {"arg_0": "<user>2 + 2?", "arg_1": {}}}
    log(tmp_path, GENERATED | {"arguments": asked}, model="chat")
    with pytest.raises(DataError, match="had another prompt for document gsm8k/0"):
        load(tmp_path)


@pytest.mark.parametrize("responses", [[], [[]], [[""]]])
def test_a_document_without_an_answer_stays_as_an_empty_text(tmp_path, responses):
    data = load(log(tmp_path, GENERATED, GENERATED | {"doc_id": 1, "resps": responses, "filtered_resps": []}))
    assert data.outputs.text.to_list() == ["It is #### 4", ""]


# As in EleutherAI/lm-evaluation-harness, african_nlp_benchmarks/google__gemma-2b: arguments by name, filters that keep
# lists, and metrics of a whole corpus, which log what they are computed from.
def test_a_log_with_filters_that_keep_lists_and_metrics_that_are_no_numbers(tmp_path):
    sample = {
        "doc_id": 0,
        "doc": {"id": "0", "text": "who?", "spans": ["{'label': 'PER'}"], "target": "PER: Ann"},
        "target": "PER: Ann",
        "arguments": {"gen_args_0": {"arg_0": "Find names: who?", "arg_1": {"do_sample": False, "until": ["</s>"]}}},
        "resps": [[" PER: Ann"]],
        "filtered_resps": [["per: ann"]],
        "filter": "flexible-extract",
        "metrics": ["f1"],
        "doc_hash": "1",
        "prompt_hash": "2",
        "target_hash": "3",
        "f1": ["PER: Ann", ["per: ann"]],
    }
    data = load(log(tmp_path, sample))
    output = data.output(0)
    assert output.text == " PER: Ann" and output.item.context == "Find names: who?"
    assert output.columns["filtered,flexible-extract"] == "per: ann"
    assert output.columns["f1,flexible-extract"] == '["PER: Ann", ["per: ann"]]'
