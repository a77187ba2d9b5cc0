"""Table 1 of Ethayarajh and Sadigh (2020), on the one task whose judgments are public."""

from __future__ import annotations

from collections.abc import Iterator

from assay.analyses.neighbors.check import check
from assay.evaluators.neighbors.judged import judged_outputs
from assay.evaluators.neighbors.rule import Rule
from assay.evaluators.neighbors.similarity import Similarity
from assay.io import load
from assay.reproduce.cells import Cause, Cell

PAPER = "BLEU Neighbors (Ethayarajh & Sadigh 2020)"
TABLE = "Table 1"
CHARACTERS = "one output per distinct context and text; the published numbers come from n-grams of characters"
TIES = "ties of ratings are exact here; broken by rounding noise, as floating-point means leave them, rho is {}"
TOKENS = (
    "the paper does not say how it tokenized for ROUGE-L, nor whether copies were left out; ours are whitespace words "
    "of all outputs. Tried: whitespace, 13a, intl and diversity tokens, in either case, with and without copies: "
    "coverage .945 to .955, rho .240 to .257, MSE .0224 to .0228; characters cover nothing"
)
CUT = "ours is .08025: cut after four digits it is the published number, rounded it is not"


def cells() -> Iterator[Cell]:
    """Summarization: BLEU* on characters, ROUGE-L on words, and the annotators."""
    everyone = judged_outputs(load("data:huse/summarization"), criterion="typicality")
    bleu, rouge = Similarity("bleu"), Similarity("rouge_l")
    bleu_check = check(everyone.deduplicated(), bleu, Rule(bleu.tau), n_resamples=1).agreement
    yield _cell("BLEU Neighbors", "MSE", "0.0213", bleu_check.mse, CHARACTERS)
    yield _cell("BLEU Neighbors", "rho", "0.325", bleu_check.rho, TIES.format(".325"), "measured")
    yield _cell("BLEU Neighbors", "coverage", "0.99", bleu_check.coverage)
    rouge_check = check(everyone, rouge, Rule(rouge.tau), n_resamples=1).agreement
    yield _cell("ROUGE-L Neighbors", "MSE", "0.0226", rouge_check.mse, TOKENS, "guess")
    yield _cell("ROUGE-L Neighbors", "rho", "0.245", rouge_check.rho, TOKENS, "guess")
    yield _cell("ROUGE-L Neighbors", "coverage", "0.97", rouge_check.coverage, TOKENS, "guess")
    annotators = check(everyone, bleu, Rule(bleu.tau), n_resamples=1).baselines
    best, average = annotators["best_annotator"], annotators["average_annotator"]
    yield _cell("best annotator", "MSE", "0.0200", best.mse)
    yield _cell("best annotator", "rho", "0.921", best.rho, TIES.format(".9205"), "measured")
    yield _cell("average annotator", "MSE", "0.0802", average.mse, CUT, "measured")
    yield _cell("average annotator", "rho", "0.405", average.rho, TIES.format(".4050"), "measured")


def _cell(row: str, column: str, printed: str, measured: float, note: str = "", cause: Cause = "") -> Cell:
    return Cell(PAPER, TABLE, row, column, printed, measured, note, cause)
