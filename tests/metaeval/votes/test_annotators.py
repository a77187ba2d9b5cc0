import numpy as np
import pytest

import assay
from assay.errors import AssayError
from assay.kernels.statistics.resample import blocks
from assay.metaeval.questions.contrast import contrast
from assay.metaeval.questions.correlation import correlate
from assay.metaeval.questions.inquiry import Inquiry
from assay.metaeval.questions.pair_tests import Procedure
from assay.metaeval.questions.question import Question, Resampling
from assay.metaeval.questions.sample import Sample
from assay.metaeval.votes.annotators import ratings_of

TARGET = "human(criterion='good')"


@pytest.fixture(scope="module")
def judged():
    """Forty outputs of four systems, each judged by three of five annotators; other criteria and units beside."""
    rng = np.random.default_rng(0)
    records = []
    for row in range(40):
        words = int(rng.integers(1, 9))
        judges = rng.choice(5, 3, replace=False)
        judgments = [
            {"annotator": f"a{j}", "criterion": "good", "value": int(np.clip(words + rng.integers(-3, 4), 0, 9))}
            for j in judges
        ]
        judgments.append({"annotator": "a0", "criterion": "other", "value": 1})
        records.append(
            {
                "id": f"o{row}",
                "item": f"i{row % 10}",
                "system": f"s{row // 10}",
                "text": " ".join(["word"] * words),
                "references": ["word word word"],
                "judgments": judgments,
            }
        )
    dataset = assay.Dataset.from_records(records)
    return dataset, assay.score(dataset, ["length", "bleu", TARGET])


def test_the_ratings_are_those_behind_the_column(judged):
    dataset, table = judged
    ratings = ratings_of(dataset, table, TARGET)
    assert (ratings.n_annotators, len(ratings.value)) == (5, 120)
    everyone = ratings.means(np.ones((1, 5), int), len(table))[0]
    np.testing.assert_allclose(everyone, table[TARGET].values)
    nobody_but_first = ratings.means(np.array([[2, 0, 0, 0, 0]]), len(table))[0]
    assert np.isnan(nobody_but_first).sum() == len(table) - np.bincount(ratings.annotator)[0]


@pytest.mark.parametrize("level", ["output", "system"])
def test_a_draw_of_annotators_computes_the_target_anew(judged, level):
    dataset, table = judged
    ratings = ratings_of(dataset, table, TARGET)
    factors = ("items", "annotators")
    question = Question(
        TARGET, ("length",), ("pearson", "spearman", "kendall"), (level,), resampling=Resampling(6, factors)
    )
    study = Inquiry(table, question, Sample.of(table, ratings))
    draw = study.sample.draw(blocks(6, 0)[0], factors)
    targets = ratings.means(draw.annotators, len(table))
    x = table["length"].values
    mask = study.complete(study.candidates, level, "pooled")
    for statistic, _, _ in study.settings():
        cases = study.cases(study.candidates, mask, statistic, level, "pooled")
        drawn = study.replicates(cases, statistic)[:, 0]
        for b in range(6):
            repeated = np.repeat(np.arange(40), draw.items[b, study.sample.item])
            if level == "output":
                repeated = repeated[~np.isnan(targets[b, repeated])]
                points = x[repeated], targets[b, repeated]
            else:
                of = study.sample.system[repeated]
                points = tuple(np.array([np.nanmean(v[repeated][of == s]) for s in range(4)]) for v in (x, targets[b]))
            assert drawn[b] == pytest.approx(statistic.plain(*points), abs=1e-9)


def test_swapping_by_annotator_holds_evaluators_against_single_judgments(judged):
    dataset, table = judged
    sample = Sample.of(table, ratings_of(dataset, table, TARGET))
    study = Inquiry(table, Question(TARGET, statistics=("pearson",), resampling=Resampling(99)), sample)
    pairs, _ = contrast(study, Procedure(swapped=("annotators",)))
    assert pairs[0].swapped == ("annotators",)
    # Five annotators can be swapped in 32 ways, of which two look like what was observed.
    assert 2 / 32 / 3 < pairs[0].p_value <= 1


def test_more_factors_do_not_narrow_the_interval(judged):
    dataset, table = judged
    sample = Sample.of(table, ratings_of(dataset, table, TARGET))

    def width(*factors):
        question = Question(TARGET, ("length",), ("pearson",), ("output",), resampling=Resampling(500, factors))
        answer = correlate(Inquiry(table, question, sample))[0]
        return answer.high - answer.low

    assert width("items", "annotators") > width("annotators") > 0


def test_only_a_mean_of_judgments_can_be_computed_anew(judged):
    dataset, table = judged
    with pytest.raises(AssayError, match="when the target is human"):
        ratings_of(dataset, table, "length")
