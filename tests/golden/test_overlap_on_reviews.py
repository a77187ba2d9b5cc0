"""Overlap with the ten nearest real reviews, against how often people took a generator's texts for real.

Garbacea et al. 2019. The target is 1 - the accuracy of single votes (H1) on each generator's 150 texts. An
independent study found tau-b .67 for BLEU, .67 for CIDEr, .52 for METEOR, .48 for ROUGE-L and .73 for Self-BLEU.
"""

from pathlib import Path

import pytest
from scipy.stats import kendalltau

from assay import load, score

ACCURACY = {
    "SkipConnectionsAC": 0.246,
    "WordRNN05": 0.267,
    "AttentionAC": 0.323,
    "WordRNN07": 0.339,
    "NoAttentionAC": 0.387,
    "WordRNN10": 0.549,
    "LeakGAN": 0.681,
    "GoogleLM": 0.682,
    "SeqGAN": 0.745,
    "SS": 0.753,
    "MLESeqGAN": 0.762,
    "RankGAN": 0.778,
}
NEAREST = "references=nearest(k=10, among='human', tokenizer='lower+whitespace')"
EXPECTED = {
    f"bleu(tokenizer='whitespace', {NEAREST})": 0.67,
    f"cider(documents='system', {NEAREST})": 0.67,
    f"meteor(align='nltk', tokenizer='whitespace', {NEAREST})": 0.52,
    f"rouge(variant='coco', {NEAREST})": 0.48,
    "self_bleu(tokenizer='whitespace')": 0.73,
}


@pytest.mark.slow
def test_rank_correlations_with_votes(data: Path) -> None:
    table = score(load("data:judges/reviews"), list(EXPECTED), unit="system")
    rows = [row for row, system in enumerate(table.unit) if system in ACCURACY]
    assert len(rows) == 12
    quality = [1 - ACCURACY[table.unit[row]] for row in rows]
    found = {name: float(kendalltau(table[name].values[rows], quality)[0]) for name in EXPECTED}
    assert found == pytest.approx(EXPECTED, abs=0.006)
