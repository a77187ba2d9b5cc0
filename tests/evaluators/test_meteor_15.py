"""METEOR 1.5 equals the Java program of pycocoevalcap, on single units and on a system."""

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from assay import score
from assay.errors import AssayError
from assay.io.meteor_tables import _folder, open_meteor_tables
from assay.registry import parse
from tests.meteor_tables import write_tables
from tests.overlap_cases import dataset, real_cases

INSTALLED = "meteor(variant='1.5')"

# Scores of the Java program (`-stdio -l en -norm`).
BY_JAVA = (
    ("the cat sat on the mat", ["on the mat sat the cat"], 0.4776696620223255),
    ("a man is riding a bicycle", ["a person rides a bike", "the guy on a bike"], 0.35908023358484387),
    ("My automobile was large, I think.", ["The car was big."], 0.3231993733086382),
    ("light blue not the bright one", ["the dull blue", "grayish blue"], 0.2064516129032258),
    ("the the the cat", ["the cat the dog the"], 0.3042438548933746),
    ("he is going to the house in order to sleep", ["he will go home so as to sleep"], 0.2697727063490206),
)


def named(folder: Path) -> str:
    return f"meteor(variant='1.5', tables={str(folder)!r})"


def by_java(cases: list[tuple[str, list[str]]]) -> tuple[list[float], float]:
    """Return the scores of the Java program, of each case and of all together."""
    command = ["java", "-Dfile.encoding=UTF-8", "-Xmx2G", "-jar", str(_folder("installed") / "meteor-1.5.jar")]
    command += ["-", "-", "-stdio", "-l", "en", "-norm"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8") as java:
        assert java.stdin and java.stdout

        def ask(line: str) -> str:
            java.stdin.write(line + "\n")
            java.stdin.flush()
            return java.stdout.readline().strip()

        rows = [ask(" ||| ".join(("SCORE", *references, text))) for text, references in cases]
        scores = [float(ask(" ||| ".join(("EVAL", *rows))))]
        scores += [float(java.stdout.readline()) for _ in rows]
        java.stdin.close()
    return scores[:-1], scores[-1]


@pytest.mark.slow
def test_units_and_system_equal_the_jar(data: Path) -> None:
    if shutil.which("java") is None:
        pytest.skip("needs java")
    spaced = [(" ".join(text.split()), [" ".join(r.split()) for r in refs]) for text, refs in real_cases(data, 2300)]
    cases = [(text, references) for text, references in spaced if text and all(references)]
    assert len(cases) > 2000
    expected, of_all = by_java(cases)
    table = score(dataset(cases), [INSTALLED])
    assert table[INSTALLED].values == pytest.approx(expected, rel=0, abs=1e-9)
    assert table.by_system()[INSTALLED].values == pytest.approx([of_all], rel=0, abs=1e-9)


@pytest.mark.slow
def test_golden_scores_of_the_jar() -> None:
    values = score(dataset([case[:2] for case in BY_JAVA]), [INSTALLED])[INSTALLED].values
    assert values == pytest.approx([case[2] for case in BY_JAVA], rel=0, abs=1e-9)


def test_stages_count_by_their_weights(tmp_path: Path) -> None:
    name = named(write_tables(tmp_path / "tables"))
    cases = [
        ("large automobiles", ["big cars"]),
        ("oxen", ["ox"]),
        ("running", ["runs"]),
        ("very large", ["big"]),
        ("in order to", ["so as to"]),
        ("red", ["blue"]),
        ("", ["blue"]),
    ]
    # Everything matched, in one chunk: the score is the weight of the stage.
    table = score(dataset(cases), [name])
    assert table[name].values == pytest.approx([0.8, 0.8, 0.6, 0.6, 0.6, 0.0, 0.0])


def test_function_words_count_less(tmp_path: Path) -> None:
    name = named(write_tables(tmp_path / "tables"))
    values = score(dataset([("the dog", ["the cat"]), ("a cat", ["the cat"])]), [name])[name].values
    # P = R = .25 and .75; one chunk of one word: F (1 - .6).
    assert values == pytest.approx([0.25 * 0.4, 0.75 * 0.4])


def test_the_signature_names_the_tables(tmp_path: Path) -> None:
    folder = write_tables(tmp_path / "tables")
    evaluator = parse(named(folder))
    assert f"tables='{folder}@" in evaluator.signature
    assert parse(evaluator.signature) == evaluator
    shutil.rmtree(folder)
    write_tables(folder, paraphrases=(("big", "huge"),))
    open_meteor_tables.cache_clear()
    with pytest.raises(AssayError, match="are others"):
        parse(evaluator.signature)


def test_a_text_too_long_or_too_monotonous_is_a_gap(tmp_path: Path) -> None:
    name = named(write_tables(tmp_path / "tables"))
    cases = [("cat " * 5001, ["cat"]), ("cat " * 2000, ["cat " * 1500]), ("cat", ["cat"])]
    column = score(dataset(cases), [name])[name]
    assert np.isnan(column.values).tolist() == [True, True, False]
    assert set(column.gaps.counts()) == {
        "a text or reference of more than 5,000 tokens",
        "too many ways to align so long a text of so few words",
    }


def test_tables_that_are_missing_or_damaged_are_a_plain_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    with pytest.raises(AssayError, match=r"no tables of METEOR 1\.5"):
        parse(named(tmp_path))
    folder = write_tables(tmp_path / "tables")
    content = (folder / "data" / "paraphrase-en.gz").read_bytes()
    (folder / "data" / "paraphrase-en.gz").write_bytes(content[:-20] + content[-8:])
    with pytest.raises(AssayError, match="tables of METEOR are damaged"):
        score(dataset([("cat", ["cat"])]), [named(folder)])
    monkeypatch.setattr("assay.io.meteor_tables.find_spec", lambda name: None)
    with pytest.raises(AssayError, match=r"pip install 'assay\[meteor\]'"):
        _folder("installed")


def test_what_was_read_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    folder = write_tables(tmp_path / "tables")
    first = open_meteor_tables(str(folder)).paraphrases
    open_meteor_tables.cache_clear()
    (folder / "data" / "paraphrase-en.gz").write_bytes(
        bytes(100) + (folder / "data" / "paraphrase-en.gz").read_bytes()[-8:]
    )
    again = open_meteor_tables(str(folder)).paraphrases
    assert [part.tolist() for part in again.listed] == [part.tolist() for part in first.listed]
    assert again.vocabulary == first.vocabulary
