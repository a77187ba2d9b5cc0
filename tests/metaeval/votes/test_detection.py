"""People as detectors of generated text: rates, clustered intervals, majorities and validity."""

from pathlib import Path

import numpy as np
import pytest

from assay import Dataset, load
from assay.errors import DataError
from assay.metaeval.votes.detection import Detection


def votes(rng: np.random.Generator, n_pages: int = 12, n_annotators: int = 8, spread: float = 0.0) -> Dataset:
    """Pages of four texts, two of them human; five of the annotators vote on each page."""
    skill = rng.normal(0, spread, n_annotators)
    rows = []
    for page in range(n_pages):
        annotators = rng.permutation(n_annotators)[:5]
        for text in range(4):
            human = text < 2
            right = rng.random(5) < 1 / (1 + np.exp(-(0.7 + skill[annotators])))
            values = np.where(right, human, not human)
            rows.append(
                {
                    "id": f"{page}-{text}",
                    "item": f"i{page}-{text}",
                    "page": f"p{page}",
                    "text": f"text {page} {text}",
                    "system": "people" if human else f"g{text}",
                    "human": human,
                    "judgments": [
                        {"annotator": f"a{a}", "criterion": "real", "value": int(v), "comment": f"on {page} by {a}"}
                        for a, v in zip(annotators, values, strict=True)
                    ],
                }
            )
    return Dataset.from_records(rows)


def test_rates_equal_counts() -> None:
    data = votes(np.random.default_rng(0))
    detection = Detection(data, "real")
    right, human = [], []
    for output in data.iter_outputs():
        for judgment in output.judgments:
            right.append((judgment.value == 1) == output.human)
            human.append(output.human)
    rates = detection.single.rates(0.95)
    right, human = np.array(right), np.array(human)
    assert rates.accuracy.value == pytest.approx(right.mean())
    assert rates.tpr.value == pytest.approx(right[human].mean())
    assert rates.tnr.value == pytest.approx(right[~human].mean())
    assert rates.accuracy.n == 240
    assert 0 <= rates.accuracy.low < rates.accuracy.value < rates.accuracy.high <= 1
    majority = [sum(judgment.value for judgment in output.judgments) > 2.5 for output in data.iter_outputs()]
    assert detection.majority.tolist() == majority


def test_intervals_widen_where_annotators_differ() -> None:
    widths = {}
    for spread in (0.0, 2.0):
        estimates = [
            Detection(votes(np.random.default_rng(seed), 30, 15, spread), "real").single.rates(0.95).accuracy
            for seed in range(8)
        ]
        widths[spread] = np.mean([estimate.high - estimate.low for estimate in estimates])
    assert widths[2.0] > 1.3 * widths[0.0]


@pytest.mark.slow
def test_intervals_cover_the_accuracy_of_new_annotators_and_pages() -> None:
    rng = np.random.default_rng(1)
    truth = np.mean(1 / (1 + np.exp(-(0.7 + rng.normal(0, 1.0, 400_000)))))
    hits = []
    for seed in range(400):
        found = Detection(votes(np.random.default_rng(seed), 40, 20, 1.0), "real").single.rates(0.95).accuracy
        hits.append(found.low <= truth <= found.high)
    assert 0.915 <= np.mean(hits) <= 0.985


def test_a_majority_needs_its_number_of_votes() -> None:
    rows = [
        {"text": f"t{n}", "system": "s" if n else "people", "human": n == 0,
         "judgments": [{"annotator": f"a{k}", "criterion": "real", "value": k % 2} for k in range(n + 2)]}
        for n in range(4)
    ]  # fmt: skip
    data = Dataset.from_records(rows)
    assert np.isnan(Detection(data, "real", 3).majority).tolist() == [True, False, True, True]
    assert np.isnan(Detection(data, "real", 4).majority).tolist() == [True] * 4  # two against two
    few = Detection(data, "real").single.rates(0.95).accuracy
    assert np.isnan(few.low) and "fewer than 5" in few.reason


def test_comments_are_counted_once_for_each_annotator_and_page() -> None:
    detection = Detection(votes(np.random.default_rng(0), n_pages=3), "real")
    assert len(detection.comments) == 15


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"human": True}, "human and generated texts"),
        ({"human": False}, "human and generated texts"),
        ({"judgments": [{"annotator": "a", "criterion": "real", "value": 4}]}, "must be 1"),
    ],
)
def test_bad_data_is_a_plain_error(changes: dict[str, object], message: str) -> None:
    judged = [{"annotator": "a", "criterion": "real", "value": 1}]
    rows = [{"text": f"t{n}", "system": f"s{n}", "human": n == 0, "judgments": judged} | changes for n in range(3)]
    with pytest.raises(DataError, match=message):
        Detection(Dataset.from_records(rows), "real")


def test_published_rates(data: Path) -> None:
    detection = Detection(load("data:judges/reviews"), "real")
    single, together = detection.single.rates(0.95), detection.together.rates(0.95)
    assert [round(100 * e.value, 2) for e in (single.accuracy, single.tpr, single.tnr)] == [66.61, 78.96, 54.26]
    assert [round(100 * e.value, 2) for e in (together.accuracy, together.tpr, together.tnr)] == [72.63, 88.31, 56.95]
    assert detection.n_votes == 5 and together.accuracy.n == 3540
    assert len(np.unique(detection.page_of)) == 180
