"""Files of other projects, made the way each project writes them."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import assay

FILES = Path(__file__).parent / "files"


def written(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(record) + "\n" for record in content))
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def answers(data: assay.Dataset) -> list[tuple[str, str, Any]]:
    return [(one.annotator, one.criterion, one.value) for row in data.iter_outputs() for one in row.judgments]


# The file was written by inspect_ai 0.3.285: two samples, two epochs, two scorers, packed with Zstandard.
def test_inspect_eval() -> None:
    data = assay.load(FILES / "arith.eval")
    assert (len(data), len(data.items), len(data.sets)) == (4, 2, 2)
    assert data.systems.id.to_list() == ["mockllm/model"]
    assert data.outputs.text.to_list() == ["It is 4", "Paris", "5", "London is the capital"]
    assert data.items.references[1] == ["Paris", "paris"] and data.items.context[0] == "What is 2+2?"
    assert data.outputs.columns["includes"].tolist() == [1, 1, 0, 0]  # type: ignore[union-attr]
    assert data.outputs.columns["includes.value"].to_list() == ["C", "C", "I", "I"]  # type: ignore[union-attr]


INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "mmlu", "model": "openai/gpt-4o", "model_generate_config": {"temperature": 0.5}},
    "samples": [
        {
            "id": 1, "epoch": 1, "target": "B", "choices": ["3", "4"],
            "input": [
                {"role": "system", "content": "Be brief."},
                {"role": "user", "content": [{"type": "text", "text": "2+2?"}]},
            ],
            "output": {"choices": [{"message": {"role": "assistant", "content": [{"type": "text", "text": "B"}]}}]},
            "scores": {"choice": {"value": "C"}, "rubric": {"value": {"clarity": 4, "depth": 2.5}}},
            "metadata": {"subject": "math"},
        },
        {"id": 2, "epoch": 1, "target": "x", "input": "?", "error": {"message": "timeout"}, "scores": None},
    ],
}  # fmt: skip


def test_inspect_json(tmp_path: Path) -> None:
    data = assay.load(written(tmp_path / "log.json", INSPECT))
    assert data.outputs.text.to_list() == ["B", ""] and data.items.context[0] == "Be brief.\n\n2+2?"
    assert data.items.choices[0] == ["3", "4"] and data.items.target[0].tolist() == [0, 1]
    columns = {name: list(values) for name, values in data.outputs.columns.items()}
    assert columns["choice"][0] == 1 and columns["rubric.depth"][0] == 2.5 and columns["error"][1] == "timeout"
    assert columns["params.temperature"] == [0.5, 0.5]


def test_damaged_logs_are_errors(tmp_path: Path) -> None:
    whole = (FILES / "arith.eval").read_bytes()
    for content in (whole[: len(whole) // 2], b"", b"PK nonsense", whole.replace(b"(\xb5/\xfd", b"(\xb5/\xfc")):
        (tmp_path / "x.eval").write_bytes(content)
        with pytest.raises(assay.DataError, match=r"x\.eval"):
            assay.load(tmp_path / "x.eval")
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as archive:
        archive.writestr("other.json", "{}")
    with pytest.raises(assay.DataError, match="not a log of inspect_ai"):
        assay.load(tmp_path / "x.eval")


def helm_run(folder: Path, model: str, text: str, *, method: str = "generation") -> None:
    """A run as crfm-helm 0.5.16 writes it."""
    instance = {
        "input": {"text": "The cat sat on the"}, "split": "test", "id": "id7",
        "references": [{"output": {"text": "mat"}, "tags": ["correct"]}, {"output": {"text": "dog"}, "tags": []}],
    }  # fmt: skip
    request = {
        "instance": instance, "train_trial_index": 0, "num_train_instances": 0, "prompt_truncated": False,
        "num_conditioning_tokens": 0,
        "request": {
            "model_deployment": model, "model": model, "embedding": False, "prompt": "Complete: The cat sat on the",
            "temperature": 0.0, "num_completions": 1, "top_k_per_token": 1, "max_tokens": 5, "stop_sequences": ["\n"],
            "echo_prompt": False, "top_p": 1, "presence_penalty": 0, "frequency_penalty": 0,
        },
        "result": {
            "success": True, "embedding": [], "cached": False, "request_time": 1.7e-05, "request_datetime": 1795022930,
            "completions": [{"text": text, "logprob": 0, "tokens": [{"text": text, "logprob": 0}]}],
        },
    }  # fmt: skip
    if method != "generation":
        request["output_mapping"] = {"A": "mat", "B": "dog"}
    spec = {
        "method": method,
        "model": model,
        "temperature": 0.0,
        "max_tokens": 5,
        "num_outputs": 1,
        "substitutions": [],
    }
    written(folder / "scenario_state.json", {"adapter_spec": spec, "request_states": [request]})
    written(folder / "run_spec.json", {"name": f"cloze:subject=cats,model={model.replace('/', '_')}"})
    right = float(text in ("mat", " A"))
    stats = [
        {"name": {"name": "exact_match", "split": "test"}, "count": 1, "sum": right, "sum_squared": right,
         "min": right, "max": right, "mean": right, "variance": 0.0, "stddev": 0.0},
        {"name": {"name": "training_co2_cost", "split": "test"}, "count": 0, "sum": 0, "sum_squared": 0},
    ]  # fmt: skip
    written(folder / "per_instance_stats.json", [{"instance_id": "id7", "train_trial_index": 0, "stats": stats}])


def test_helm(tmp_path: Path) -> None:
    for model, text in (("openai/gpt2", "mat"), ("meta/llama", "moon")):
        helm_run(tmp_path / f"cloze:model={model.replace('/', '_')}", model, text)
    data = assay.load(tmp_path)
    assert sorted(data.systems.id) == ["meta/llama", "openai/gpt2"]
    assert data.items.id.to_list() == ["cloze:subject=cats/id7"] and data.items.references[0] == ["mat"]
    assert data.outputs.columns["stat.exact_match"].tolist() == [0, 1]  # type: ignore[union-attr]
    assert "stat.training_co2_cost" not in data.outputs.columns
    assert len(assay.load(tmp_path / "cloze:model=openai_gpt2")) == 1


def test_helm_with_choices(tmp_path: Path) -> None:
    helm_run(tmp_path / "run", "simple/model1", " A", method="multiple_choice_joint")
    data = assay.load(tmp_path / "run")
    assert data.items.choices[0] == ["mat", "dog"] and data.items.target[0].tolist() == [1, 0]
    assert data.output(0).columns["answer"] == "mat" and data.output(0).columns["stat.exact_match"] == 1


def promptfoo_result(test: int, column: int, provider: str, label: str, word: str) -> dict[str, Any]:
    """As promptfoo 0.121.20 writes it: `promptIdx` numbers providers and prompts together, templates stay in values."""
    tested: list[dict[str, Any]] = [
        {"type": "levenshtein", "value": "Translate: {{word}}", "threshold": 30},
        {
            "type": "assert-set",
            "assert": [{"type": "rouge-n", "value": word.upper()}, {"type": "contains", "value": "o"}],
        },
        {"type": "equals", "value": "{{ word | upper }}"},
    ]
    graded = [{"pass": True, "score": 1, "reason": "", "assertion": {"type": "human"}}] if column == 0 else []
    answer = {"output": f"{provider} says {word}", "raw": "", "cost": 0, "cached": False, "tokenUsage": {"total": 0}}
    return {
        "cost": 0,
        "gradingResult": {
            "pass": True,
            "score": 1,
            "reason": "",
            "namedScores": {"tone": 0.5},
            "componentResults": graded,
        },
        "id": f"r{test}{column}",
        "latencyMs": 2,
        "namedScores": {"tone": 0.5},
        "prompt": {"raw": label.replace("{{word}}", word), "label": label, "config": {}},
        "promptId": f"hash of {label}",
        "promptIdx": column,
        "provider": {"id": "echo", "label": provider},
        "response": answer,
        "score": 1,
        "success": True,
        "testCase": {"vars": {"word": word}, "assert": tested, "options": {}, "metadata": {}},
        "testIdx": test,
        "vars": {"word": word},
        "metadata": {"_promptfooFileMetadata": {}},
        "failureReason": 0,
    }


def promptfoo_file(results: list[dict[str, Any]]) -> dict[str, Any]:
    stats = {"successes": len(results), "failures": 0, "errors": 0}
    inner = {"version": 3, "timestamp": "", "prompts": [{"raw": "", "label": ""}], "results": results, "stats": stats}
    return {"evalId": "eval-abc", "results": inner, "config": {"tests": [{}]}, "shareableUrl": None, "metadata": {}}


def test_promptfoo(tmp_path: Path) -> None:
    results = [
        promptfoo_result(test, column, provider, "Translate: {{word}}", word)
        for test, word in enumerate(("hello", "bye"))
        for column, provider in enumerate(("first", "second"))
    ]
    data = assay.load(written(tmp_path / "results.json", promptfoo_file(results)))
    assert data.systems.id.to_list() == ["first", "second"] and len(data.items) == 2
    assert data.items.context[0] == "Translate: hello" and data.items.references[0] == ["Translate: hello", "HELLO"]
    assert data.outputs.columns["score.tone"].tolist() == [0.5] * 4  # type: ignore[union-attr]
    assert answers(data) == [("human", "human", 1.0)] * 2
    assert assay.load(written(tmp_path / "results.jsonl", results)) == data


def test_promptfoo_with_two_prompts_and_a_repeated_test(tmp_path: Path) -> None:
    pairs = [(provider, label) for provider in ("first", "second") for label in ("Say {{word}}", "Shout {{word}}")]
    results = [
        promptfoo_result(test, column, provider, label, word)
        for test, word in enumerate(("hello", "hello", "bye"))
        for column, (provider, label) in enumerate(pairs)
    ]
    failed = {"error": "Command failed", "gradingResult": None, "success": False, "score": 0}
    results[-1] = {key: value for key, value in (results[-1] | failed).items() if key != "response"}
    data = assay.load(written(tmp_path / "results.json", promptfoo_file(results)))
    assert data.systems.id.to_list() == [f"{provider} | {label}" for provider, label in pairs]
    assert data.items.id.to_list() == ["test-0", "test-2"] and data.items.context[1] == '{"word": "bye"}'
    assert len(data) == 12 and len(data.sets) == 8 and data.output(11).text == ""


def test_arena_votes(tmp_path: Path) -> None:
    def turns(*texts: str) -> list[dict[str, str]]:
        return [
            {"content": text, "role": "user" if place % 2 == 0 else "assistant"} for place, text in enumerate(texts)
        ]

    votes = [
        {
            "question_id": 81, "model_a": "gpt-4", "model_b": "vicuna", "winner": winner, "judge": judge, "turn": turn,
            "conversation_a": turns("q1", "a1", "q2", "a2"), "conversation_b": turns("q1", "b1", "q2", "b2"),
        }
        for winner, judge, turn in (("model_a", "expert_1", 1), ("tie", "expert_2", 1), ("model_b", "expert_1", 2))
    ]  # fmt: skip
    data = assay.load(written(tmp_path / "human.jsonl", votes))
    assert data.outputs.text.to_list() == ["a1", "b1", "a1\n\na2", "b1\n\nb2"]
    assert data.items.id.to_list() == ["81", "81/turn-2"] and data.items.context[1] == "q1\n\nq2"
    assert data.judgments.value.tolist() == [1, 0, -1]
    assert data.judgments.annotators.to_list() == ["annotator-0001", "annotator-0002"]
    assert assay.prefer(data, "preferred").numbers
    csv = (
        "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
        '30192,gpt-4,koala,"[""Hi?""]","[""Hello.""]","[""Yo.""]",1,0,0\n'
        '30193,gpt-4,koala,"[""Bye?""]","[""So long.""]","[""No.""]",0,0,1\n'
    )
    data = assay.load(written(tmp_path / "train.csv", csv))
    assert data.outputs.text.to_list() == ["Hello.", "Yo.", "So long.", "No."]
    assert data.judgments.value.tolist() == [1, 0]
    pairs = [
        {"question_id": 81, "model_1": "a", "model_2": "b", "g1_winner": "model_1", "g2_winner": "tie", "turn": 1,
         "judge": ["gpt-4", "pair-v2"], "g1_judgment": "[[A]]", "g2_judgment": "[[C]]", "tstamp": 1.0}
    ]  # fmt: skip
    data = assay.load(written(tmp_path / "gpt-4_pair.jsonl", pairs))
    assert data.judgments.value.tolist() == [1, 0] and data.judgments.annotators.to_list() == ["gpt-4 pair-v2"]


def test_mt_bench(tmp_path: Path) -> None:
    answered = [
        {"question_id": 81, "answer_id": "x", "model_id": "vicuna", "tstamp": 1.0,
         "choices": [{"index": 0, "turns": ["one", "two"]}]}
    ]  # fmt: skip
    data = assay.load(written(tmp_path / "vicuna.jsonl", answered))
    assert data.outputs.text.to_list() == ["one", "two"] and data.items.id.to_list() == ["81", "81/turn-2"]
    # Arena-Hard writes turns as objects.
    answered[0]["choices"] = [{"index": 0, "turns": [{"content": "one", "token_len": 1}]}]
    assert assay.load(written(tmp_path / "hard.jsonl", answered)).outputs.text.to_list() == ["one"]
    graded = [
        {"question_id": 81, "model": "vicuna", "judge": ["gpt-4", "single-v1"], "user_prompt": "", "judgment": "[[9]]",
         "score": score, "turn": turn, "tstamp": 1.0}
        for turn, score in ((1, 9), (2, -1))
    ]  # fmt: skip
    assert answers(assay.load(written(tmp_path / "gpt-4_single.jsonl", graded))) == [("gpt-4 single-v1", "score", 9.0)]


def label_studio_task(number: int) -> dict[str, Any]:
    def result(name: str, kind: str, value: Any) -> dict[str, Any]:
        return {
            "from_name": name,
            "id": "a",
            "origin": "manual",
            "to_name": "text",
            "type": kind,
            "value": {kind: value},
        }

    return {
        "id": number,
        "data": {"prompt": "Say hi.", "response": f"Hi, number {number}.", "model": "gpt2"},
        "annotations": [
            {
                "id": 10 * number + place, "completed_by": user, "was_cancelled": user == 3,
                "result": [
                    result("quality", "rating", 4), result("tone", "choices", ["polite"]),
                    result("why", "textarea", ["ok"]),
                ],
            }
            for place, user in enumerate((1, {"id": 2, "email": "b@example.org"}, 3))
        ],
        "predictions": [],
        "project": 1,
    }  # fmt: skip


def test_label_studio(tmp_path: Path) -> None:
    path = written(tmp_path / "project-1.json", [label_studio_task(1), label_studio_task(2)])
    data = assay.load(path)
    assert data.outputs.text.to_list() == ["Hi, number 1.", "Hi, number 2."] and data.systems.id.to_list() == ["gpt2"]
    assert answers(data)[:4] == [
        ("annotator-0001", "quality", 4.0),
        ("annotator-0001", "tone", "polite"),
        ("annotator-0002", "quality", 4.0),
        ("annotator-0002", "tone", "polite"),
    ]
    assert len(data.judgments) == 8
    kept = assay.load(path, keep_worker_ids=True)
    assert kept.judgments.annotators.to_list() == ["1", "2"]


def label_studio_row(task: int, annotator: int, tone: str, *, as_table: bool) -> dict[str, Any]:
    """A row of JSON-MIN, or of CSV with sorted columns and cells of JSON, as label-studio-sdk 2.1.2 converts them."""
    answered: dict[str, Any] = {
        "quality": [{"rating": task + annotator}],
        "tone": tone,
        "topics": {"choices": ["a", "b"]},
        "words": [{"number": 4}],
        "span": [{"start": 0, "end": 2, "text": "Hi", "labels": ["error"]}],
    }
    times = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z", "lead_time": 3.5}
    row = {
        **{"prompt": "Say hi.", "response": f"Hi, number {task}.", "model": "gpt2", "id": task},
        **answered,
        **{"annotator": annotator, "annotation_id": 10 * task + annotator},
        **times,
    }
    if not as_table:
        return row
    return {
        key: json.dumps(value) if isinstance(value, dict | list) else str(value) for key, value in sorted(row.items())
    }


def test_label_studio_with_a_row_per_annotation(tmp_path: Path) -> None:
    made = [(1, 1, "kind"), (1, 2, "curt"), (2, 1, "kind")]
    data = assay.load(written(tmp_path / "min.json", [label_studio_row(*one, as_table=False) for one in made]))
    assert data.outputs.text.to_list() == ["Hi, number 1.", "Hi, number 2."] and data.systems.id.to_list() == ["gpt2"]
    assert [answer for answer in answers(data) if answer[1] in ("quality", "tone")] == [
        ("annotator-0001", "quality", 2.0),
        ("annotator-0001", "tone", "kind"),
        ("annotator-0002", "quality", 3.0),
        ("annotator-0002", "tone", "curt"),
        ("annotator-0001", "quality", 3.0),
        ("annotator-0001", "tone", "kind"),
    ]
    assert {(name, value) for _, name, value in answers(data)} >= {("topics", "a, b"), ("words", 4.0)}
    assert set(data.criteria) | {name for _, name, _ in answers(data)} == {"quality", "tone", "topics", "words"}
    rows = [label_studio_row(*one, as_table=True) for one in made]
    # Its TSV is written to a file that ends in .csv.
    for separator in (",", "\t"):
        text = io.StringIO()
        writer = csv.DictWriter(text, list(rows[0]), delimiter=separator, quoting=csv.QUOTE_NONNUMERIC)
        writer.writeheader()
        writer.writerows(rows)
        table = assay.load(written(tmp_path / "result.csv", text.getvalue()))
        assert sorted(answers(table)) == sorted(answers(data)) and table.outputs.text == data.outputs.text


def test_tools_whose_texts_are_in_a_column_text(tmp_path: Path) -> None:
    rows = [label_studio_row(task, annotator, "kind", as_table=False) for task, annotator in ((1, 1), (1, 2), (2, 1))]
    rows = [{"text": row["response"], **{k: v for k, v in row.items() if k != "response"}} for row in rows]
    data = assay.load(written(tmp_path / "min.json", rows))
    assert data.outputs.text.to_list() == ["Hi, number 1.", "Hi, number 2."]
    assert {name for _, name, _ in answers(data)} == {"quality", "tone", "topics", "words"}
    record = {"id": "r1", "text": "Hi.", "tone.responses": ["kind", "curt"], "tone.responses.users": ["u1", "u2"]}
    flattened = assay.load(written(tmp_path / "argilla.jsonl", [record]))
    assert flattened.outputs.text.to_list() == ["Hi."]
    assert [value for _, _, value in answers(flattened)] == ["kind", "curt"]


def test_argilla(tmp_path: Path) -> None:
    nested = {
        "id": "r1", "fields": {"prompt": "Say hi.", "response": "Hi."}, "metadata": {"model": "gpt2"},
        "suggestions": {"rating": {"value": 2, "score": None, "agent": "judge"}},
        "responses": {"rating": [{"value": 4, "user_id": "u1"}, {"value": 5, "user_id": "u2"}]},
        "vectors": {}, "status": "completed", "_server_id": "s",
    }  # fmt: skip
    data = assay.load(written(tmp_path / "records.json", [nested]))
    expected = [("annotator-0001", "rating", 4.0), ("annotator-0002", "rating", 5.0)]
    assert answers(data) == expected and data.outputs.text.to_list() == ["Hi."]
    assert data.systems.id.to_list() == ["gpt2"] and data.outputs.columns["rating.suggestion"].tolist() == [2]  # type: ignore[union-attr]
    flat = {
        "id": "r1", "status": "completed", "_server_id": "s", "prompt": "Say hi.", "response": "Hi.", "model": "gpt2",
        "rating.responses": [4, 5, 1], "rating.responses.users": ["u1", "u2", "u3"],
        "rating.responses.status": ["submitted", "submitted", "discarded"],
    }  # fmt: skip
    data = assay.load(written(tmp_path / "flat.jsonl", [flat]))
    assert answers(data) == expected


def test_potato(tmp_path: Path) -> None:
    for user, scale in (("ann@x.org", 3), ("bob@x.org", 5)):
        labels = {"quality": {f"scale_{scale}": str(scale)}, "tone": {"polite": "1"}, "why": {"text_box": "because"}}
        line = {
            "id": "7",
            "displayed_text": "Hi.",
            "label_annotations": labels,
            "span_annotations": {},
            "behavioral_data": {},
        }
        written(tmp_path / "annotation_output" / user / "annotated_instances.jsonl", [line])
    data = assay.load(tmp_path / "annotation_output")
    expected = [
        ("annotator-0001", "quality", 3.0), ("annotator-0001", "tone", "polite"),
        ("annotator-0002", "quality", 5.0), ("annotator-0002", "tone", "polite"),
    ]  # fmt: skip
    assert answers(data) == expected and data.outputs.text.to_list() == ["Hi."]
    csv = "instance_id,user_id,quality.scale_3,quality.scale_5,tone.polite\n7,ann,3,,true\n7,bob,,5,true\n"
    assert answers(assay.load(written(tmp_path / "annotations.csv", csv))) == expected
    tsv = "user\tinstance_id\tquality:::scale_3\tquality:::scale_5\ttone:::polite\nann\t7\t3\t\t1\nbob\t7\t\t5\t1\n"
    assert answers(assay.load(written(tmp_path / "annotated_instances.tsv", tsv))) == expected


def test_prolific_submissions_are_no_data(tmp_path: Path) -> None:
    # The columns of an export of 2024.
    header = (
        "Submission id,Participant id,Status,Custom study tncs accepted at,Started at,Completed at,Reviewed at,"
        "Archived at,Time taken,Completion code,Total approvals,Fluent languages,Age,Sex\n"
    )
    row = 's1,p1,APPROVED,Not Applicable,2024-10-25T12:27:09.179000Z,,,,1150,code,389,"Czech, English",25,Female\n'
    with pytest.raises(assay.DataError, match=r"submissions of a Prolific study .* annotator=PROLIFIC_PID"):
        assay.load(written(tmp_path / "prolific_export_671b.csv", header + row))


def saved_dataset(folder: Path, columns: dict[str, list[Any]], shards: int = 1) -> None:
    """As `save_to_disk` of datasets 5.2.0 writes it: streams, the list of files, features in the schema."""
    folder.mkdir(parents=True)
    features = {name: {"dtype": "string", "_type": "Value"} for name in columns}
    features["label"] = {"names": ["bad", "good"], "_type": "ClassLabel"}  # type: ignore[dict-item]
    table = pa.table(columns).replace_schema_metadata({"huggingface": json.dumps({"info": {"features": features}})})
    names = [f"data-{shard:05d}-of-{shards:05d}.arrow" for shard in range(shards)]
    for shard, name in enumerate(names):
        with pa.OSFile(str(folder / name), "wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
            writer.write_table(table.slice(shard * len(table) // shards, len(table) // shards))
    state = {
        "_data_files": [{"filename": name} for name in names],
        "_fingerprint": "910dae2bb0d98561",
        "_format_columns": None,
        "_format_kwargs": {},
        "_format_type": None,
        "_output_all_columns": False,
        "_split": None,
    }
    written(folder / "state.json", state)
    written(folder / "dataset_info.json", {"citation": "", "description": "", "features": features, "license": ""})


def test_hugging_face_folders(tmp_path: Path) -> None:
    columns = {"prompt": ["p1", "p2"], "response": ["a", "b"], "rating": [3, 4], "label": [1, -1]}
    saved_dataset(tmp_path / "one", columns, shards=2)
    mapping = "text=response,context=prompt,judgments.rating=rating,judgments.label=label"
    data = assay.load(tmp_path / "one", mapping=mapping)
    assert [value for _, _, value in answers(data)] == [3.0, "good", 4.0] and data.systems.id.to_list() == ["one"]
    with pytest.raises(
        assay.DataError, match=r"--map text=response,context=prompt,judgments\.rating=rating\nassay init \S+/one shows"
    ):
        assay.load(tmp_path / "one")
    said: list[str] = []
    study = assay.init(tmp_path / "one", said.append)
    assert 'judgments.rating = "rating"' in study and any("'a'; context 'p1'" in line for line in said)
    saved_dataset(tmp_path / "splits" / "test", {"text": ["a", "b"]})
    written(tmp_path / "splits" / "dataset_dict.json", {"splits": ["test"]})
    assert assay.load(tmp_path / "splits").outputs.text.to_list() == ["a", "b"]
    written(tmp_path / "splits" / "dataset_dict.json", {"splits": ["train", "test"]})
    with pytest.raises(assay.DataError, match=r"several splits\. Name one: .*splits/train"):
        assay.load(tmp_path / "splits")
    file = tmp_path / "one" / "data-00001-of-00002.arrow"
    assert assay.load(file, mapping=mapping).outputs.text.to_list() == ["b"]


def test_class_labels_of_parquet_files_are_names(tmp_path: Path) -> None:
    info = {"info": {"features": {"label": {"names": ["bad", "good"], "_type": "ClassLabel"}, "text": {}}}}
    table = pa.table({"text": ["a", "b"], "label": [1, 0]}).replace_schema_metadata({"huggingface": json.dumps(info)})
    pq.write_table(table, tmp_path / "x.parquet")
    labels = assay.load(tmp_path / "x.parquet").outputs.columns["label"]
    assert labels.to_list() == ["good", "bad"]  # type: ignore[union-attr]
    pq.write_table(table.replace_schema_metadata({"huggingface": "no JSON"}), tmp_path / "x.parquet")
    assert assay.load(tmp_path / "x.parquet").outputs.columns["label"].tolist() == [1, 0]  # type: ignore[union-attr]


def test_texts_of_mt_metrics_eval(tmp_path: Path) -> None:
    for name, content in {
        "system-outputs/en-de/sysA.txt": "eins\nzwei\n",
        "system-outputs/en-de/sysB.txt": "ein\nzwo\n",
        "system-outputs/en-de/refA.txt": "eins\nzwei\n",
        "sources/en-de.txt": "one\ntwo\n",
        "references/en-de.refA.txt": "eins\nzwei\n",
        "human-scores/en-de.mqm.seg.score": "sysA\t-1.0\nsysA\tNone\nsysB\t-5\nsysB\t0\n",
        "documents/en-de.docs": "news\td1\nnews\td2\n",
    }.items():
        written(tmp_path / "wmt22" / name, content)
    data = assay.load(tmp_path / "wmt22" / "system-outputs" / "en-de")
    assert data.systems.id.to_list() == ["refA", "sysA", "sysB"] and data.items.id.to_list() == ["d1", "d2"]
    assert data.systems.human.tolist() == [True, False, False]
    assert data.items.context[1] == "two" and data.items.references[0] == ["eins"]
    assert answers(data) == [("mqm", "mqm", -1.0), ("mqm", "mqm", -5.0), ("mqm", "mqm", 0.0)]


def test_a_file_that_only_looks_like_one(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", [{"question_id": 1, "model_id": "m", "choices": 3}])
    with pytest.raises(assay.DataError, match="not as mt-bench writes it"):
        assay.load(path)


# As in davidjurgens/potato, example-projects/dialogue_analysis/annotation_output: a list of spans, labels may be empty.
def test_potato_with_spans_and_without_labels(tmp_path: Path) -> None:
    span = {"start": 2, "end": 4, "span": "m:", "annotation": "certain"}
    time = {"time_string": "Time spent: 0d 0h 0m 20s "}
    rows = [
        {"id": "1", "displayed_text": "Tom: Hi!", "label_annotations": {}, "span_annotations": [span]},
        {"id": "2", "displayed_text": "Sam: No.", "label_annotations": {"tone": {"curt": "1"}}, "span_annotations": []},
    ]
    path = tmp_path / "annotation_output" / "ann@x.org" / "annotated_instances.jsonl"
    data = assay.load(written(path, [row | {"behavioral_data": time} for row in rows]))
    assert data.outputs.text.to_list() == ["Tom: Hi!", "Sam: No."]
    assert answers(data) == [("annotator-0001", "tone", "curt")]


# As in UKGovernmentBEIS/inspect_ai, tests/log/test_eval_log/log_formats.json: the second version of the log, with a
# transcript, reductions and a target with a leading space.
def test_an_older_inspect_log(tmp_path: Path) -> None:
    said = {"content": "No", "source": "generate", "role": "assistant"}
    sample = {
        "id": 1,
        "epoch": 1,
        "input": "Would you say this?",
        "target": " Yes",
        "messages": [{"content": "Only yes or no.", "role": "system"}, {"content": "Would you?", "role": "user"}, said],
        "output": {"model": "m", "choices": [{"message": said, "stop_reason": "stop"}], "usage": {"input_tokens": 6}},
        "scores": {"match": {"value": "I", "answer": "No"}},
        "metadata": {"label_confidence": 0.9},
        "store": {},
        "transcript": {"events": [{"event": "score", "score": {"value": "I"}}], "content": {"ab": "text"}},
    }
    reductions = [{"scorer": "match", "samples": [{"value": 0, "answer": "No", "sample_id": 1}]}]
    log = {
        "version": 2,
        "status": "success",
        "eval": {
            "run_id": "r",
            "task": "popularity",
            "task_id": "t",
            "dataset": {"name": "d"},
            "model": "x/m",
            "config": {},
        },
        "plan": {"name": "plan", "steps": [{"solver": "generate", "params": {}}], "config": {"temperature": 1.0}},
        "results": {"total_samples": 1, "scores": [{"name": "match"}], "sample_reductions": reductions},
        "stats": {"started_at": "2024-10-15T12:53:13-04:00"},
        "samples": [sample],
    }
    data = assay.load(written(tmp_path / "log.json", log))
    output = data.output(0)
    assert output.text == "No" and output.item.references == (" Yes",)
    assert output.columns["match"] == 0 and output.columns["match.value"] == "I"
