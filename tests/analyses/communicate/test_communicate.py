"""What `assay communicate` says of games whose answers are known."""

import json
import os

import numpy as np
import pytest
from click.testing import CliRunner

import assay
from assay import Dataset
from assay.analyses.communicate.groups import are_colors, nearest_color, nearest_distractor
from assay.analyses.communicate.probe import with_shuffled_words
from assay.cli import cli
from assay.errors import AssayError
from assay.part import Part

CHOICES = ["a red cat", "a blue dog", "the loud sea"]


def game(n=20, **further):
    """Items with three choices; each output names its target, those of every fifth item the choice after it."""
    rows = []
    for item in range(n):
        said = CHOICES[(item + (item % 5 == 0)) % 3].split()[-1]
        rows.append({"item": f"i{item}", "choices": CHOICES, "target": item % 3, "text": f"look, {said}", **further})
    return Dataset.from_records(rows)


def numbers(part, name, **about):
    return [
        number
        for number in part.numbers
        if number.name == name and all(number.about.get(key) == value for key, value in about.items())
    ]


def test_accuracy_and_chance():
    part = assay.communicate(game())
    (overall,) = numbers(part, "accuracy", by="all")
    assert overall.value == pytest.approx(0.8) and overall.n == 20
    assert 0.5 < overall.low < 0.8 < overall.high < 1
    assert overall.about["chance"] == pytest.approx(1 / 3) and overall.about["choices"] == 3


def test_what_is_taken_for_what():
    rows = assay.communicate(game()).table("confusion").rows
    taken = {(meant, other): n for meant, other, n, _ in rows}
    expected = {}
    for item in (0, 5, 10, 15):
        pair = CHOICES[item % 3], CHOICES[(item + 1) % 3]
        expected[pair] = expected.get(pair, 0) + 1
    assert taken == expected


def test_equally_likely_choices_share_a_hit():
    """Nothing is recognized: every choice is picked a third of the time, and the beliefs are calibrated."""
    part = assay.communicate(Dataset.from_records([{**row, "text": "hm"} for row in rows_of(game())]))
    assert numbers(part, "accuracy", by="all")[0].value == pytest.approx(1 / 3)
    assert numbers(part, "calibration error")[0].value == pytest.approx(0, abs=1e-12)
    assert numbers(part, "surprisal")[0].value == pytest.approx(np.log(3))
    assert numbers(part, "entropy")[0].value == pytest.approx(np.log(3))


def rows_of(dataset):
    for output in dataset.iter_outputs():
        yield {"item": output.item.id, "choices": output.item.choices, "target": list(output.item.target)}


def test_difficulty_is_the_similarity_of_the_nearest_distractor():
    rows = [
        {"item": "hard", "choices": ["a red cat", "a red dog", "sea"], "target": 0, "text": "cat"},
        {"item": "easy", "choices": ["a red cat", "a red dog", "sea"], "target": 2, "text": "sea"},
        {"item": "colors", "choices": ["hsl(1, 2%, 3%)", "hsl(5, 2%, 3%)"], "target": 0, "text": "x"},
        {"item": "beliefs", "choices": ["a", "b"], "target": [0.5, 0.5], "text": "x"},
        {"item": "none", "text": "x"},
    ]
    nearness = nearest_distractor(Dataset.from_records(rows))
    # Of 7 distinct choices, a is in three, red in two, cat and dog in one.
    a, red, cat = (np.log(8 / (1 + df)) + 1 for df in (3, 2, 1))
    assert nearness[0] == pytest.approx((a**2 + red**2) / (a**2 + red**2 + cat**2), abs=1e-12)
    assert nearness[1] == 0 and np.isnan(nearness[2:]).all()


def test_difficulty_of_colors_is_their_distance():
    """White and black are 100 apart (Sharma, Wu and Dalal 2005); texts that only look like colors are texts."""
    black, white, gray = "hsl(0, 0%, 0%)", "hsl(0, 0%, 100%)", "hsl(0, 0%, 50%)"
    rows = [
        {"item": "far", "choices": [black, white], "target": 0, "text": "dark"},
        {"item": "near", "choices": [black, gray, white], "target": 2, "text": "light"},
        {"item": "texts", "choices": ["#fun day", "hsl is a color"], "target": 0, "text": "fun"},
    ]
    far, near, texts = nearest_color(Dataset.from_records(rows))
    assert far == pytest.approx(100, abs=1e-6) and 0 < near < far and np.isnan(texts)
    dataset = Dataset.from_records(rows)
    assert are_colors(dataset).tolist() == [True, True, False]


def test_groups_by_choices_difficulty_parameter_and_system():
    rows = [
        {**row, "id": f"o{n}", "text": "cat", "system": "ab"[n % 2], "params": {"temperature": n % 3 / 2}}
        for n, row in enumerate(rows_of(game(30)))
    ]
    for row in rows[:12]:
        row["choices"], row["target"] = [*row["choices"], "a cat"], [*row["target"], 0.0]
    part = assay.communicate(Dataset.from_records(rows))
    kinds = {number.about["by"] for number in numbers(part, "accuracy")}
    assert kinds == {"all", "choices", "difficulty", "temperature", "system"}
    for kind in kinds - {"all"}:
        own = numbers(part, "accuracy", by=kind)
        assert sum(number.n for number in own) == 30 and len(own) > 1
        pooled = sum(number.value * number.n for number in own) / 30
        assert pooled == pytest.approx(numbers(part, "accuracy", by="all")[0].value)
    with_few = numbers(part, "accuracy", by="system")[0]
    assert with_few.about["n_items"] == 15


def test_few_items_have_no_interval_but_a_reason():
    (overall,) = numbers(assay.communicate(game(6)), "accuracy", by="all")
    assert np.isnan(overall.low) and overall.reason == "fewer than 10 items"


def test_shuffled_words():
    """A bag of words does not notice; bigrams do."""
    rows = [{**row, "text": "the loud sea and a red cat"} for row in rows_of(game(30))]
    part = assay.communicate(
        Dataset.from_records(rows), ["text_listener", "text_listener(reader='ngrams', order=2, mu=1.0)"]
    )
    plain, bigrams = numbers(part, "fall when words are shuffled")
    assert plain.value == 0 and "does not read word order" in part.answers["trust"][0]
    assert bigrams.value != 0
    assert any("blind to grammar" in note for note in part.notes)


def test_shuffling_keeps_words_and_depends_on_the_seed_alone():
    data = Dataset.from_records([{"text": "one two three four five six"}, {"text": "seven"}, {"text": ""}])
    one, again, other = (with_shuffled_words(data, seed).outputs.text.to_list() for seed in (0, 0, 1))
    assert one == again != other
    assert sorted(one[0].split()) == sorted(data.outputs.text[0].split()) and one[1:] == ["seven", ""]


def test_games_are_made_where_the_data_has_none():
    rows = [{"item": f"i{n}", "context": f"tell me about topic{n} now", "text": f"topic{n}"} for n in range(30)]
    part = assay.communicate(Dataset.from_records(rows), n_choices=(5, 10), distractors="mixed")
    five, ten = numbers(part, "accuracy", by="all")
    assert (five.about["choices"], ten.about["choices"]) == (5, 10)
    assert five.value == ten.value == 1.0
    assert "mixed, 5 and 10 choices" in part.summary
    assert "distractors='mixed', n_choices=(5,)" in part.methods[0]


def test_a_fluency_score_stands_beside():
    part = assay.communicate(game(), fluency="length")
    (number,) = numbers(part, "score", evaluator="length")
    assert number.value == 2 and part.table("fluency").rows[0][1] == 20
    assert any("no fluency score" in note for note in assay.communicate(game()).notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"listeners": ["length"]}, "length is not a listener"),
        ({"listeners": []}, "name a listener"),
        ({"n_choices": (5,)}, "need contexts of as many items"),
        ({"by": "warmth"}, "no parameter or column 'warmth'"),
    ],
)
def test_mistakes_are_plain_messages(options, message):
    with pytest.raises(AssayError, match=message):
        assay.communicate(game(), **options)


def test_nothing_understood_is_a_plain_message():
    with pytest.raises(AssayError, match="understands none of the 2 outputs"):
        assay.communicate(Dataset.from_records([{"item": "1", "choices": ["a", "b"], "text": "x"}] * 2))


def test_the_command_and_the_seams(tmp_path, monkeypatch):
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "game.jsonl"
    assay.save(game(), path)
    result = CliRunner().invoke(cli, ["communicate", str(path), "--json"], catch_exceptions=False)
    printed = json.loads(result.stdout)
    part = assay.communicate(assay.load(path))
    assert printed["numbers"] == part.to_json()["numbers"]
    assert Part.from_json(part.to_json()).to_json() == part.to_json()


@pytest.mark.slow
@pytest.mark.skipif("ASSAY_DATA" not in os.environ, reason="needs data:diversity")
@pytest.mark.parametrize(
    ("name", "five", "ten"), [("dectest200-resp", 0.7094, 0.6167), ("dectest200-story", 0.8266, 0.7493)]
)
def test_accuracy_falls_with_temperature(name, five, ten):
    """MiniLM on model texts, the numbers of docs/text_listener.md."""
    part = assay.communicate(
        assay.load(f"data:diversity/{name}"), ["text_listener(reader='minilm')"], n_choices=(5, 10)
    )
    overall = [number.value for number in numbers(part, "accuracy", by="all")]
    assert overall == pytest.approx([five, ten], abs=5e-4)
    for choices in (5, 10):
        by = [
            number.value for number in numbers(part, "accuracy", by="temperature") if number.about["choices"] == choices
        ]
        assert len(by) == 5 and by[-1] < by[0] - 0.15
