"""Matchups: pairs of outputs of two systems for one item, scored, judged, kept and pooled like any other unit."""

from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay import AnswerStore, Dataset, Requests
from assay.errors import EvaluatorError
from assay.evaluator import Answer, Shape, evaluator, per_request, per_unit
from assay.records import Output
from assay.units import Units
from tests.io.test_score_tables import ENDINGS, assert_same


def data(**judged: Any) -> Dataset:
    """Two items, three systems, an output each but two of `b` for the first item; o4 has been compared with o0."""
    rows = []
    for item, system in [(1, "c"), (1, "b"), (1, "b"), (1, "a"), (2, "a"), (2, "b")]:
        row: dict[str, Any] = {
            "id": f"o{len(rows)}",
            "item": f"i{item}",
            "system": system,
            "text": f"{system} says {item}",
        }
        rows.append(row | {"references": [f"a says {item}"]})
    for unit, judgments in judged.items():
        rows[int(unit[1:])]["judgments"] = judgments
    return Dataset.from_records(rows)


def better(other: str, value: float | str, annotator: str = "w") -> dict[str, Any]:
    return {"annotator": annotator, "criterion": "better", "other": other, "value": value}


MATCHUPS = ["o1|o0", "o2|o0", "o3|o0", "o3|o1", "o3|o2", "o4|o5"]


def test_a_matchup_is_two_outputs_of_two_systems_for_one_item() -> None:
    units = Units("matchup", data())
    assert units.ids.to_list() == MATCHUPS
    assert units.item_ids.to_list() == ["i1"] * 5 + ["i2"]
    assert units.system_ids.to_list() == ["b|c", "b|c", "a|c", "a|b", "a|b", "a|b"]
    assert units.n_left_out == 0


@given(st.lists(st.tuples(st.integers(0, 3), st.sampled_from(["z", "y", "x", "w"])), min_size=1, max_size=25))
def test_matchups_are_all_there_are_whatever_the_order_of_the_data(places: list[tuple[int, str]]) -> None:
    rows = [{"id": f"o{k}", "item": f"i{i}", "system": s, "text": "t"} for k, (i, s) in enumerate(places)]
    expected = {
        f"o{j}|o{k}"
        for j, (item, system) in enumerate(places)
        for k, (other_item, other) in enumerate(places)
        if item == other_item and system < other
    }
    for some in (rows, rows[::-1]):
        assert set(Units("matchup", Dataset.from_records(some)).ids) == expected


def many(n: int, more: tuple[dict[str, Any], ...] = ()) -> Dataset:
    rows = [
        {"id": f"{s}{k}", "item": "i", "system": s, "text": "t", "judgments": [better("q39", 1)] if s == "p" else []}
        for s in ("p", "q")
        for k in range(n)
    ]
    return Dataset.from_records([*rows, *more])


def test_of_very_many_some_are_drawn_and_that_is_told() -> None:
    """The judged ones are among them; an output more changes few of them, one of another item none."""
    table = assay.score(many(40), [shorter()])
    units = set(table.unit)
    assert len(table) == 1000 == len(units)
    assert {f"p{k}|q39" for k in range(40)} <= units
    assert table.notes[0].startswith("1000 of 1600 matchups are scored: at most 1000 of an item")
    elsewhere = (
        {"id": "x", "item": "j", "system": "p", "text": "t"},
        {"id": "y", "item": "j", "system": "q", "text": "t"},
    )
    assert set(Units("matchup", many(40, elsewhere)).ids) == units | {"x|y"}
    one_more = set(Units("matchup", many(40, ({"id": "p40", "item": "i", "system": "p", "text": "t"},))).ids)
    assert len(one_more) == 1000 and len(units - one_more) < 60
    counts: dict[str, int] = defaultdict(int)
    for unit in units:
        counts[unit.partition("|")[0]] += 1
    assert min(counts.values()) > 10, "all outputs have their share"


@evaluator(units=("matchup",), scale="-1 to 1")
def shorter() -> Shape:
    """A pairwise judge that prefers the shorter text, and says why."""

    def score(outputs: list[Output]) -> Answer:
        left, right = outputs
        return Answer(float(np.sign(len(right.text) - len(left.text))), f"{left.system} against {right.system}")

    return per_unit(score)


def test_an_author_writes_a_pairwise_judge_and_its_table_survives_the_disk(tmp_path: Path) -> None:
    table = assay.score(data(), [shorter()])
    assert table.kind == "matchup" and table.unit.to_list() == MATCHUPS
    assert table["shorter()"].texts is not None and table["shorter()"].texts[0] == "b against c"
    systems = table.by_system()
    assert systems.unit.to_list() == ["b|c", "a|c", "a|b"]
    for ending in ENDINGS:
        assay.save_scores(table, tmp_path / f"scores.{ending}")
        again = assay.load_scores(tmp_path / f"scores.{ending}")
        assert_same(table, again)
        assert_same(systems, again.by_system())


def test_a_judge_that_asks_in_both_orders(tmp_path: Path) -> None:
    @evaluator(units=("matchup",), scale="-1 to 1")
    def position_biased() -> Shape:
        """Asks a service that always likes the first text a little more."""
        return per_request(
            "fake",
            request=lambda pair: [{"texts": [o.text for o in order]} for order in (pair, pair[::-1])],
            send=lambda request: np.sign(len(request["texts"][0]) - len(request["texts"][1]) + 0.5),
            read=lambda replies, pair: (replies[0] - replies[1]) / 2,
        )

    column = assay.score(data(), [position_biased()], requests=Requests(store=AnswerStore(tmp_path)))[
        "position_biased()"
    ]
    assert column.values.tolist() == [0] * 6


def test_people_prefer_the_left_side_whichever_was_shown_first() -> None:
    judged = data(
        o0=[better("o3", 1), better("o3", -1, "v"), better("o3", -1, "u")], o3=[better("o0", 1), better("o1", "second")]
    )
    table = assay.score(judged, ["human('better')"], unit="matchup")
    column = table["human('better')"]
    scores = dict(zip(table.unit, column.values, strict=True))
    assert scores["o3|o0"] == (-1 + 1 + 1 + 1) / 4
    assert scores["o3|o1"] == -1
    assert column.gaps.counts() == {"no judgments of better": 4}
    share = assay.score(judged, ["human('better', aggregate='share', of=1)"], unit="matchup")
    assert next(iter(share.columns.values())).values[2] == 0.75
    assert assay.score(judged, ["human('better')"]).kind == "matchup", "there are no judged pairs inside sets"


def test_preferences_do_not_depend_on_how_they_are_chunked(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a chunk the left side may always win, by more or less."""
    monkeypatch.setattr("assay.run.one_pass.CHUNK", 2)
    judged = data(o3=[better("o0", 2), better("o1", 1)], o4=[better("o5", -1)])
    column = assay.score(judged, ["human('better')"])["human('better')"]
    assert column.values[[2, 3, 5]].tolist() == [2, 1, -1]


def test_similarities_of_two_systems_texts_have_no_direction() -> None:
    judged = data(
        o0=[{**better("o3", 4), "criterion": "similarity"}], o3=[{**better("o0", 2), "criterion": "similarity"}]
    )
    table = assay.score(judged, ["human('similarity')"])
    assert table.kind == "matchup" and table["human('similarity')"].values[2] == 3


@pytest.mark.parametrize("unit", ["pair", "matchup"])
def test_an_evaluator_with_references_is_a_similarity_of_pairs(unit: str) -> None:
    table = assay.score(data(), ["chrf"], unit=unit)
    for row, name in enumerate(table.unit):
        left, right = name.split("|")
        texts = dict(zip(data().outputs.id, data().outputs.text, strict=True))
        alone = Dataset.from_records([{"text": texts[left], "references": [texts[right]]}])
        assert table["chrf"].values[row] == assay.score(alone, ["chrf"])["chrf"].values[0]
    bare = Dataset.from_records([{"text": "a", "item": "i", "system": s} for s in "ab"])
    assert assay.score(bare, ["chrf"], unit="matchup")["chrf"].values.tolist() == [100.0]


def test_nothing_is_pooled_from_matchups_or_to_them() -> None:
    with pytest.raises(EvaluatorError, match=r"shorter\(\) offers matchup\."):
        assay.score(data(), [shorter()], unit="system")
    with pytest.raises(EvaluatorError, match=r"length.* offers output, set, system"):
        assay.score(data(), ["length"], unit="matchup")
