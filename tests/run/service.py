"""A fake service that evaluators ask."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from assay import AnswerStore, Column, Dataset, Requests, score
from assay.evaluator import Answer, Shape, evaluator, per_request
from assay.records import Output


class Busy(Exception):
    """A failure that may pass."""


class Service:
    """A fake service that says how long a text is, counts what it is asked, and fails as it is told to."""

    def __init__(self, fail: Callable[[str, int], Exception | None] = lambda text, attempt: None) -> None:
        self.asked: Counter[str] = Counter()
        self.under_way = self.most_under_way = 0
        self.seconds = 0.0
        self.fail = fail
        self._lock = threading.Lock()

    def send(self, request: dict[str, Any]) -> Any:
        with self._lock:
            self.asked[request["text"]] += 1
            attempt = self.asked[request["text"]]
            self.under_way += 1
            self.most_under_way = max(self.most_under_way, self.under_way)
        try:
            time.sleep(self.seconds * random.random())
            error = self.fail(request["text"], attempt)
            if error is not None:
                raise error
            return {"verdict": "?" if request["text"].startswith("odd") else len(request["text"])}
        finally:
            with self._lock:
                self.under_way -= 1

    @property
    def evaluator(self) -> Any:
        @evaluator(scale="characters")
        def length_judge() -> Shape:
            """Asks a service how long a text is."""
            return per_request("fake", request=request, send=self.send, read=read)

        return length_judge()


def request(output: Output) -> dict[str, Any]:
    if output.text == "unspeakable":
        raise ValueError("there is nothing to ask")
    return {"text": output.text, "question": "How long?"}


def read(reply: dict[str, Any], output: Output) -> Answer:
    return Answer(float(reply["verdict"]), f"{output.text} is that long")


def data(*texts: str) -> Dataset:
    return Dataset.from_records([{"id": f"o{k}", "item": f"i{k}", "text": text} for k, text in enumerate(texts)])


def ask(service: Service, dataset: Dataset, folder: Path, **how: Any) -> Column:
    store = AnswerStore(folder)
    return score(dataset, [service.evaluator], requests=Requests(store=store, **how))["length_judge()"]
