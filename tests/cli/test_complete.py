"""Shell completion proposes what fits, and never fails."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from assay.cli import cli
from assay.sample import PATH


def proposed(*words: str) -> list[str]:
    *args, incomplete = words
    completion = ShellComplete(cli, {}, "assay", "_ASSAY_COMPLETE")
    return [item.value for item in completion.get_completions(list(args), incomplete)]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sco",), ["score"]),
        (("score", "data:huse/s"), ["data:huse/summarization"]),
        (("score", str(PATH), "-e", "chr"), ["chrf"]),
        (("score", str(PATH), "-e", "bleu(max"), ["bleu(max_order="]),
        (("score", str(PATH), "-e", "bleu(max_order=2, tok"), ["bleu(max_order=2, tokenizer="]),
        (("score", str(PATH), "-e", "human(criterion='t"), []),
        (("score", str(PATH), "--systems", "ngram-t1"), ["ngram-t1.0", "ngram-t1.3"]),
        (("compare", str(PATH), "--exclude", "coll"), ["collapsed"]),
        (("agree", str(PATH), "--criterion", "typ"), ["typicality"]),
        (
            ("meta", str(PATH), "--target", "human"),
            ["human", "human(criterion='typicality')", "human(criterion='real')"],
        ),
        (("score", "no-such-file.jsonl", "--systems", "x"), []),
    ],
)
def test_completion(words: tuple[str, ...], expected: list[str]) -> None:
    assert set(expected) <= set(proposed(*words)) and (expected or not proposed(*words))


def test_a_file_is_completed_by_the_shell(tmp_path: Path) -> None:
    completion = ShellComplete(cli, {}, "assay", "_ASSAY_COMPLETE")
    (item,) = completion.get_completions(["score"], "out")
    assert item.type == "file"


@pytest.mark.parametrize("what", ["source", "complete"])
def test_the_installed_command_completes(what: str) -> None:
    words = {"_ASSAY_COMPLETE": f"bash_{what}", "COMP_WORDS": "assay sco", "COMP_CWORD": "1"}
    command = [sys.executable, "-c", "from assay.cli import main; main()"]
    done = subprocess.run(command, env=os.environ | words, capture_output=True, text=True, check=False)
    assert done.stderr == "" and ("complete" if what == "source" else "score") in done.stdout
