"""METEOR (Banerjee & Lavie 2005; parameters of Lavie & Agarwal 2007), and METEOR 1.5 (Denkowski & Lavie 2014)."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.errors import EvaluatorError
from assay.evaluator import Result, Scored, Shape, batched, evaluator, with_gaps
from assay.evaluators.overlap.limits import short_enough
from assay.evaluators.overlap.meteor_15 import ENDLESS, MOST_TOKENS, meteor_15
from assay.io.wordnet import WordNet, open_wordnet
from assay.kernels.overlap.meteor import align as align_words
from assay.kernels.ragged import running_offsets
from assay.references import References, given
from assay.scores import Gaps
from assay.text.stems import stem_numbers
from assay.text.strings import Strings
from assay.text.tokenizers import check_tokenizer

# alpha, beta and gamma of each variant.
PARAMETERS = {"2005": (0.9, 3.0, 0.5), "1.5": (0.85, 0.2, 0.6)}
REMEDY = "; align='nltk' without wordnet takes texts of any length"


@evaluator(
    needs=("references",), scale="0 to 1", cite="Banerjee & Lavie 2005; Lavie & Agarwal 2007; Denkowski & Lavie 2014"
)
def meteor(
    *,
    variant: Literal["2005", "1.5"] = "2005",
    stemmer: bool = True,
    wordnet: str = "",
    align: Literal["fewest-chunks", "nltk"] = "fewest-chunks",
    alpha: float | None = None,
    beta: float | None = None,
    gamma: float | None = None,
    tokenizer: str | None = None,
    tables: str | None = None,
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Words matched by form, stem or synonym with the best reference, less a penalty for scattered matches.

    With m matches in c chunks, P = m / candidate, R = m / reference: score = F (1 - gamma (c / m)^beta),
    F = P R / (alpha P + (1 - alpha) R). Texts are compared in lower case. Synonyms need `wordnet`: a folder, or
    'installed' for NLTK's data or Debian's wordnet-base; the signature names its version and content. A text or
    reference of more than 5,000 words is a gap, and so is one that repeats so few words that the search for the fewest
    chunks does not end; `align='nltk'` without synonyms takes any.

    `variant='1.5'` is the English METEOR 1.5, equal to its Java program with `-norm`: synonyms and paraphrases count as
    well, function words count less, and a system's score is that of its sums. Its `tables` are those of an installed
    pycocoevalcap, or in a folder; without a `tokenizer`, texts are normalized as there.
    """
    defaults = PARAMETERS[variant]
    alpha, beta, gamma = (
        default if given is None else given for given, default in zip((alpha, beta, gamma), defaults, strict=True)
    )
    if variant == "1.5":
        if not stemmer or wordnet or align != "fewest-chunks":
            raise EvaluatorError("meteor(variant='1.5') has its own stages: leave stemmer, wordnet and align out.")
        return meteor_15(tables or "installed", tokenizer or "", alpha, beta, gamma)
    if tables is not None:
        raise EvaluatorError("meteor(variant='2005') has no tables: leave them out, or choose variant='1.5'.")
    return _meteor_2005(stemmer, wordnet, align, alpha, beta, gamma, tokenizer or "13a")


def _meteor_2005(
    stemmer: bool, wordnet: str, align: str, alpha: float, beta: float, gamma: float, tokenizer: str
) -> Shape:
    check_tokenizer(tokenizer)
    net = open_wordnet(wordnet) if wordnet else None

    prepared = f"lower+{tokenizer}"

    def matched(batch: Batch) -> Result:
        tokens, references = batch.tokens(prepared), batch.references
        n_types = len(tokens.vocabulary)
        stems = stem_numbers(tokens.vocabulary) if stemmer else np.arange(n_types, dtype=np.int32)
        synonyms, synonym_offsets = _synonym_sets(tokens.vocabulary, net)
        pairs = batch.candidates, references.values, references.offsets
        searched = align == "fewest-chunks"
        alignment = align_words(tokens.ids, tokens.offsets, *pairs, stems, synonyms, synonym_offsets, searched)
        matches, chunks = alignment[:, 0], alignment[:, 1]
        lengths = tokens.lengths
        of_candidate, of_reference = lengths[batch.candidates][references.row_of], lengths[references.values]
        scores = _scores(matches, chunks, of_candidate, of_reference, alpha, beta, gamma)
        if not len(batch):
            return np.zeros(0)
        starts = references.offsets[:-1]
        endless = np.minimum.reduceat(matches, starts) < 0
        return Scored(np.maximum.reduceat(scores, starts), Gaps.where(len(batch), {ENDLESS: endless}))

    def score(batch: Batch) -> Scored:
        if align == "nltk" and net is None:
            return with_gaps(matched(batch))
        return short_enough(batch, batch.tokens(prepared).lengths, MOST_TOKENS, matched, REMEDY)

    settled = {"alpha": alpha, "beta": beta, "gamma": gamma, "tokenizer": tokenizer}
    return batched(score, settled={**settled, "wordnet": net.name if net else ""}, reads=("text", "references"))


def _scores(
    matches: NDArray[np.int64],
    chunks: NDArray[np.int64],
    of_candidate: NDArray[np.int64],
    of_reference: NDArray[np.int64],
    alpha: float,
    beta: float,
    gamma: float,
) -> NDArray[np.float64]:
    """The score of every pair, 0 without a match."""
    with np.errstate(divide="ignore", invalid="ignore"):
        precision, recall = matches / of_candidate, matches / of_reference
        mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
        scores = mean * (1 - gamma * (chunks / matches) ** beta)
    return np.where(matches > 0, scores, 0.0)


def _synonym_sets(vocabulary: Strings, net: WordNet | None) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """The synonym sets of all words, concatenated, with offsets."""
    if net is None:
        return np.zeros(0, np.int32), np.zeros(len(vocabulary) + 1, np.int64)
    sets = [net.synsets(word) for word in vocabulary]
    flat = np.array([number for row in sets for number in row], np.int32)
    return flat, running_offsets(np.array([len(row) for row in sets], np.int64))
