import json
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

from assay.io import load
from assay.run import score
from assay.sample import PATH
from assay.sample.make import SEED, TEMPERATURES, generators, make
from assay.sample.panel import CARELESS, Panel
from assay.sample.source import read_items

NGRAMS = [f"ngram-t{temperature}" for temperature in TEMPERATURES]
SYSTEMS = [*NGRAMS, "collapsed", "retrieval"]


@cache
def lines() -> list[dict]:  # type: ignore[type-arg]
    return [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def of(system: str) -> list[dict]:  # type: ignore[type-arg]
    return [line for line in lines() if line["system"] == system]


def rating(line: dict, criterion: str = "typicality") -> float:  # type: ignore[type-arg]
    return mean(judgment["value"] for judgment in line["judgments"] if judgment["criterion"] == criterion)


def test_the_sample_is_reproducible_byte_for_byte(tmp_path: Path) -> None:
    make(tmp_path / "again.jsonl")
    assert (tmp_path / "again.jsonl").read_bytes() == PATH.read_bytes()


def test_five_outputs_for_each_of_30_items_from_people_and_six_systems() -> None:
    counts = Counter((line["item"], line["system"]) for line in lines())
    assert len(lines()) == 1050
    assert len({line["id"] for line in lines()}) == 1050
    assert {system for _, system in counts} == {"people", *SYSTEMS}
    assert len({item for item, _ in counts}) == 30
    assert set(counts.values()) == {5}
    assert all(line["human"] == (line["system"] == "people") for line in lines())


def test_every_text_has_a_log_probability_under_every_system() -> None:
    for line in lines():
        assert list(line["logprobs"]) == SYSTEMS
        own = line["logprobs"].get(line["system"], -1.0)
        assert own != "-inf"
        assert all(line["logprobs"][name] != "-inf" for name in NGRAMS)
        assert line["n_tokens"] == len(line["text"].split())


def test_the_log_probabilities_are_those_of_the_generators() -> None:
    systems = generators(read_items())
    for line in lines()[::97]:
        for name, system in systems.items():
            logprob = system.logprob(line["text"], line["context"]).logprob
            assert float(line["logprobs"][name]) == pytest.approx(logprob, abs=6e-7)


def test_people_and_references_were_not_trained_on() -> None:
    items = read_items()
    training = {text for item in items for text in item.training}
    assert not training & {text for item in items for text in (*item.people, *item.references)}
    assert all(line["logprobs"]["retrieval"] == "-inf" for line in of("people"))
    assert not any(line["text"] in line["references"] for line in of("people"))


def test_written_texts_have_6_to_25_words_and_are_distinct() -> None:
    for item in read_items():
        assert all(6 <= len(text.split()) <= 25 for text in item.written)
        assert len(set(item.people)) == 5
        assert (len(item.references), len(item.training)) == (3, 16)


def test_the_target_is_the_items_own_context() -> None:
    assert all(line["choices"][line["target"]] == line["context"] for line in lines())
    assert all(len(set(line["choices"])) == 4 for line in lines())
    assert {line["target"] for line in lines()} == {0, 1, 2, 3}


def test_every_annotator_is_named_simulated_and_does_its_share() -> None:
    answers = Counter(judgment["annotator"] for line in lines() for judgment in line["judgments"])
    assert len(answers) == 12
    assert all(name.startswith("simulated-") for name in answers)
    assert max(answers.values()) - min(answers.values()) <= 1


def test_judgments_are_on_their_scales() -> None:
    values = {"typicality": set(range(6)), "real": {0, 1}}
    for line in lines():
        criteria = Counter(judgment["criterion"] for judgment in line["judgments"])
        assert criteria == {"typicality": 8, "real": 5}
        assert all(judgment["value"] in values[judgment["criterion"]] for judgment in line["judgments"])


def test_a_lower_temperature_is_rated_higher() -> None:
    rated = [mean(rating(line) for line in of(system)) for system in ["people", *NGRAMS]]
    assert rated == sorted(rated, reverse=True)
    believed = [mean(rating(line, "real") for line in of(system)) for system in ["people", *NGRAMS]]
    assert believed == sorted(believed, reverse=True)


def test_the_collapsed_system_repeats_itself() -> None:
    distinct = {system: len({line["text"] for line in of(system)}) for system in SYSTEMS}
    assert distinct["collapsed"] < 75 < min(distinct[name] for name in NGRAMS)


def test_huse_separates_quality_from_diversity() -> None:
    """A lower temperature is better and less diverse; collapsed and retrieval are the least diverse."""
    table = score(load(PATH), ["huse_q", "huse_d"])
    quality, diversity = (dict(zip(table.unit, table[name].values, strict=True)) for name in ("huse_q", "huse_d"))
    colder = [quality[name] for name in NGRAMS]
    assert colder == sorted(colder, reverse=True)
    assert diversity["ngram-t0.5"] < diversity["ngram-t0.7"] < min(diversity["ngram-t1.0"], diversity["ngram-t1.3"])
    assert max(diversity["collapsed"], diversity["retrieval"]) < min(diversity[name] for name in NGRAMS) - 0.2


def test_the_careless_annotator_agrees_least_with_the_others() -> None:
    apart: dict[str, list[float]] = {}
    for line in lines():
        center = rating(line)
        for judgment in line["judgments"]:
            if judgment["criterion"] == "typicality":
                apart.setdefault(judgment["annotator"], []).append(abs(judgment["value"] - center))
    assert max(apart, key=lambda name: mean(apart[name])) == f"simulated-{CARELESS + 1:02}"


def test_the_panel_judges_texts_and_not_systems() -> None:
    """The latent quality is a function of text and context, lower if broken, off topic or repeated."""
    items = read_items()
    panel = Panel(items, np.random.default_rng(SEED))
    context = items[0].context
    text = items[0].people[0]
    assert panel.quality(text, context) == panel.quality(text, context)
    shuffled = " ".join(sorted(text.split()))
    assert mean(panel.quality(text, context) for text in items[0].written) > 3
    assert panel.quality(shuffled, context) < 2
    assert panel.quality(" ".join([text] * 2), context) < 3
    assert mean(panel.quality(text, items[1].context) for text in items[0].written) < 3.5
