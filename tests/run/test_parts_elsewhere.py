"""Data in parts on workers of another machine: in another folder, with a cache of their own."""

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.run.parts import score_parts
from tests.contracts.worlds import training
from tests.run.parts import assert_equal, rows, write_parts
from tests.tiny_models import tiny_encoder


@dataclass(frozen=True)
class Elsewhere:
    """Does what it is sent in a folder of its own."""

    folder: Path
    in_process = False

    def map(self, function: Callable[[Any], Any], tasks: Sequence[Any]) -> Iterator[Any]:
        function_sent, tasks_sent = pickle.dumps(function), [pickle.dumps(task) for task in tasks]
        for task in tasks_sent:
            here, cache = Path.cwd(), os.environ["ASSAY_CACHE"]
            os.chdir(self.folder)
            os.environ["ASSAY_CACHE"] = str(self.folder / "cache")
            try:
                done = pickle.loads(function_sent)(pickle.loads(task))
            finally:
                os.chdir(here)
                os.environ["ASSAY_CACHE"] = cache
            yield done


@pytest.mark.parametrize("unit", ["output", "system"])
def test_files_and_models_are_found(unit: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    write_parts(Path("parts"), rows(), 12)
    assay.fit("nb", training(), "judged")
    asked = [
        "nb(model='judged')",
        "cider(references=nearest(2))",
        f"token_f1(references=nearest(k=2, by={str(tiny_encoder())!r}))",
        *(["self_bleu"] if unit == "system" else []),
    ]
    expected = assay.score(assay.load("parts"), asked, unit=unit)
    assert_equal(expected, score_parts("parts", asked, "scores", unit=unit, executor=Elsewhere(tmp_path / "elsewhere")))
