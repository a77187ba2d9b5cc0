"""Sample logs of lm-evaluation-harness: `samples_TASK_DATE.jsonl`, a line per document and filter.

    {"doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics", <metric>: ...}

A generated response is an output of the model, with the target as reference; several responses to a document form a
set. A filtered response is the column `filtered`, and metrics are columns of the output (of the set, if there are
several outputs); a filter other than "none" is part of the column name: `exact_match,strict-match`.
Log-likelihood requests are texts from the task, with their log-probability under the model: the choices of the item,
and its target if that is an index.
The model is named after the folder the harness wrote to, and is part of the ids of outputs and sets: logs of several
models, read as a folder of such folders or joined after conversion, share only their items.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import DataError
from assay.io.paths import is_file
from assay.io.tabular.json_lines import objects
from assay.records import Dataset
from assay.records.columns import number_in

FILE_NAME = re.compile(r"samples_(?P<task>.+?)(_\d{4}-\d\d-\d\dT[\d.-]+)?\.jsonl")
# Keys that are not metrics, for logs that do not list their metrics.
NO_METRIC = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}
HASHES = ("doc_hash", "prompt_hash", "target_hash")
# The system of texts that come from the task, not from the model.
GIVEN = "choices"


def read_lm_eval(path: Path) -> Dataset:
    """Read a sample log."""
    return _dataset([path], path.name)


def read_lm_eval_folder(path: Path) -> Dataset:
    """Read the sample logs in a folder and in its subfolders, one per model."""
    return _dataset(sample_logs(path), path.name)


def read_lm_eval_logs(paths: Sequence[Path]) -> Dataset:
    """Read logs of several models or tasks together; models share the items of a task.

    Logs under names of their own, such as `llama.jsonl`, are of one task, and the model is the file's stem.
    """
    return _dataset(paths, ", ".join(path.name for path in paths), together=True)


def are_sample_logs(paths: Sequence[Path]) -> bool:
    """Whether all files are sample logs, by their first lines."""
    return all(path.suffix.lower() in (".jsonl", ".ndjson") and is_file(path) and _starts_log(path) for path in paths)


def _starts_log(path: Path) -> bool:
    first = next((record for _, record in objects(path, lambda line, text: None)), {})
    return "text" not in first and {"doc_id", "resps"} <= set(first)


def sample_logs(path: Path) -> list[Path]:
    """The sample logs in a folder and its direct subfolders; no deeper, because `/` would take minutes."""
    logs = (file for pattern in ("samples_*.jsonl", "*/samples_*.jsonl") for file in path.glob(pattern))
    return sorted(file for file in logs if FILE_NAME.fullmatch(file.name))


def _dataset(paths: Sequence[Path], source: str, *, together: bool = False) -> Dataset:
    problems: list[str] = []
    documents: list[_Document] = []
    log_of: dict[tuple[str, str], Path] = {}
    prompts: dict[str, _Document] = {}
    for path in paths:
        named = FILE_NAME.fullmatch(path.name)
        task, model = (
            (named["task"], path.resolve().parent.name or path.stem)
            if named
            else (
                "samples" if together else path.stem,
                path.stem,
            )
        )
        other = log_of.setdefault((task, model), path)
        if other != path:
            problems.append(
                f"{path}: a second log of {model} for the task {task}, beside {other.name}. Keep one of them, or give "
                "each model a folder of its own."
            )
            continue
        for document in _documents(path, task, model, problems):
            first = prompts.setdefault(document.name, document)
            if first.context != document.context:
                problems.append(
                    f"{path} line {document.line}: {model} had another prompt for document {document.name} than "
                    f"{first.model}. Read logs with different prompts separately."
                )
            documents.append(document)
    if problems:
        raise DataError(problems)
    records = [record for document in documents for record in document.records()]
    lines = [document.line for document in documents for _ in document.texts]
    default = documents[0].model if documents else source
    return Dataset.from_records(records, source, lines=lines, default_system=default)


def _documents(path: Path, task: str, model: str, problems: list[str]) -> list[_Document]:
    """The documents of one log."""
    documents: dict[str, _Document] = {}
    for line, sample in objects(path, lambda line, text: problems.append(f"{path.name} line {line}: {text}")):
        try:
            name = f"{task}/{_needed(sample, 'doc_id')}"
            if name in documents:
                documents[name].add_filter(sample)
            else:
                documents[name] = _Document(name, line, model, sample)
        except ValueError as error:
            problems.append(f"{path.name} line {line}: {error}")
    return list(documents.values())


class _Document:
    """One document of a log: its first line, merged with the lines of other filters."""

    def __init__(self, name: str, line: int, model: str, sample: Mapping[str, Any]) -> None:
        self.name, self.line, self.model = name, line, model
        self.responses = _needed(sample, "resps")
        self.target = sample.get("target")
        requests = _requests(sample.get("arguments"))
        self.context = _text(requests[0][0])
        self.params: dict[str, Any] = {}
        self.texts: list[str]
        self.scores: list[tuple[float, Any]] = []
        if _is_generation(self.responses, requests):
            # A document without a response gets an empty text, so that it stays in the data as a gap.
            self.texts = [_text(response) for response in self.responses[0]] if any(self.responses) else [""]
            if len(requests[0]) > 1 and isinstance(requests[0][1], Mapping):
                self.params = dict(requests[0][1])
        else:
            self.scores = [_score(response) for response in self.responses]
            self.texts = [_text(request[-1]) for request in requests]
            if len(requests[0]) == 1:
                self.context = ""  # a rolling log-likelihood has no context
            if len(self.texts) != len(self.scores):
                raise ValueError(f"{len(self.texts)} requests and {len(self.scores)} responses. Log it again.")
        self.about = {key: sample[key] for key in HASHES if key in sample} | {"doc": _text(sample.get("doc", ""))}
        self.columns: dict[str, Any] = {}
        self.filtered: dict[str, Sequence[Any]] = {}
        self.add_filter(sample)

    def add_filter(self, sample: Mapping[str, Any]) -> None:
        """Add the metrics and the filtered responses of one line."""
        if _needed(sample, "resps") != self.responses:
            raise ValueError(f"other responses to document {self.name} than on line {self.line}. Keep one run a file.")
        filter_name = sample.get("filter", "none")
        ending = "" if filter_name == "none" else f",{filter_name}"
        metrics = sample.get("metrics") or [key for key in sample if key not in NO_METRIC]
        if not isinstance(metrics, list):
            raise ValueError("metrics is not a list of names.")
        self.columns |= {f"{metric}{ending}": _cell(sample.get(str(metric))) for metric in metrics}
        filtered = sample.get("filtered_resps")
        if not self.scores and isinstance(filtered, list) and len(filtered) in (1, len(self.texts)):
            # A filter may keep the list of a document's responses, also of a single one.
            self.filtered[f"filtered{ending}"] = [one[0] if _is_single(one) else one for one in filtered]

    def records(self) -> list[dict[str, Any]]:
        """One flat record per text."""
        shared: dict[str, Any] = {"item": self.name, "set": f"{self.name}|{self.model}", "item_columns": self.about}
        if self.context:
            shared["context"] = self.context
        if self.scores:
            shared |= {"system": GIVEN} | self._choices()
        else:
            shared |= {"system": self.model, "params": self.params}
            if self.target is not None:
                shared["references"] = [_text(self.target)]
        records = []
        for number, text in enumerate(self.texts):
            record = {"id": f"{self.name}/{number}|{self.model}", "text": text} | shared
            if self.scores:
                value, greedy = self.scores[number]
                record |= {"logprobs": {self.model: value}, "greedy": greedy}
            for name, responses in self.filtered.items():
                if number < len(responses):
                    record[name] = _text(responses[number])
            records.append(record | (self.columns if len(self.texts) == 1 else {}))
        if len(records) > 1:
            records[0]["set_columns"] = self.columns
        return records

    def _choices(self) -> dict[str, Any]:
        if len(self.texts) < 2:
            return {}
        target = str(self.target)
        has_target = target.isdecimal() and int(target) < len(self.texts)
        return {"choices": self.texts} | ({"target": int(target)} if has_target else {})


def _needed(sample: Mapping[str, Any], key: str) -> Any:
    if key not in sample:
        raise ValueError(f"no {key!r}, which a line of a sample log has. Is this a log of lm-evaluation-harness?")
    return sample[key]


def _requests(arguments: Any) -> list[list[Any]]:
    """The arguments of each request, logged as a list of lists or as objects with numbered keys."""
    if isinstance(arguments, Mapping):
        arguments = list(arguments.values())
    if not isinstance(arguments, list):
        raise ValueError("arguments is not a list of requests.")
    requests = [list(request.values()) if isinstance(request, Mapping) else request for request in arguments]
    if not requests or not all(isinstance(request, list) and request for request in requests):
        raise ValueError("arguments contains no requests.")
    return requests


def _is_generation(responses: Any, requests: list[list[Any]]) -> bool:
    """Whether this was a generation request. Numbers are logged as strings too, so the request decides."""
    if not isinstance(responses, list) or not all(isinstance(given, list) for given in responses):
        raise ValueError("resps is not a list of responses, one list for each request.")
    if not any(responses) and isinstance(requests[0][-1], Mapping):
        return True
    if not responses or not all(responses):
        raise ValueError("resps is empty.")
    if len(responses) > 1 or not all(isinstance(text, str) for text in responses[0]):
        return False
    settings = requests[0][1:]
    return isinstance(settings[0], Mapping) if settings else number_in(responses[0][0]) is None


def _score(response: list[Any]) -> tuple[float, Any]:
    """Parse ["-3.1", "True"], [[-3.1, true]] or [-3.1]: a log-probability, and whether the text is the greedy one."""
    inner = response[0] if isinstance(response[0], list) and response[0] else response
    value = number_in(str(inner[0]))
    if value is None:
        raise ValueError(f"{json.dumps(inner[0])[:40]} is not a log-probability.")
    greedy = str(inner[1]).lower() == "true" if len(inner) > 1 else None
    return value, greedy


def _is_single(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _cell(value: Any) -> Any:
    """A column value; numbers logged as strings become numbers."""
    number = number_in(value) if isinstance(value, str) else None
    return value if number is None else number
