"""ROUGE-N, ROUGE-L and ROUGE-Lsum (Lin 2004) as rouge-score and the COCO caption evaluation compute them."""

import re
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Result, Shape, batched, evaluator
from assay.evaluators.overlap.limits import short_enough
from assay.kernels.overlap.best import first_best
from assay.kernels.overlap.lcs import lcs_lengths
from assay.kernels.overlap.shared_ngrams import shared_ngrams
from assay.kernels.overlap.union_lcs import union_lcs_hits
from assay.references import References, given
from assay.text.lines import split_lines
from assay.text.stems import stem_numbers
from assay.text.tokenizers import check_tokenizer, tokenize
from assay.text.tokens import Tokens

# rouge-score does not stem shorter words.
STEMMED_ABOVE = 3
TOKENIZER = {"rouge-score": "rouge", "coco": "spaces"}

BETA = {"rouge-score": 1.0, "coco": 1.2}

MOST_TOKENS = 5_000
"""Beyond this, ROUGE-Lsum of a text without line breaks takes seconds, and its matrix a hundred megabytes."""


@evaluator(needs=("references",), scale="0 to 1", cite="Lin 2004")
def rouge(
    kind: str = "L",
    *,
    variant: Literal["rouge-score", "coco"] = "rouge-score",
    measure: Literal["f", "precision", "recall"] = "f",
    stemmer: bool = False,
    tokenizer: str | None = None,
    beta: float | None = None,
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Overlap with the references in n-grams (kind '1' to '9') or in the longest common subsequence ('L', 'Lsum').

    P = shared / candidate, R = shared / reference, F = (1 + b^2) P R / (R + b^2 P). rouge-score takes b = 1 and the
    reference with the best F; 'coco' takes b = 1.2 and the largest P and the largest R over all references.

    'Lsum', for summaries with one sentence per line, counts the words of each reference line that are in its longest
    common subsequence with any line of the text; a text of more than 5,000 tokens is a gap.
    """
    if not re.fullmatch(r"[1-9]|L|Lsum", kind):
        expected = "'L', 'Lsum' or a digit from '1' to '9'"
        raise EvaluatorError(f"the parameter 'kind' of rouge must be {expected}. Got {kind!r}.")
    if variant == "coco" and kind == "Lsum":
        raise EvaluatorError("rouge(variant='coco') has no 'Lsum': use variant='rouge-score'.")
    tokenizer = tokenizer or TOKENIZER[variant]
    check_tokenizer(tokenizer)
    if variant == "coco" and measure != "f" and beta not in (None, BETA[variant]):
        raise EvaluatorError(f"rouge(variant='coco', measure={measure!r}) has no beta: leave it out.")
    beta = BETA[variant] if beta is None else beta

    def score(batch: Batch) -> NDArray[np.float64]:
        precision, recall = _pair_scores(batch, tokenizer, kind, stemmer)
        bounds = batch.references.offsets
        if variant == "coco":
            # Every unit of a run has references, so no slice is empty.
            precision = np.maximum.reduceat(precision, bounds[:-1]) if len(batch) else precision
            recall = np.maximum.reduceat(recall, bounds[:-1]) if len(batch) else recall
        f = _f(precision, recall, beta)
        chosen = {"f": f, "precision": precision, "recall": recall}[measure]
        return chosen if variant == "coco" else chosen[first_best(f, bounds)]

    def limited(batch: Batch) -> Result:
        return short_enough(batch, batch.tokens(tokenizer).lengths, MOST_TOKENS, score)

    return batched(
        limited if kind == "Lsum" else score,
        settled={"tokenizer": tokenizer, "beta": beta},
        reads=("text", "references"),
    )


def _pair_scores(
    batch: Batch, tokenizer: str, kind: str, stemmer: bool
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Precision and recall of every (candidate, reference) pair, 0 where undefined."""
    tokens, references = batch.tokens(tokenizer), batch.references
    pairs = batch.candidates, references.values, references.offsets
    units = tokens.lengths
    if kind == "L":
        shared = lcs_lengths(_words(tokens, stemmer), tokens.offsets, *pairs)
    elif kind == "Lsum":
        lines, bounds = split_lines(batch.texts)
        of_lines = tokenize(lines, tokenizer)
        shared = union_lcs_hits(_words(of_lines, stemmer), of_lines.offsets, bounds, *pairs)
        units = np.diff(of_lines.offsets[bounds])
    else:
        shared = shared_ngrams(_words(tokens, stemmer), tokens.offsets, int(kind), *pairs)[:, -1]
        units = np.maximum(tokens.lengths - int(kind) + 1, 0)
    of_candidate, of_reference = units[batch.candidates][references.row_of], units[references.values]
    return shared / np.maximum(of_candidate, 1), shared / np.maximum(of_reference, 1)


def _words(tokens: Tokens, stemmer: bool) -> NDArray[np.int32]:
    """Token ids, or those of their stems."""
    return stem_numbers(tokens.vocabulary, STEMMED_ABOVE)[tokens.ids] if stemmer else tokens.ids


def _f(precision: NDArray[np.float64], recall: NDArray[np.float64], beta: float) -> NDArray[np.float64]:
    below = recall + beta**2 * precision
    return np.divide((1 + beta**2) * precision * recall, below, out=np.zeros(len(below)), where=below > 0)
