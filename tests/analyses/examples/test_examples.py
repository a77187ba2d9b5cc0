"""Examples show what they say, and nobody is blamed without cause."""

import numpy as np
import pytest

from assay import AssayError, Dataset, score
from assay.analyses.examples.behind import against_others, corrected
from assay.analyses.examples.part import examples
from assay.part import Part

HUMAN = "human(criterion='overall')"


def judged(answers: dict[str, list[list[int]]], texts: dict[str, list[str]] | None = None) -> Dataset:
    """Systems with the votes on each item."""
    return Dataset.from_records(
        {
            "item": f"i{item}",
            "context": f"question {item}",
            "system": system,
            "text": texts[system][item] if texts else f"{system} says {item}",
            "judgments": [
                {"annotator": f"a{place}", "criterion": "overall", "value": vote} for place, vote in enumerate(votes)
            ],
        }
        for system, rows in answers.items()
        for item, votes in enumerate(rows)
    )


def test_best_worst_and_disputed_are_chosen_and_none_is_shown_twice() -> None:
    data = judged({"a": [[5, 5], [1, 1], [5, 1], [3, 3]], "b": [[3, 3], [3, 3], [3, 3], [3, 3]]})
    part = examples(data, [HUMAN])
    shown = {(one.system, one.why): one for one in part.examples}
    assert {key: one.item for key, one in shown.items() if key[0] == "a"} == {
        ("a", "best"): "i0",
        ("a", "worst"): "i1",
        ("a", "most disputed"): "i2",
    }
    best = shown["a", "best"]
    assert [reply.system for reply in best.replies] == ["a", "b"]
    assert best.replies[0].judgments == ("overall: 5, 5",) and best.context == "question 0"
    # b's votes agree everywhere: nothing is disputed.
    assert ("b", "most disputed") not in shown
    assert Part.from_json(part.to_json()) == part


def test_without_votes_disputed_is_where_evaluators_differ() -> None:
    rows = [
        {"item": f"i{n}", "system": "s", "text": text, "references": ["the cat sat on the mat"]}
        for n, text in enumerate(["the cat sat on the mat", "mat the on sat cat the", "dog"])
    ]
    part = examples(Dataset.from_records(rows), ["bleu", "token_f1"])
    assert "bleu and token_f1 differ" in part.summary


def test_a_generator_that_is_behind_is_named_with_its_habits() -> None:
    rng = np.random.default_rng(0)
    votes = {
        name: [[int(v) for v in rng.integers(low, low + 3, 3)] for _ in range(20)]
        for name, low in zip("abc", (3, 3, 1), strict=True)
    }
    texts = {
        "a": [f"a reply {n}" for n in range(20)],
        "b": [f"b reply {n}" for n in range(20)],
        "c": ["", *["same"] * 19],
    }
    (wrong,) = examples(judged(votes, texts), [HUMAN]).answers["wrong"]
    assert wrong.startswith(f"c: below the other generators by {HUMAN} (") and "against" in wrong
    assert "1 of 20 outputs are empty" in wrong and "18 of 20 outputs repeat another of its own" in wrong


def test_a_single_generator_is_compared_with_people() -> None:
    data = judged({"people": [[5, 4], [4, 5], [5, 5], [4, 4]] * 2, "bot": [[1, 2], [2, 1], [1, 1], [2, 3]] * 2})
    rows = [
        {"item": one.item.id, "system": one.system, "text": one.text, "human": one.system == "people",
         "judgments": [{"annotator": j.annotator, "criterion": j.criterion, "value": j.value} for j in one.judgments]}
        for one in data.iter_outputs()
    ]  # fmt: skip
    (wrong,) = examples(Dataset.from_records(rows), [HUMAN]).answers["wrong"]
    assert wrong.startswith("bot: below people by")


@pytest.mark.parametrize("items", [3, 5, 30])
def test_at_most_one_study_in_twenty_blames_anybody_without_cause(items: int) -> None:
    rng = np.random.default_rng(items)
    blamed = 0
    for _ in range(1_000):
        level = rng.normal(size=(items, 1))
        families = [against_others(level + rng.normal(size=(items, 6)), sign) for sign in (1.0, -1.0)]
        blamed += any(row.p < 0.05 and row.difference < 0 for family in corrected(families) for row in family)
    # Blame is one-sided: half of the rate of the two-sided tests.
    assert blamed / 1_000 < 0.05


def test_what_cannot_be_shown_is_refused() -> None:
    data = judged({"a": [[1], [2], [3]]})
    with pytest.raises(AssayError, match="table of scores"):
        examples(score(data, [HUMAN]), [HUMAN])
    with pytest.raises(AssayError, match="an evaluator"):
        examples(data, [])
    assert examples(data, [HUMAN]).answers["wrong"] == []


@pytest.mark.parametrize("n_items, n_systems", [(5, 4), (10, 7), (30, 4)])
@pytest.mark.parametrize("skewed", ["normal", "rare", "exponential", "negative"])
def test_alike_generators_are_seldom_blamed_however_skewed_their_scores_are(n_items, n_systems, skewed):
    rng, blamed = np.random.default_rng(0), 0
    for _ in range(100):
        shape = 2, n_items, n_systems
        scores = {
            "normal": lambda shape=shape: rng.normal(size=shape),
            "rare": lambda shape=shape: (rng.random(shape) < 0.05).astype(float),
            "exponential": lambda shape=shape: rng.exponential(size=shape),
            "negative": lambda shape=shape: -rng.exponential(size=shape),
        }[skewed]()
        rows = [row for family in corrected([against_others(one, 1.0) for one in scores]) for row in family]
        blamed += any(row.p < 0.05 and row.difference < 0 for row in rows)
    assert blamed <= 5


def test_equal_generators_are_not_told_apart_by_rounding():
    equal = np.repeat(np.random.default_rng(1).random((200, 1)), 7, axis=1)
    assert not [row for row in corrected([against_others(equal, 1.0)])[0] if row.p < 0.99]
