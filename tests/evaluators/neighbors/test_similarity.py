import numpy as np
import pytest

from assay.evaluators.neighbors.similarity import Similarity
from assay.kernels.pairs.sparse_rows import stack
from assay.text.strings import Strings
from tests.oracles.bleu_pairs import bleu_star

TEXTS = ["the cat sat on the mat", "the cat sat on a mat", "dogs bark", "the cat sat", "a cat sat on the mat today"]


def matrix(similarity, candidates, bank):
    texts, others = Strings.of(candidates), None if bank is None else Strings.of(bank)
    rows = stack([part for _, part in similarity.rows(texts, others, 0.0)])
    found = np.zeros((len(candidates), len(bank or candidates)))
    found[rows.rows, rows.columns] = rows.values
    return found


def test_bleu_on_characters_and_on_words():
    expected = [[bleu_star(x, s) for s in TEXTS[2:]] for x in TEXTS[:2]]
    assert matrix(Similarity(), TEXTS[:2], TEXTS[2:]) == pytest.approx(np.array(expected))
    words = [[bleu_star(x.split(), s.split()) for s in TEXTS] for x in TEXTS]
    assert matrix(Similarity(tokenizer="whitespace"), TEXTS, None) == pytest.approx(np.array(words))


def test_rouge_l_equals_the_reference_implementation():
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    expected = [[scorer.score(s, x)["rougeL"].fmeasure for s in TEXTS[2:]] for x in TEXTS[:2]]
    assert matrix(Similarity("rouge_l"), TEXTS[:2], TEXTS[2:]) == pytest.approx(np.array(expected))


def test_a_metric_with_references_serves_as_a_kernel():
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF()
    expected = [[metric.sentence_score(x, [s]).score / 100 for s in TEXTS[2:]] for x in TEXTS[:2]]
    assert matrix(Similarity("chrf"), TEXTS[:2], TEXTS[2:]) == pytest.approx(np.array(expected))


def test_meteor_is_of_the_candidate_against_the_bank():
    found = matrix(Similarity("meteor"), TEXTS, None)
    assert np.all(found.diagonal()[[0, 1, 4]] > 0.99)
    assert found[0, 1] > found[0, 2] == 0
    assert found[3, 0] != found[0, 3]  # recall counts nine times as much as precision
