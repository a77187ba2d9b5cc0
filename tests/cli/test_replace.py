"""`assay replace` as a user meets it: the published numbers, and what is refused."""

import json
from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset, load
from assay.analyses.replace import CITE
from assay.cli import cli
from assay.errors import AssayError
from assay.metaeval.votes.replacement import instances_of, replacement_test
from assay.report.citations import works_cited
from assay.sample import copy_to

# Winning rate and advantage as Calderon, Reichart and Dror (2025) publish them, with their epsilon and score.
MODELS = ("gemini_flash", "gemini_pro", "gpt-4o", "llama-31", "gpt-4o-mini", "mistral-v03")
PUBLISHED = {
    ("wax", "accuracy", "0.1"): ".38/.69 .50/.74 .50/.73 .00/.57 .00/.59 .00/.50",
    ("summeval", "neg_rmse", "0.2"): ".00/.46 .00/.44 .00/.48 .00/.58 .00/.54 .00/.62",
    ("10k_prompts", "neg_rmse", "0.15"): ".31/.67 .08/.63 .69/.76 .15/.67 .92/.80 .15/.67",
    ("cebab_stars", "neg_rmse", "0.1"): ".60/.82 .80/.87 .90/.90 .60/.85 .90/.89 .50/.83",
}
CASES = [
    (*setting, model, cell)
    for setting, row in PUBLISHED.items()
    for model, cell in zip(MODELS, row.split(), strict=True)
]


def run(*words):
    result = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words):
    with pytest.raises(AssayError) as caught:
        CliRunner().invoke(cli, words, catch_exceptions=False)
    return str(caught.value)


@pytest.fixture
def sample(tmp_path, monkeypatch):
    copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return "outputs.jsonl"


@pytest.mark.parametrize(("name", "score", "epsilon", "model", "cell"), CASES, ids=lambda value: str(value))
def test_published_numbers(data, name, score, epsilon, model, cell):
    instances = instances_of(loaded(name), model, (), score=score)
    found = replacement_test(instances, epsilon=float(epsilon), n_draws=0)
    assert two_decimals(found.winning_rate, found.advantage) == cell
    if name != "summeval":
        assert found.winning_rate_clustered == found.winning_rate


@pytest.mark.parametrize(("name", "score", "epsilon"), [case for case in PUBLISHED if case[0] != "summeval"])
def test_published_numbers_as_json(data, name, score, epsilon):
    words = ("replace", f"data:replace/{name}", "--judge", "gpt-4o", "--epsilon", epsilon, "--score", score, "--json")
    found = json.loads(run(*words))
    cell = PUBLISHED[name, score, epsilon].split()[MODELS.index("gpt-4o")]
    assert two_decimals(found["winning_rate"], found["advantage"]) == cell
    assert found["passed"] == (found["winning_rate"] >= 0.5)
    assert {"annotator", "n", "advantage", "p_value", "beaten"} <= set(found["annotators"][0])


def two_decimals(*values):
    return "/".join(f"{value + 1e-9:.2f}".removeprefix("0") for value in values)


@cache
def loaded(name):
    return load(f"data:replace/{name}")


def test_other_models_of_a_flat_file_are_ignored_by_name(data, tmp_path):
    run("convert", "data:replace/wax", "-o", str(tmp_path / "wax.jsonl"))
    lines = (tmp_path / "wax.jsonl").read_text().replace(', "annotator_kind": "model"', "")
    assert "annotator_kind" not in lines
    (tmp_path / "flat.jsonl").write_text(lines)
    others = [word for name in MODELS if name != "gpt-4o" for word in ("--ignore", name)]
    command = ("replace", str(tmp_path / "flat.jsonl"), "--judge", "gpt-4o", "--criterion", "answer", "--json")
    found = json.loads(run(*command, "--epsilon", "0.1", "--score", "accuracy", *others))
    assert (found["winning_rate"], round(found["advantage"], 2), found["n_items"]) == (0.5, 0.73, 246)
    assert len(found["annotators"]) == 8


def test_numbers_in_quotes_are_numbers_where_a_distance_is_asked_for(data, tmp_path):
    run("convert", "data:replace/cebab_stars", "-o", str(tmp_path / "stars.jsonl"))
    rows = [json.loads(line) for line in (tmp_path / "stars.jsonl").read_text().splitlines()]
    for row in rows:
        row["judgments"] = [one | {"value": f"{one['value']:g}"} for one in row["judgments"]]
    (tmp_path / "quoted.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = ("replace", str(tmp_path / "quoted.jsonl"), "--judge", "gpt-4o", "--epsilon", "0.1", "--json")
    found = json.loads(run(*command, "--score", "neg_rmse"))
    assert two_decimals(found["winning_rate"], found["advantage"]) == ".90/.90"
    assert json.loads(run(*command))["score"] == "accuracy"
    rows[0]["judgments"][0]["value"] = "many"
    (tmp_path / "quoted.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert "'many', an answer to 'stars', is a label and no number" in refused(*command, "--score", "neg_rmse")


def test_each_criterion_has_a_row(data):
    found = json.loads(run("replace", "data:replace/summeval", "--judge", "gpt-4o", "--json"))
    rows = next(table["rows"] for table in found["tables"] if table["name"] == "replace")
    assert [row[0] for row in rows][1:] == ["coherence", "consistency", "fluency", "relevance"]
    assert [row[4] for row in rows] == ["failed", "passed", "failed", "failed", "failed"]
    again = json.loads(run("replace", "data:replace/summeval", "--judge", "gpt-4o", "--criterion", "fluency", "--json"))
    assert again["n_items"] == 1600


def test_an_evaluator_may_be_the_judge(sample):
    found = json.loads(
        run("replace", sample, "--judge", "neighbors(criterion='typicality')", "--criterion", "typicality", "--json")
    )
    assert found["score"] == "neg_rmse" and 0 < found["advantage"] < 1
    assert "neighbors(" in found["methods"][0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--judge", "nobody"), "no annotator 'nobody' in the data, and no such evaluator"),
        (("--judge", "length", "--criterion", "typicality", "--score", "accuracy"), "no accuracy"),
        (("--judge", "length", "--criterion", "typicality", "--score", "rmse"), "neither accuracy nor neg_rmse"),
        (("--judge", "length", "--criterion", "tipicality"), "Did you mean 'typicality'"),
        (("--judge", "length", "--criterion", "typicality", "--ignore", "x"), "no annotator 'x' to ignore"),
        (("--judge", "length", "--criterion", "typicality", "--epsilon", "2"), "epsilon is 2"),
    ],
)
def test_what_is_refused(sample, words, message):
    assert message in refused("replace", sample, *words)


def test_the_works_cited_have_entries():
    assert len(works_cited([CITE, "Angelopoulos, Duchi and Zrnic 2023"])) == 2


def test_no_judgments(tmp_path):
    (tmp_path / "bare.jsonl").write_text('{"text": "a"}\n')
    assert "there are no judgments" in refused("replace", str(tmp_path / "bare.jsonl"), "--judge", "x")


def texts_of_people(rng, n_items=60):
    """Three people and a judge who copies the first of them word for word, or nearly; another one talks of else."""
    rows = []
    for item in range(n_items):
        said = " ".join(rng.choice(["red", "green", "blue", "round", "flat", "old", "new"], 5))
        answers = {
            "p1": said,
            "p2": f"{said} too",
            "p3": said.replace("red", "pink"),
            "near": f"so {said}",
            "far": "no",
        }
        judgments = [
            {"annotator": name, "criterion": "caption", "value": value}
            | ({"annotator_kind": "model"} if name in ("near", "far") else {})
            for name, value in answers.items()
        ]
        rows.append({"id": str(item), "item": str(item), "system": "s", "text": "x", "judgments": judgments})
    return Dataset.from_records(rows)


def test_answers_that_are_texts_are_compared_by_an_evaluator():
    data = texts_of_people(np.random.default_rng(0))
    near, far = (assay.replace(data, judge, score="chrf", epsilon=0.3).headline for judge in ("near", "far"))
    assert near["advantage"] > far["advantage"] == 0 and near["score"] == "chrf"
    assert assay.replace(data, "near", score="accuracy").headline["advantage"] > 0.5  # nobody gives the same answer
    with pytest.raises(AssayError, match="neither accuracy nor neg_rmse, and no evaluator"):
        assay.replace(data, "near", score="acuracy")
    with pytest.raises(AssayError, match="does not say whether high or low is good"):
        assay.replace(data, "near", score="length")


def test_exact_match_is_accuracy(data):
    answers = assay.load("data:replace/wax")
    one, other = (assay.replace(answers, "gpt-4o", epsilon=0.1, score=score) for score in ("accuracy", "exact_match"))
    for name in ("winning_rate", "advantage", "winning_rate_clustered", "epsilon_needed"):
        assert one.headline[name] == other.headline[name]
