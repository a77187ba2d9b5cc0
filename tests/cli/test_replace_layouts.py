"""`assay replace` on folders of annotations as they come: labels, quotes, gaps, few annotators, people left out.

Every result equals the definition (`tests/oracles/replacement`), or is refused for a reason that holds.
"""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.errors import AssayError
from tests.oracles.replacement import alt_test

GAPS = (None, "", " ", "NaN", float("nan"))
NAMES = ("a|b", "w 1", "Zoë", "7", "p__x", "m")


@st.composite
def layouts(draw):
    """Answers of people and models, and how they are written."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n_items, n_people = draw(st.integers(25, 60)), draw(st.integers(1, 5))
    labels = draw(st.booleans())
    values = ["none", "yes", "No", "1"] if labels else [0, 1, 2.5, 4, 1e6][: draw(st.integers(2, 5))]
    density = draw(st.sampled_from((0.4, 0.9, 1.0)))
    truth = rng.integers(0, len(values), n_items)

    def answers(skill):
        given = {}
        for item in range(n_items):
            at = truth[item] if rng.random() < skill else rng.integers(0, len(values))
            if rng.random() < density:
                given[f"item {item}"] = values[at]
        return given

    people = {NAMES[n]: answers(0.7) for n in range(n_people)}
    models = {"m": answers(draw(st.sampled_from((0.1, 0.7, 1.0)))), "m2": answers(0.3)}
    ignored = draw(st.sampled_from(("none", "person", "model")))
    return people, models, labels, ignored, rng


def written(given, labels, rng):
    """As a file may have it: numbers in quotes, and gaps spelled in any way."""
    out = {}
    for instance, value in given.items():
        out[instance] = value if labels or rng.random() < 0.7 else str(value)
    for number in range(5):
        out[f"gap {number}"] = GAPS[rng.integers(0, len(GAPS))]
    return out


@pytest.mark.slow
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(layout=layouts(), epsilon=st.sampled_from((0.0, 0.1, 0.3)))
def test_odd_layouts_give_what_the_definition_gives(tmp_path, layout, epsilon):
    people, models, labels, ignored, rng = layout
    for name, by in (("human_annotations.json", people), ("llm_annotations.json", models)):
        content = {who: written(given, labels, rng) for who, given in by.items()}
        Path(tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    data = assay.load(tmp_path)
    score = "accuracy" if labels else "neg_rmse"
    out = {"none": [], "person": [NAMES[0]], "model": ["m2"]}[ignored]
    kept = {name: given for name, given in people.items() if name not in out}
    shared = [
        sum(instance in models["m"] and sum(instance in other for other in kept.values()) > 1 for instance in given)
        for given in kept.values()
    ]
    if max(shared, default=0) < 30:
        with pytest.raises(AssayError, match=r"nothing that m judged|no person answered 30"):
            assay.replace(data, "m", ["answer"], epsilon=epsilon, score=score, ignore=out)
        return
    found = assay.replace(data, "m", ["answer"], epsilon=epsilon, score=score, ignore=out).headline
    with np.errstate(all="ignore"):
        rate, advantage = alt_test(models["m"], kept, score, epsilon)
    assert list(found)[:5] == ["winning_rate", "advantage", "passed", "n_items", "annotators"]
    assert found["winning_rate"] == pytest.approx(rate) and found["advantage"] == pytest.approx(advantage)
    assert found["passed"] == (rate >= 0.5)
    assert [one["annotator"] for one in found["annotators"]] == sorted(
        (name for name, n in zip(kept, shared, strict=True) if n >= 30), key=list(people).index
    )
    answered = [instance for instance in models["m"] if sum(instance in given for given in kept.values()) > 1]
    assert found["n_items"] == len(answered)
