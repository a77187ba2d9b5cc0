import numpy as np
import pytest

from assay.errors import DataError
from assay.evaluators.neighbors.judged import has_quality, judged_outputs, unjudged_outputs
from assay.records import Dataset


def dataset(*answers, text=None, criterion="q"):
    return Dataset.from_records(
        {
            "id": f"o{row}",
            "item": "i",
            "text": (text or "abcdefghijkl")[row],
            "judgments": [
                {"annotator": f"a{who}", "criterion": criterion, "value": value} for who, value in enumerate(values)
            ],
        }
        for row, values in enumerate(answers)
    )


def test_quality_is_the_mean_over_the_largest_answer():
    judged = judged_outputs(dataset([1, 4], [3], []))
    assert judged.quality[:2] == pytest.approx([2.5 / 4, 3 / 4])
    assert np.isnan(judged.quality[2])
    assert judged.scale == 4
    assert len(judged.with_quality()) == 2
    assert judged_outputs(dataset([1, 4]), scale=5).quality == pytest.approx([0.5])


def test_taking_rows_takes_their_votes():
    judged = judged_outputs(dataset([1, 4], [3], [2, 2])).take(np.array([2, 0]))
    assert judged.votes.text.tolist() == [1, 1, 0, 0]
    assert judged.votes.value.tolist() == [1, 4, 2, 2]


def test_a_draw_keeps_the_order_and_the_seed_decides():
    judged = judged_outputs(dataset(*([value] for value in range(12))))
    drawn = judged.drawn(5, seed=3)
    assert drawn.ids.to_list() == [f"o{round(quality * 11)}" for quality in sorted(drawn.quality)]
    assert len(set(drawn.ids)) == 5
    assert judged.drawn(5, seed=3).ids == drawn.ids != judged.drawn(5, seed=4).ids
    assert judged.drawn(12, seed=3) is judged


def test_the_first_copy_stays():
    judged = judged_outputs(dataset([1], [2], [3], text="xyx")).deduplicated()
    assert judged.ids.to_list() == ["o0", "o1"]


def test_a_column_of_grades():
    graded = Dataset.from_records([{"text": "a", "grade": 2.0}, {"text": "b", "grade": 8.0}, {"text": "c"}])
    assert judged_outputs(graded, column="grade").quality == pytest.approx([0.25, 1, np.nan], nan_ok=True)
    assert has_quality(graded, column="grade") and not has_quality(graded)


def test_texts_without_judgments():
    assert np.isnan(unjudged_outputs(dataset([], [])).quality).all()


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        (dataset([], []), {}, "have no judgments"),
        (dataset([1]), {"criterion": "p"}, "no output is judged by 'p'"),
        (dataset(["good"]), {}, "labels, not numbers"),
        (dataset([0]), {}, "largest answer is 0"),
        (dataset([1]), {"scale": -1.0}, "must be a number above 0"),
        (dataset([1]), {"column": "grade"}, "no column 'grade'"),
    ],
)
def test_what_cannot_be_learnt_is_said(data, options, words):
    with pytest.raises(DataError, match=words):
        judged_outputs(data, **options)


def test_several_criteria_need_a_choice():
    both = Dataset.from_records(
        [{"text": "a", "judgments": [{"annotator": "x", "criterion": c, "value": 1} for c in ("p", "q")]}]
    )
    with pytest.raises(DataError, match="several criteria: p, q"):
        judged_outputs(both)
    assert judged_outputs(both, criterion="q").criterion == "q"
