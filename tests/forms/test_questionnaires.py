"""Every questionnaire: what is rendered is read back, judged as answered, and asked of a model in the same words."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import Dataset
from assay.forms import QUESTIONNAIRES, SHIPPED, WRITTEN
from assay.forms.posted import posted_of
from assay.forms.questionnaire import shuffled
from assay.forms.random_answers import random_answers

# Begins answers in words: they are read back character by character.
HOSTILE = "answer\n\u202e"
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)
WORDS = st.text("abcdefgh", min_size=1, max_size=12)


def data() -> Dataset:
    rows = []
    for item in range(2):
        for system in ("people", "model"):
            for copy in range(3):
                rows.append(
                    {
                        "id": f"{item}-{system}-{copy}",
                        "item": f"i{item}",
                        "context": f"What of {item}?",
                        "choices": ["hsl(0, 99%, 50%)", {"shape": "circle"}, "a text"],
                        "target": item,
                        "system": system,
                        "text": f"{system} says {copy}",
                    }
                )
    return Dataset.from_records(rows)


@pytest.mark.parametrize("name", QUESTIONNAIRES)
def test_units_pages_answers_and_judgments(name):
    form, dataset = QUESTIONNAIRES[name], data()
    units = list(form.units(dataset))
    assert units and len({unit.id for unit in units}) == len(units)
    json.dumps([unit.payload for unit in units])
    draw = Random(name)
    seeds = [draw.randrange(2**31) for _ in units]
    page = form.page([unit.payload for unit in units], seeds)
    names = [card.prefix + field.name for card in page.cards for field in card.fields]
    assert len(set(names)) == len(names)
    for unit, seed, card in zip(units, seeds, page.cards, strict=True):
        answers = random_answers(card, draw, HOSTILE)
        assert form.parse(unit.payload, seed, posted_of(card, answers), card.prefix) == (answers, {})
        nothing, problems = form.parse(unit.payload, seed, {}, card.prefix)
        assert not nothing and set(problems) == {card.prefix + one.name for one in card.fields if one.required}
        rows = form.judgments(unit.payload, seed, answers)
        assert rows and all(isinstance(row.value, str) == (row.kind == WRITTEN) for row in rows)
        known = {"output": dataset.outputs.id, "set": dataset.sets.id, WRITTEN: dataset.items.id}
        assert all(row.unit in known[row.kind].to_list() for row in rows)
        assert all(row.criterion in {one.name for one in form.criteria} for row in rows if row.kind != WRITTEN)


@pytest.mark.parametrize("name", QUESTIONNAIRES)
def test_the_prompt_shows_and_asks_what_the_page_does(name):
    form = QUESTIONNAIRES[name]
    for unit in form.units(data()):
        for seed in range(4):
            prompt, card = form.prompt(unit.payload, seed), form.card(unit.payload, seed)
            said = [form.instruction, *(one.content for one in card.shown)]
            for field in card.fields:
                if field.required:
                    said += [field.label, field.text, *(option.label for option in field.options)]
            assert all(text in prompt for text in said)
            places = [prompt.index(one.content) for one in card.shown if one.kind == "text"]
            assert places == sorted(places)


@pytest.mark.parametrize("name", ["rating", "typicality", "real", "preference"])
def test_a_model_as_judge_is_asked_the_same_question(name):
    form, dataset = QUESTIONNAIRES[name], data()
    unit = next(iter(form.units(dataset)))
    seed = next(seed for seed in range(9) if shuffled(2, seed) == [0, 1])
    ids = unit.payload.get("outputs") or [unit.payload["output"]]
    outputs = [one for one in dataset.iter_outputs() if one.id in ids]
    shown = sorted(outputs, key=lambda one: ids.index(one.id))
    judged = SHIPPED[name].prompt(shown).removeprefix(SHIPPED[name].instruction)
    assert form.prompt(unit.payload, seed).removeprefix(form.instruction) == judged


@given(seed=st.integers(0, 2**31), chosen=st.sampled_from(["A", "B", "tie"]))
def test_a_preference_is_for_the_chosen_text_whatever_the_order(seed, chosen):
    form = QUESTIONNAIRES["preference"]
    payload = {"outputs": ["x", "y"], "texts": ["the x", "the y"]}
    (row,) = form.judgments(payload, seed, {"preference": chosen})
    shown = dict(zip("AB", form.card(payload, seed).shown, strict=True))
    preferred = {1.0: "the x", -1.0: "the y", 0.0: None}[row.value]
    assert (row.unit, row.other) == ("x", "y")
    assert preferred == (shown[chosen].content if chosen != "tie" else None)


def test_each_order_is_shown_about_half_of_the_time():
    first = sum(shuffled(2, seed)[0] == 0 for seed in range(4000))
    assert abs(first - 2000) < 3 * (4000 * 0.25) ** 0.5


@given(seed=st.integers(0, 2**31), place=st.integers(0, 2))
def test_a_listener_who_chooses_what_is_meant_understood(seed, place):
    form = QUESTIONNAIRES["listener"]
    payload = {"output": "o", "text": "the red one", "choices": ["#ff0000", "#00ff00", "#0000ff"], "target": 0}
    option = form.card(payload, seed).fields[0].options[place]
    (row,) = form.judgments(payload, seed, {"target": option.value})
    assert row.value == float(option.shown.content == "#ff0000")
    assert payload["choices"][int(row.columns["choice"])] == option.shown.content


@settings(max_examples=50)
@given(texts=st.lists(WORDS, min_size=5, max_size=5, unique=True), copied=st.integers(0, 3))
def test_copies_are_refused_whatever_their_case_and_punctuation(texts, copied):
    form = QUESTIONNAIRES["writing"]
    payload = {"item": "i", "context": "Go on."}
    low = {f"low{place}": f"said {place}" for place in range(1, 6)}
    fine = {f"high{place}": text for place, text in enumerate(texts, 1)} | low
    card = form.card(payload, 0)
    assert form.parse(payload, 0, posted_of(card, fine)) == (fine, {})
    copy = fine | {"high5": f"  {texts[copied].upper()} !"}
    assert form.parse(payload, 0, posted_of(card, copy)) == ({}, {"high5": "copy"})


@given(text=TEXTS, data=st.data())
def test_spans_count_the_characters_of_the_text(text, data):
    form = QUESTIONNAIRES["spans"]
    payload = {"output": "o", "text": text}
    start = data.draw(st.integers(0, len(text) - 1))
    end = data.draw(st.integers(start + 1, len(text)))
    marked = [[start, end, "fluency", "minor"], [0, len(text), "style", "major"]]
    answers, problems = form.parse(payload, 0, {"spans": [json.dumps(marked)]})
    assert not problems and answers["spans"] == sorted(marked)
    (row,) = form.judgments(payload, 0, answers)
    assert row.value == 6.0 and json.loads(row.columns["spans"]) == sorted(marked)
    for wrong in (
        [[start, len(text) + 1, "style", "minor"]],
        [[start, start, "style", "minor"]],
        [[0, 1, "x", "minor"]],
    ):
        assert form.parse(payload, 0, {"spans": [json.dumps(wrong)]}) == ({}, {"spans": "bad_spans"})


@pytest.mark.parametrize(
    "posted",
    ["{", "null", "[1]", "[[0,1,2]]", '[["0",1,"style","minor"]]', '[[false,true,"style","minor"]]', "[" * 5000],
)
def test_spans_that_are_none(posted):
    form = QUESTIONNAIRES["spans"]
    assert form.parse({"output": "o", "text": "ab"}, 0, {"spans": [posted]}) == ({}, {"spans": "bad_spans"})


@given(posted=st.dictionaries(st.sampled_from(["typicality", "comment", "x"]), st.lists(TEXTS, max_size=3)))
def test_whatever_is_posted_is_answered_or_refused(posted):
    form = QUESTIONNAIRES["typicality"]
    answers, problems = form.parse({"output": "o", "text": "t"}, 0, posted)
    assert bool(answers) != bool(problems)
    assert not answers or answers["typicality"] in set("012345")
