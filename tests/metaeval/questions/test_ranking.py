from dataclasses import replace

import numpy as np
import pytest

from assay.metaeval.questions.correlation import correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.question import Question, Resampling
from assay.metaeval.questions.ranking import between_within, leave_one_out
from assay.metaeval.systems.comparison import rank_systems
from tests.metaeval.score_tables import score_table, table_of


def test_systems_are_ranked_by_their_score_with_intervals():
    table = score_table(30, 5, 2, seed=1)
    ranked = rank_systems(table, ["human", "m0"])
    pooled = table.by_system()
    for name in ("human", "m0"):
        mine = [part for part in ranked if part.evaluator == name]
        assert [part.rank for part in mine] == [1, 2, 3, 4, 5]
        scores = dict(zip(pooled.unit, pooled[name].values.tolist(), strict=True))
        assert [part.score for part in mine] == sorted(scores.values(), reverse=True)
        assert all(part.score == pytest.approx(scores[part.system]) for part in mine)
        assert all(
            part.low <= part.score <= part.high and part.rank_low <= part.rank <= part.rank_high for part in mine
        )


def test_where_low_is_good_the_lowest_is_first_and_keeps_its_sign():
    table = score_table(10, 4, 1)
    turned = replace(table, columns={"m0": replace(table["m0"], higher_is_better=False)})
    up = rank_systems(table, ["m0"])
    down = rank_systems(turned, ["m0"])
    assert [part.system for part in down] == [part.system for part in up][::-1]
    assert {part.system: part.score for part in down} == {part.system: part.score for part in up}
    assert all(part.low <= part.score <= part.high for part in down)


def test_one_score_per_system_is_ranked_without_an_interval_worth_the_name():
    table = table_of({"m": [3.0, 1.0, 2.0]}, ["", "", ""], ["a", "b", "c"], kind="system")
    assert [part.system for part in rank_systems(table, ["m"])] == ["a", "c", "b"]


def test_leaving_a_system_out_is_asking_without_its_rows():
    table = score_table(12, 5, 1, seed=2)
    study = Inquiry(
        table, Question("human", statistics=("pearson",), levels=("output", "system"), resampling=Resampling(9))
    )
    full = {answer.level: answer.value for answer in correlate(study)}
    found = leave_one_out(study)
    assert len(found) == 5 * 2
    for part in found:
        kept = np.flatnonzero(np.array(table.system.to_list()) != part.change.removeprefix("without "))
        own = correlate(
            Inquiry(table.take(kept), Question("human", (), ("pearson",), (part.level,), resampling=Resampling(0)))
        )
        assert part.value == own[0].value
        assert part.shift == pytest.approx(part.value - full[part.level])


def test_people_are_one_more_system():
    study = Inquiry(score_table(12, 5, 1, seed=2), Question("human", statistics=("pearson",), levels=("system",)))
    found = leave_one_out(study, humans=["s0"])
    assert [part.change for part in found] == ["with s0", *(f"without s{i}" for i in range(1, 5))]
    assert [part.n for part in found] == [5, 3, 3, 3, 3]


def test_the_trap_is_seen():
    """Scores that follow the system and are noise inside it."""
    rng = np.random.default_rng(0)
    item, system = (code.ravel() for code in np.indices((60, 6)))
    columns = {"human": 2.0 * system + rng.normal(size=360), "fooled": system + rng.normal(size=360)}
    columns["good"] = columns["human"] + 0.1 * rng.normal(size=360)
    table = table_of(columns, [f"i{i}" for i in item], [f"s{s}" for s in system])
    inquiry = Inquiry(table, Question("human", statistics=("pearson",)))
    found = {part.candidate: part for part in between_within(inquiry)}
    assert found["fooled"].between > 0.95
    assert abs(found["fooled"].within) < 0.2
    assert "what it says about systems does not hold for single outputs" in found["fooled"].warning
    assert found["good"].warning == ""
    assert between_within(Inquiry(score_table(5, 2, 1), Question("human"))) == []
