import csv
import json
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from assay.cli import cli, main
from assay.sample import copy_to

TARGET = "human(criterion='typicality')"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return tmp_path


def run(*words):
    result = CliRunner().invoke(cli, list(words), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def answers(*words):
    return json.loads(run(*words, "--json"))


def correlations(found):
    """The numbers that hold an evaluator against the target."""
    return [number for number in found["numbers"] if "candidate" in number]


def differences(found):
    return [number for number in found["numbers"] if number["name"] == "difference"]


def records(found, name):
    """The rows of a table by column."""
    table = next(table for table in found["tables"] if table["name"] == name)
    return [dict(zip(table["header"], row, strict=True)) for row in table["rows"]]


def failure(capsys, monkeypatch, *words):
    """What a user sees: exit code 1, one message on stderr, nothing on stdout."""
    monkeypatch.setattr(sys, "argv", ["assay", *words])
    with pytest.raises(SystemExit) as stop:
        main()
    seen = capsys.readouterr()
    assert stop.value.code == 1, seen.err
    assert seen.out == ""
    assert "Traceback" not in seen.err
    return seen.err


def write(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def published_like(path, n_systems=9, n_items=40, seed=0):
    """A table of metrics and ratings with gaps, written in the forms people write gaps."""
    rng = np.random.default_rng(seed)
    rows = []
    for s in range(n_systems):
        for i in range(n_items):
            human = round(float(rng.normal() + 0.3 * s))
            scores = [human, human + rng.normal(), round(float(rng.normal() + s)), 100 * rng.random()]
            rows.append(
                [f"sys{s}", f"item{i}", *(rng.choice(["", "NA", "nan"]) if rng.random() < 0.05 else v for v in scores)]
            )
    write(path, ["system", "item", "human", "good", "coarse", "noise"], rows)
    return rows


def test_a_users_own_table_equals_scipy_at_output_and_system_level(folder):
    rows = published_like("scores.csv")
    found = answers("meta", "scores.csv", "--target", "human", "--resamples", "50")
    peers = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}
    values = np.array([[np.nan if v in ("", "NA", "nan") else float(v) for v in row[2:]] for row in rows])
    systems = np.array([row[0] for row in rows])
    assert len(correlations(found)) == 3 * 3 * 2
    for answer in correlations(found):
        x, y = values[:, ["human", "good", "coarse", "noise"].index(answer["candidate"])], values[:, 0]
        both = ~np.isnan(x) & ~np.isnan(y)
        points = x[both], y[both]
        if answer["level"] == "system":
            points = tuple(np.array([v[both & (systems == s)].mean() for s in np.unique(systems)]) for v in (x, y))
        assert answer["value"] == pytest.approx(peers[answer["name"]](*points)[0], abs=1e-9)
        assert answer["n"] == len(points[0])
        assert answer["interval"][0] <= answer["value"] <= answer["interval"][1]
        assert set(answer) >= {"target", "grouping", "n_missing", "coverage", "signature"}


def test_a_data_set_is_scored_and_every_part_of_the_answer_is_there():
    found = answers("meta", "outputs.jsonl", "-e", "bleu", "-e", "length", "--target", TARGET, "--level", "output",
                    "--level", "system", "--resamples", "100", "--ranking")  # fmt: skip
    assert {(part["candidate"], part["level"]) for part in correlations(found)} == {
        (name, level) for name in ("bleu", "length") for level in ("output", "system")
    }
    assert [part["left"] for part in differences(found)] == ["bleu"] * 6
    assert [row["cluster"] for row in records(found, "clusters")][:1] == [1]
    matrix = next(table for table in found["tables"] if table["name"].startswith("matrix-"))
    assert matrix["header"] == ["", TARGET, "bleu", "length"]
    sides = records(found, "between_within")[0]
    assert sides["between systems"] > 0.5 > sides["within systems"]
    assert any("0.89 between systems, 0.11 within them" in note for note in found["notes"])
    assert {row["systems"] for row in records(found, "leave_one_out")} >= {"with people", "without ngram-t0.5"}
    first = records(found, "system_rankings")[0]
    assert (first["evaluator"], first["rank"]) == (TARGET, 1)
    assert found["answers"]["trust"]


def test_the_same_seed_gives_the_same_bytes_with_one_and_two_workers():
    question = [
        "meta",
        "outputs.jsonl",
        "-e",
        "bleu",
        "-e",
        "length",
        "--target",
        TARGET,
        "--resamples",
        "200",
        "--json",
    ]
    assert run(*question, "--workers", "1") == run(*question, "--workers", "2")
    assert run(*question) != run(*question, "--seed", "1")


@pytest.mark.parametrize(
    "words",
    [
        ["meta", "outputs.jsonl", "-e", "bleu", "-e", "length", "--target", TARGET, "--resamples", "80", "--seed", "3"],
        ["meta", "outputs.jsonl", "-e", "bleu", "-e", "length", "--target", TARGET, "--resamples", "40",
         "--resample", "annotators", "--swap", "annotators", "--stat", "pearson", "--level", "output"],
        ["meta", "scores.csv", "--target", "human", "--resamples", "80", "--interval", "bca", "--stat", "kendall"],
        ["meta", "scores.csv", "--target", "human", "--swap", "both", "--stat", "pearson", "spearman"],
        ["compare", "outputs.jsonl", "--systems", "ngram-t0.5", "ngram-t1.0", "people", "-e", "bleu", "-e", TARGET],
        ["compare", "scores.csv", "--test", "permutation", "--resamples", "50"],
    ],
)  # fmt: skip
def test_every_result_is_made_again_from_its_signature(words):
    published_like("scores.csv", 4, 10)
    found = answers(*words)
    for number in [*correlations(found)[::3], *differences(found)[::3]]:
        (again,) = json.loads(run("replay", number["signature"], words[1], "--json"))["numbers"]
        assert number | NAMES == again | NAMES


# A replay knows an evaluator by its whole call, the first run by the name it was asked for.
NAMES = dict.fromkeys(["candidate", "target", "left", "right", "evaluator", "reason"], "")


def test_annotators_are_resampled_only_where_the_data_has_them(capsys, monkeypatch):
    published_like("scores.csv", 3, 8)
    message = failure(capsys, monkeypatch, "meta", "scores.csv", "--target", "human", "--resample", "annotators")
    assert "a score table does not hold single judgments" in message
    wide = answers("meta", "outputs.jsonl", "-e", "bleu", "--target", TARGET, "--resample", "items", "annotators",
                   "--stat", "pearson", "--level", "output", "--resamples", "100")["numbers"][0]  # fmt: skip
    assert wide["resampled"] == ["items", "annotators"]
    assert wide["interval"][0] < wide["value"] < wide["interval"][1]


def test_systems_are_compared():
    found = answers("compare", "outputs.jsonl", "--systems", "ngram-t0.5", "ngram-t1.0", "-e", "bleu", "-e", TARGET)
    first = differences(found)[0]
    assert (first["left"], first["right"], first["evaluator"], first["n"]) == ("ngram-t0.5", "ngram-t1.0", "bleu", 30)
    assert first["interval"][0] < first["value"] < first["interval"][1]
    assert 0 < first["p_value"] < 0.05
    assert first["win"] + first["tie"] + first["loss"] == 30
    rows = records(found, "ranking")
    assert [(row["system"], row["ranks"], row["cluster"]) for row in rows[:2]] == [
        ("ngram-t0.5", "1-1", 1),
        ("ngram-t1.0", "2-2", 2),
    ]
    scores = [number for number in found["numbers"] if number["name"] == "score" and number["evaluator"] == "bleu"]
    assert {(score["system"], *score["rank_interval"]) for score in scores} == {
        ("ngram-t0.5", 1, 1),
        ("ngram-t1.0", 2, 2),
    }
    assert found["answers"]["best"][0].startswith("By bleu, ngram-t0.5 leads with ")


def test_a_reason_that_many_pairs_share_is_told_once():
    published_like("scores.csv", 4, 4)
    result = CliRunner().invoke(cli, ["compare", "scores.csv", "-e", "good", "--test", "permutation"])
    assert result.exit_code == 0
    notes = [line for line in result.stderr.splitlines() if "gives no p below" in line]
    assert notes[0] == (
        "sys0 and sys1 by good: a permutation test of 3 items gives no p below 0.25, times 6 pairs: "
        "no difference, however large, is significant at 0.05 (2 more alike)"
    )
    assert len(notes) == 2


def test_a_stored_table_is_compared_in_either_direction():
    published_like("scores.csv", 3, 12)
    words = ["compare", "scores.csv", "-e", "good", "--systems", "sys0", "sys1"]
    up, down = (differences(answers(*words, *turned))[0] for turned in ([], ["--lower-is-better", "good"]))
    assert up["value"] == down["value"]
    assert up["win"] == down["loss"]


@pytest.mark.parametrize(
    ("form", "mark"), [("text", "evaluator  target"), ("markdown", "| evaluator |"), ("latex", r"\toprule")]
)
def test_tables_for_the_terminal_markdown_and_latex(form, mark):
    published_like("scores.csv", 4, 10)
    assert mark in run("meta", "scores.csv", "--target", "human", "--resamples", "20", "--format", form)
    assert mark.split("  ")[0] in run("compare", "scores.csv", "--resamples", "20", "--format", form)


BAD_TABLES = [
    ("missing target", [["a", "i", 1, 2]], "the target 'humans' is not a column of the scores. Did you mean 'human'?"),
    (
        "repeated",
        [["a", "i", 1, 2], ["a", "j", 1, 2], ["a", "i", 3, 4]],
        "scores.csv line 4: system 'a', item 'i' already appears on line 2. Keep one of the lines",
    ),
    ("not a number", [["a", "i", 1, 2], ["b", "i", 2, "high"], ["c", "i", 2, 1]], "'high' in the column 'm' is not"),
    ("infinite", [["a", "i", 1, 2], ["b", "i", 2, "inf"], ["c", "i", 2, 1]], "line 3: 'inf' in the column 'm'"),
    ("short line", [["a", "i", 1, 2], ["b", "i"]], "line 3: 2 cells, and the header has 4"),
    ("empty", [], "no scores. Give a header line"),
]


@pytest.mark.parametrize(("name", "rows", "message"), BAD_TABLES, ids=[case[0] for case in BAD_TABLES])
def test_bad_tables_are_one_plain_message(name, rows, message, capsys, monkeypatch):
    write("scores.csv", ["system", "item", "human", "m"], rows)
    target = "humans" if name == "missing target" else "human"
    assert message in failure(capsys, monkeypatch, "meta", "scores.csv", "--target", target)


UNDEFINED = [
    ("constant target", [["a", "i", 1, 2], ["b", "i", 1, 3], ["c", "i", 1, 4]], "the target human is constant"),
    ("two units", [["a", "i", 1, 2], ["b", "i", 2, 3], ["c", "i", 1, ""]], "only 2 outputs have both scores"),
    ("all missing", [["a", "i", 1, ""], ["b", "i", 2, "NA"], ["c", "i", 3, "nan"]], "m has no score at all"),
]


@pytest.mark.parametrize(("name", "rows", "reason"), UNDEFINED, ids=[case[0] for case in UNDEFINED])
def test_undefined_is_null_with_a_reason(name, rows, reason):
    write("scores.csv", ["system", "item", "human", "m"], rows)
    for answer in correlations(answers("meta", "scores.csv", "--target", "human", "--level", "output")):
        assert answer["value"] is answer["interval"] is None
        assert reason in answer["reason"]


def test_columns_of_text_are_left_out_and_named():
    write("scores.csv", ["system", "item", "human", "m", "note"], [["a", i, i, i * i, "fine"] for i in range(5)])
    result = CliRunner().invoke(cli, ["meta", "scores.csv", "--target", "human", "--json", "--resamples", "10"])
    assert "the column 'note' contains texts and is left out" in result.stderr
    assert {part["candidate"] for part in correlations(json.loads(result.stdout))} == {"m"}


MISTAKES = [
    (["meta", "outputs.jsonl", "--target", TARGET], "nothing to compare with"),
    (["meta", "outputs.jsonl", "-e", "bleu", "--target", "human(criterion='tipicality')"], "Did you mean 'typicality'"),
    (["meta", "outputs.jsonl", "-e", "distinct", "--target", TARGET, "--level", "output"], "distinct"),
    (["meta", "outputs.jsonl", "-e", "bleu", "--target", TARGET, "--stat", "cosine"], "no statistic 'cosine'"),
    (["meta", "outputs.jsonl", "-e", "bleu", "--target", TARGET, "--resample", "texts"], "cannot resample 'texts'"),
    (["meta", "nowhere.csv", "--target", "human"], "nowhere.csv: no such file"),
    (["compare", "outputs.jsonl", "--systems", "ngram-t0.5", "-e", "bleu"], "two systems are needed"),
    (["compare", "outputs.jsonl", "--systems", "A", "B", "-e", "bleu"], "no system 'A'"),
    (["compare", "outputs.jsonl"], "Name evaluators with -e"),
    (
        ["meta", "outputs.jsonl", "-e", "bleu", "--target", TARGET, "--level", "segment"],
        "no level 'segment': levels are output, pair, matchup, set, system.",
    ),
    (["replay", "bleu(max_order=4)|assay:0.1.0", "outputs.jsonl"], "'bleu' is an evaluator, not a result"),
    (["replay", "correlation(target='human')|assay:0.1.0", "outputs.jsonl"], "lacks candidate"),
    (["replay", "correlation(target='human')|assay:9.9.9", "outputs.jsonl"], "made by assay:9.9.9"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES, ids=lambda value: value if isinstance(value, str) else "")
def test_mistakes_are_one_plain_message(words, message, capsys, monkeypatch):
    assert message in failure(capsys, monkeypatch, *words)
