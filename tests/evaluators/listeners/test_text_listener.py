"""Text listeners: copies are found, shuffled pairings are at chance, and what cannot be heard is a gap."""

import json

import numpy as np
import pytest

import assay
from assay import Dataset
from assay.errors import AssayError, EvaluatorError
from assay.listening import beliefs_of
from assay.sample import copy_to

LEXICAL = ["text_listener", "text_listener(reader='ngrams')", "text_listener(reader='ngrams', order=2)"]
READERS = [*LEXICAL, pytest.param("text_listener(reader='minilm')", marks=pytest.mark.slow)]


@pytest.fixture(scope="module")
def sample(tmp_path_factory):
    return assay.load(copy_to(tmp_path_factory.mktemp("sample")))


def records(sample, texts):
    """The items of the sample with other texts, and their own choices."""
    for row, text in enumerate(texts):
        item = sample.item(row)
        yield {"item": item.id, "choices": item.choices, "target": int(np.argmax(item.target)), "text": text}


@pytest.mark.parametrize("reader", READERS)
def test_a_copy_of_the_source_scores_near_one(sample, reader):
    copies = Dataset.from_records(records(sample, [sample.item(row).context for row in range(len(sample.items))]))
    scores = assay.score(copies, [reader])[reader].values
    assert scores.min() > 0.95 and scores.mean() > 0.99


@pytest.mark.parametrize("reader", READERS)
def test_a_shuffled_pairing_is_at_chance(sample, reader):
    """Copies, each put beside the choices of another item at random: 1/4 on average over 40 shuffles."""
    rng = np.random.default_rng(0)
    contexts = [sample.item(row).context for row in range(len(sample.items))]
    shuffled = [
        {**record, "item": f"{n}-{record['item']}"}
        for n in range(40)
        for record in records(sample, [contexts[row] for row in rng.permutation(len(contexts))])
    ]
    scores = assay.score(Dataset.from_records(shuffled), [reader])[reader].values
    assert scores.mean() == pytest.approx(0.25, abs=4 * scores.std() / np.sqrt(len(scores)))


def test_golden():
    """Three choices by hand. idf of words in one of three: log(1 + 2.5 / 1.5); in two: log(1 + 1.5 / 2.5)."""
    game = {"choices": ["a red cat", "a blue dog", "sun rain sea"], "target": 0}
    data = Dataset.from_records([{**game, "text": "a cat"}])
    (score,) = assay.score(data, ["text_listener"])["text_listener"].values
    rare, common = np.log(1 + 2.5 / 1.5), np.log(1 + 1.5 / 2.5)
    odds = np.exp([rare + common, common, 0.0])  # tf is 2.2 / (1 + 1.2) = 1 at mean length
    assert score == pytest.approx(odds[0] / odds.sum(), abs=1e-12)


def test_data_without_choices_hides_the_context_among_others(sample):
    rows = [{"item": f"i{n}", "context": sample.item(n).context, "text": sample.item(n).context} for n in range(30)]
    data = Dataset.from_records(rows)
    names = ["text_listener", "text_listener(n_choices=5)", "text_listener(n_choices=10)"]
    table = assay.score(data, names)
    assert table[names[0]].values.tobytes() == table[names[1]].values.tobytes()
    assert [len(beliefs_of(table[name]).heard[0]) for name in names] == [5, 5, 10]


def test_the_distribution_stands_beside_the_score(sample):
    column = assay.score(sample, ["text_listener"])["text_listener"]
    heard = json.loads(column.texts[0])
    assert sum(heard["heard"]) == pytest.approx(1.0) and heard["heard"][heard["meant"]] == column.values[0]


def test_beliefs_of_a_speaker_and_other_scores():
    data = Dataset.from_records([{"choices": ["a red cat", "a blue dog"], "target": [0.7, 0.3], "text": "red"}])
    names = [f"text_listener(score={score!r})" for score in ("probability", "surprisal", "kl", "hit")]
    values = [float(assay.score(data, names)[name].values[0]) for name in names]
    odds = np.exp([np.log(1 + 1.5 / 1.5), 0.0])
    heard = odds / odds.sum()
    meant = np.array([0.7, 0.3])
    assert values == pytest.approx(
        [meant @ heard, -meant @ np.log(heard), meant @ np.log(meant / heard), 1.0], abs=1e-12
    )


def test_what_cannot_be_heard_is_a_gap():
    game = {"choices": ["a cat", "a dog"], "target": 0}
    rows = [
        {**game, "item": "1", "text": "cat"},
        {**game, "item": "1", "text": "  "},
        {"item": "2", "text": "cat"},
        {"item": "3", "choices": ["a", "b"], "text": "cat"},
    ]
    column = assay.score(Dataset.from_records(rows), ["text_listener"])["text_listener"]
    assert [column.gaps[row] for row in range(4)] == ["", "empty utterance", "no choices", "no target"]


def test_bad_input_is_a_plain_message():
    no_context = Dataset.from_records([{"text": "a cat"}])
    with pytest.raises(AssayError, match="need contexts of as many items"):
        assay.score(no_context, ["text_listener"])
    with pytest.raises(EvaluatorError, match="needs choices, and the data has none"):
        assay.score(no_context, ["text_listener(distractors='given')"])
    with pytest.raises(AssayError, match="not a model folder"):
        assay.parse("text_listener(reader='bm26')")
