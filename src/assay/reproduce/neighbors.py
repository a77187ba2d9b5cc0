"""Table 1 of Ethayarajh and Sadigh (2020), on the one task whose judgments are public."""

from __future__ import annotations

from collections.abc import Iterator

from assay.evaluators.neighbors.check import check
from assay.evaluators.neighbors.judged import judged_outputs
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity
from assay.io import load
from assay.reproduce.cells import Cell

PAPER = "BLEU Neighbors (Ethayarajh & Sadigh 2020)"
TIES = "rho is exact here; in the paper rounding noise breaks ties of ratings"
CUT = "ours is .08025: cut after four digits it is the published number, rounded it is not"


def cells() -> Iterator[Cell]:
    """Summarization: BLEU* on characters, ROUGE-L on words, and people."""
    judged = judged_outputs(load("data:huse/summarization"), criterion="typicality").deduplicated()
    bleu = Similarity("bleu")
    found = check(judged, bleu, Rule(bleu.tau), n_resamples=1)
    note = "one output per distinct context and text; the published numbers come from n-grams of characters"
    yield Cell(PAPER, "Table 1", "BLEU Neighbors", "MSE", "0.0213", found.found.mse, 0.00005, note)
    yield Cell(PAPER, "Table 1", "BLEU Neighbors", "rho", "0.325", found.found.rho, 0.003, TIES)
    yield Cell(PAPER, "Table 1", "BLEU Neighbors", "coverage", "0.99", found.found.coverage, 0.005)
    everyone = judged_outputs(load("data:huse/summarization"), criterion="typicality")
    rouge = Similarity("rouge_l")
    other = check(everyone, rouge, Rule(rouge.tau), n_resamples=1).found
    unsaid = "the paper does not say how it tokenised for ROUGE-L; ours are whitespace words"
    yield Cell(PAPER, "Table 1", "ROUGE-L Neighbors", "MSE", "0.0226", other.mse, 0.00015, unsaid)
    yield Cell(PAPER, "Table 1", "ROUGE-L Neighbors", "rho", "0.245", other.rho, 0.005, unsaid)
    yield Cell(PAPER, "Table 1", "ROUGE-L Neighbors", "coverage", "0.97", other.coverage, 0.005, unsaid)
    people = check(everyone, bleu, Rule(bleu.tau), n_resamples=1).baselines
    best, average = people["best_annotator"], people["average_annotator"]
    yield Cell(PAPER, "Table 1", "best annotator", "MSE", "0.0200", best.mse, 0.00005)
    yield Cell(PAPER, "Table 1", "best annotator", "rho", "0.921", best.rho, 0.003, TIES)
    yield Cell(PAPER, "Table 1", "average annotator", "MSE", "0.0802", average.mse, 0.0001, CUT)
    yield Cell(PAPER, "Table 1", "average annotator", "rho", "0.405", average.rho, 0.003, TIES)
