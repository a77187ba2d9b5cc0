"""What is declared decides, and no name does: the same judgments under other names give the same numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

import assay
from assay import DataError, Dataset, EvaluatorError
from assay.evaluators.huse.quality import judged_criterion
from assay.metaeval.votes.agreement import AgreementOptions, agreements
from assay.metaeval.votes.pair_judgments import comparisons_of
from assay.metaeval.votes.votes import votes_of
from assay.sample import PATH
from assay.study.proposals import diversity_metrics, quality_criterion
from tests.io.test_round_trips import FLAT, written

NAMES = {"typicality": "q1", "diversity": "q2", "form_diversity": "q3", "similarity": "q4", "more_diverse": "q5"}
DECLARED = {
    "q1": {"asks": "quality"},
    "q2": {"asks": "diversity", "unit": "set"},
    "q3": {"asks": "diversity", "aspect": "form"},
    "q4": {"asks": "similarity", "better": "neither"},
    "q5": {"asks": "diversity", "unit": "set pair"},
}
SCORES = ("abs_hds", "asp_hds('form')", "sim_hds", "rnk_hds")


def judged(names: dict[str, str]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for place in range(6):
        number = place // 2

        def answer(name: str, value: float, **about: str) -> dict[str, Any]:
            return {"annotator": f"a{value:g}", "criterion": names.get(name, name), "value": value} | about

        line: dict[str, Any] = {"id": f"o{place}", "item": f"i{number}", "set": f"s{number}", "text": f"text {place}"}
        line["judgments"] = [answer("typicality", place), answer("ease", 5 - place)]
        if place % 2 == 0:
            line["judgments"] += [
                answer("diversity", number, unit="set"),
                answer("form_diversity", 3 * number, unit="set"),
                answer("similarity", 2 - number, other=f"o{place + 1}"),
                answer("more_diverse", number - 1, unit="set", other=f"s{(number + 1) % 3}"),
            ]
        lines.append(line)
    return lines


def test_declared_criteria_are_found_under_any_name() -> None:
    named = Dataset.from_records(judged({}))
    renamed = judged(NAMES)
    renamed[0]["criteria"] = DECLARED
    declared = Dataset.from_records(renamed)
    assert judged_criterion(named) == quality_criterion(named) == "typicality"
    assert judged_criterion(declared) == quality_criterion(declared) == "q1"
    assert diversity_metrics(named) == diversity_metrics(declared)
    assert diversity_metrics(named)[:2] == ["abs_hds", "sim_hds"]
    before, after = (assay.score(data, SCORES, unit="set") for data in (named, declared))
    for name in SCORES:
        assert before[name].values.tolist() == after[name].values.tolist()
        assert len(set(before[name].values.tolist())) > 1
        assert after[name].signature == before[name].signature


def test_without_a_declaration_other_names_mean_nothing() -> None:
    data = Dataset.from_records(judged(NAMES))
    with pytest.raises(EvaluatorError, match="Say which one is the quality"):
        judged_criterion(data)
    for name in SCORES:
        with pytest.raises(EvaluatorError, match=r"no criterion asks annotators for the .* Name one with criterion"):
            assay.score(data, [name], unit="set")
    assert assay.score(data, ["abs_hds(criterion='q2')"], unit="set")["abs_hds(criterion='q2')"].n_missing == 0


def test_two_that_ask_the_same_are_not_chosen_from() -> None:
    lines = judged(NAMES)
    lines[0]["criteria"] = DECLARED | {"ease": {"asks": "quality"}}
    with pytest.raises(EvaluatorError, match="judgments of 'q1', 'ease'"):
        judged_criterion(Dataset.from_records(lines))


@pytest.mark.parametrize(("better", "direction"), [("lower", False), ("neither", None), ("higher", True)])
@pytest.mark.parametrize("name", [*FLAT, "tables.csv", "tables.jsonl", "tables.parquet"])
def test_the_direction_is_that_of_the_criterion_at_every_seam(name: str, better: str, direction: bool | None) -> None:
    lines = judged({})
    lines[3]["criteria"] = {"typicality": {"better": better, "low": 0, "high": 5}}
    data = Dataset.from_records(lines)
    with written(data, name) as path:
        again = assay.load(path)
        assert again == data
        assert again.criteria == data.criteria
        column = assay.score(again, ["human('typicality')"])["human('typicality')"]
        scores = path.parent / "scores.csv"
        assay.save_scores(assay.score(again, ["human('typicality')"]), scores)
        assert assay.load_scores(scores)["human('typicality')"].higher_is_better is direction
    assert column.higher_is_better is direction


def test_a_judged_distance_is_not_negated() -> None:
    lines = judged({})
    call = "reduce(human('similarity'))"
    similarity = assay.score(Dataset.from_records(lines), [call], unit="set")[call].values
    lines[0]["criteria"] = {"similarity": {"better": "lower"}}
    distance = assay.score(Dataset.from_records(lines), [call], unit="set")[call].values
    assert distance.tolist() == (-similarity).tolist()


def votes(*answers: Any, criterion: dict[str, Any] | None = None) -> Dataset:
    """Two annotators, whose answers stand side by side, on texts of people and of a system in turn."""
    lines: list[dict[str, Any]] = [
        {
            "id": f"o{n}",
            "system": f"s{n % 2}",
            "human": n % 2 == 0,
            "text": "t",
            "judgments": [{"annotator": f"a{k}", "criterion": "c", "value": value} for k, value in enumerate(pair)],
        }
        for n, pair in enumerate(answers)
    ]
    if criterion is not None:
        lines[0]["criteria"] = {"c": criterion}
    return Dataset.from_records(lines)


@pytest.mark.parametrize("scale", ["nominal", "ordinal", "interval", "ratio"])
def test_the_scale_of_agreement_is_that_of_the_criterion(scale: str) -> None:
    answers = [(0, 1), (1, 1), (2, 3), (3, 3), (0, 3), (2, 2)]
    [declared] = agreements(votes(*answers, criterion={"scale": scale, "question": "How?"}))
    [chosen] = agreements(votes(*answers), options=AgreementOptions(scale=scale))  # type: ignore[arg-type]
    alphas = [result.statistics["krippendorff_alpha"] for result in (declared, chosen)]
    assert alphas[0].about["scale"] == alphas[1].about["scale"] == scale
    assert alphas[0].value == alphas[1].value
    assert declared.question == "How?"
    [overridden] = agreements(
        votes(*answers, criterion={"scale": "interval"}), options=AgreementOptions(scale="ordinal")
    )
    assert overridden.statistics["krippendorff_alpha"].about["scale"] == "ordinal"


def test_labels_in_order_are_numbers_and_names_are_not() -> None:
    answers = [("bad", "fair"), ("good", "good"), ("fair", "bad"), ("good", "fair"), ("bad", "bad")]
    labels = ["bad", "fair", "good"]
    grades = {"labels": labels, "scale": "ordinal"}
    codes = [tuple(labels.index(word) for word in pair) for pair in answers]
    [words], [numbers] = agreements(votes(*answers, criterion=grades)), agreements(votes(*codes))
    assert list(words.categories) == ["bad", "fair", "good"]
    for name, estimate in words.statistics.items():
        assert estimate.value == numbers.statistics[name].value
    undeclared = votes_of(votes(*answers), "c")
    names = votes_of(votes(*answers, criterion=grades | {"scale": "nominal"}), "c")
    assert not undeclared.numeric and not names.numeric
    mixed = votes_of(votes(("bad", 1), (2, "good"), criterion=grades), "c")
    assert mixed.category_names == ["bad", "fair", "good"]
    with pytest.raises(DataError, match="numbers in some places and labels in others"):
        votes_of(votes(("bad", 1)), "c")


def test_errors_are_on_the_declared_range() -> None:
    answers = [(0, 1), (1, 1), (2, 1), (2, 0)]
    [given], [declared] = agreements(votes(*answers)), agreements(votes(*answers, criterion={"low": 0, "high": 4}))
    shares = [result.annotators.annotators[0].measures["mse"].value for result in (given, declared)]
    assert shares[0] == 4 * shares[1]


def test_the_highest_answer_says_that_a_person_wrote_it() -> None:
    answers = [("b", "b"), ("b", "a")]
    authorship = {"asks": "authorship", "labels": ["a", "b"]}
    right = votes_of(votes(*answers, criterion=authorship), "c", against="human")
    assert right.answers.tolist() == [1.0, 1.0, 0.0, 1.0]
    with pytest.raises(DataError, match="does not say whether a person wrote the text"):
        votes_of(votes(*answers), "c", against="human")


def test_a_share_is_of_a_label_or_of_its_number() -> None:
    data = votes(("real", 1), (0, "fake"), criterion={"labels": ["fake", "real"]})
    by_label, by_number = "human('c', aggregate='share', of='real')", "human('c', aggregate='share', of=1.0)"
    table = assay.score(data, [by_label, by_number])
    assert table[by_label].values.tolist() == table[by_number].values.tolist() == [1.0, 0.0]


def test_preferences_in_declared_words() -> None:
    lines: list[dict[str, Any]] = [{"id": f"o{n}", "item": "i", "system": f"s{n}", "text": "t"} for n in range(2)]
    answers = ["zweiter", "gleich", "erster", "erster"]
    lines[0]["judgments"] = [
        {"annotator": f"a{n}", "criterion": "besser", "value": word, "other": "o1"} for n, word in enumerate(answers)
    ]
    with pytest.raises(DataError, match="names neither of the two"):
        comparisons_of(Dataset.from_records(lines), "besser")
    lines[0]["criteria"] = {"besser": {"low": -1, "labels": ["zweiter", "gleich", "erster"], "asks": "preference"}}
    assert comparisons_of(Dataset.from_records(lines), "besser").outcome.tolist() == [-1, 0, 1, 1]
    del lines[0]["criteria"]["besser"]["low"]
    assert comparisons_of(Dataset.from_records(lines), "besser").outcome.tolist() == [-1, 0, 1, 1]
    column = assay.score(Dataset.from_records(lines), ["human('besser')"], unit="matchup")["human('besser')"]
    assert column.values.tolist() == [0.25]


def test_the_sample_declares_what_it_asks() -> None:
    data = assay.load(PATH)
    assert {name: criterion.asks for name, criterion in data.criteria.items()} == {
        "typicality": "quality",
        "real": "authorship",
    }
    without = [json.loads(line) for line in Path(PATH).read_text(encoding="utf-8").splitlines()]
    del without[0]["criteria"]
    assert Dataset.from_records(without).with_criteria(data.criteria) == data
