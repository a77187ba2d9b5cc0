"""Every number of every analysis is recomputed from its signature, to the last bit."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import assay
from assay.analyses.replay import replay
from assay.errors import AssayError
from assay.grammar import parse_call
from assay.part import Number, Part
from assay.records.unflat import flat_records
from assay.registry import names
from assay.sample import PATH

TARGET = "human('typicality')"
OVERLAP = "chrf(references=others())"
SETS = {"label": "system", "high": "ngram-t1.3"}
OF_OTHER_INPUT = {
    "originality": "of training texts too, which its signature does not name",
    "track": "of finished studies, whose own numbers replay",
    "rsa": "of a game, which its signature names by hash",
    "testbed": "of texts that it has generators write",
}
NOT_RECOMPUTED = {
    "speed": "a time is measured, not computed",
    "baseline": "the baselines of neighbors are trivial estimates; the signature only names them",
}


@pytest.fixture(scope="module")
def data() -> assay.Dataset:
    """Some items of the sample, with judgments about pairs of outputs."""
    sample = assay.load(str(PATH))
    few = sample.select(sample.outputs.item < 8)
    records = list(flat_records(few))
    by_item: dict[str, list[dict[str, Any]]] = {}
    for record in records:
        by_item.setdefault(record["item"], []).append(record)
    rng = np.random.default_rng(0)
    for own in by_item.values():
        systems = list({record["system"]: record for record in own}.values())
        for one, other in zip(systems, systems[1:] + systems[:1], strict=True):
            for annotator in ("a", "b", "c"):
                vote = {"annotator": annotator, "criterion": "better", "value": int(rng.integers(-1, 2))}
                one.setdefault("judgments", []).append({**vote, "other": other["id"]})
        for one, other in pairwise(own):
            if one["system"] == other["system"]:
                for annotator in ("a", "b", "c"):
                    alike = {"annotator": annotator, "criterion": "alike", "value": int(rng.integers(1, 6))}
                    one.setdefault("judgments", []).append({**alike, "other": other["id"]})
    return assay.Dataset.from_records([{**one, "hot": float(one["system"] == "ngram-t1.3")} for one in records])


ANALYSES: dict[str, Callable[[assay.Dataset], Part]] = {
    "agree": lambda data: assay.agree(data, ["typicality"], resamples=64),
    "meta": lambda data: assay.meta(data, ["bleu", "length"], target=TARGET, resamples=20, ranking=True),
    "compare": lambda data: assay.compare(data, ["length"], systems=["ngram-t0.5", "ngram-t1.0", "people"]),
    "gate": lambda data: assay.gate(data, "ngram-t1.3", ["bleu"], systems=["ngram-t0.5"]),
    "contest": lambda data: assay.contest(data, ["distinct"], **SETS, ranking=True, resampling=few_draws()),
    "dectest": lambda data: assay.dectest(data, ["distinct"], subset=9, repeats=3, resampling=few_draws()),
    "nuggets": lambda data: assay.nuggets(data, **SETS, group_size=4, seed=1),
    "certify": lambda data: assay.certify(
        "distinct",
        beside=["mtld"],
        contest={"sample": data},
        dectest={"sample": data},
        label="hot",
        resampling=few_draws(),
    ),
    "prefer": lambda data: assay.prefer(data, "better", prior_wins=0.5, seed=2),
    "prefer by an evaluator": lambda data: assay.prefer(data, evaluator=OVERLAP, intervals="bootstrap", resamples=20),
    "power": lambda data: assay.power("noninferiority", p=0.9, margin=0.1, ratio=2.0, price=0.1, annotators=3),
    "power of n": lambda data: assay.power("winrate", wins=0.6, ties=0.1, n=90, n_systems=3),
    "power of a correlation": lambda data: assay.power("width", r=0.5, width=0.2, statistic="kendall"),
    "power of a pilot": lambda data: assay.power(
        pilot=data, systems=("ngram-t0.5", "ngram-t1.3"), evaluator="length", effect=1.0, price=0.1
    ),
    "power of judgments": lambda data: assay.power(
        pilot=data, systems=("ngram-t0.5", "ngram-t1.3"), criterion="typicality", n=30, studies=20, annotators=2
    ),
    "huse": lambda data: assay.huse(data, k=3, quality=TARGET, intervals=False, figures=False),
    "neighbors": lambda data: assay.neighbors(data, criterion="typicality", n_resamples=0),
    "correct": lambda data: assay.correct(data, "typicality", ["length"], draws=20),
    "probe": lambda data: assay.probe(data, ["length", "simulated-01"], "typicality", n_texts=40),
    "replace": lambda data: assay.replace(data, "simulated-01", ["typicality"], epsilon=0.3),
    "communicate": lambda data: assay.communicate(data, ["text_listener"], distractors="sampled", n_choices=[3, 4]),
    "detect": lambda data: assay.detect(data, "real", confidence=0.9),
    "adversaries": lambda data: assay.adversaries(data, folds=2),
    "giveaways": lambda data: assay.giveaways(data, folds=2, ngrams=5),
    "hds": lambda data: assay.hds(data, ["alike"], price=2.0, confidence=0.9),
}


def few_draws() -> Any:
    from assay.metaeval.questions.question import Resampling

    return Resampling(20, seed=3)


def test_every_public_analysis_is_here() -> None:
    known = {name for name in dir(assay) if callable(getattr(assay, name)) and returns_part(getattr(assay, name))}
    assert known - {name.partition(" ")[0] for name in ANALYSES} == {"replay", *OF_OTHER_INPUT}


def returns_part(function: Any) -> bool:
    return getattr(function, "__annotations__", {}).get("return") in (Part, "Part")


@pytest.mark.parametrize("name", ANALYSES)
def test_every_number_is_recomputed_from_its_signature(data: assay.Dataset, name: str) -> None:
    by_signature: dict[str, list[Number]] = {}
    for number in ANALYSES[name](data).numbers:
        by_signature.setdefault(number.signature, []).append(number)
    assert by_signature
    for signature, numbers in by_signature.items():
        kind = parse_call(signature).name
        if kind in names() or kind in NOT_RECOMPUTED:
            with pytest.raises(AssayError, match=r"is an evaluator, not a result|is not a result"):
                replay(signature, data)
            continue
        again = set(values(replay(signature, data).numbers))
        assert set(values(numbers)) <= again, signature


def values(numbers: Any) -> Iterator[str]:
    """Values, ends and counts, as they are printed."""
    for number in numbers:
        # The numbers of one record, such as OCA and its threshold, are together in one replayed number.
        floats = [number.value, number.low, number.high, *number.about.values()]
        yield from (repr(float(one)) for one in floats if isinstance(one, float) and not np.isnan(one))


def test_a_plan_by_formula_needs_no_data() -> None:
    part = assay.power("correlation", r=0.3, n=50)
    assert [number.value for number in replay(part.numbers[0].signature).numbers] == [n.value for n in part.numbers]


def test_what_a_result_was_computed_from_is_asked_for(data: assay.Dataset) -> None:
    (number, *_) = assay.meta(data, ["length"], target=TARGET, resamples=0).numbers
    with pytest.raises(AssayError, match="was computed from data"):
        replay(number.signature)
    with pytest.raises(AssayError, match="no evaluator that learns"):
        replay(number.signature, data, train=data)
    with pytest.raises(AssayError, match="folds are those of the signature"):
        replay(number.signature, data, folds=3)


def test_a_table_of_scores_is_enough(data: assay.Dataset) -> None:
    table = assay.score(data, ["length", TARGET])
    (number, *_) = assay.meta(table, target=TARGET, resamples=0).numbers
    assert replay(number.signature, table).numbers[0].value == number.value
