"""Translation edit rate (Snover et al. 2006), equal to sacrebleu's."""

import numpy as np
from numpy.typing import NDArray

from assay.batch import Batch
from assay.evaluator import Result, Scored, Shape, additive, evaluator
from assay.evaluators.overlap.limits import short_enough
from assay.kernels.overlap.ter import fewest_edits_with_shifts
from assay.references import References, given
from assay.scores import Gaps
from assay.text.tokenizers import check_tokenizer

ENDLESS = "too many shifts to try in so long a text of so few words"
MOST_TOKENS = 5_000
"""Beyond this, the search for shifts takes seconds, and its matrix hundreds of megabytes."""


@evaluator(
    needs=("references",),
    higher_is_better=False,
    scale="0 (equal) upwards, in edits per 100 reference words",
    cite="Snover et al. 2006",
)
def ter(
    *,
    tokenizer: str = "whitespace",
    lowercase: bool = True,
    references: References = given(),  # noqa: B008 (a value, never changed)
) -> Shape:
    """Edits, shifts of word blocks included, to the nearest reference, per 100 words of the average reference.

    TER = 100 * edits / mean reference length; a system's is the ratio of the sums. Tokenizers `tercom`,
    `tercom-asian`, `tercom-no-punct` and `tercom-no-punct-asian` are sacrebleu's normalizations. A text or reference of
    more than 5,000 tokens is a gap, and so is one that repeats so few words that the search for shifts does not end.
    """
    check_tokenizer(tokenizer)
    # sacrebleu strips the end of a text before it tokenizes
    prepared = f"rstrip+lower+{tokenizer}" if lowercase else f"rstrip+{tokenizer}"

    def counts(batch: Batch) -> Result:
        tokens, references = batch.tokens(prepared), batch.references
        if not len(batch):
            return np.zeros((0, 2))
        pairs = batch.candidates, references.values, references.offsets
        fewest = fewest_edits_with_shifts(tokens.ids, tokens.offsets, *pairs)
        lengths = np.add.reduceat(tokens.lengths[references.values], references.offsets[:-1])
        sums = np.column_stack([fewest, lengths / references.lengths])
        return Scored(sums, Gaps.where(len(batch), {ENDLESS: fewest < 0}))

    def statistics(batch: Batch) -> Scored:
        return short_enough(batch, batch.tokens(prepared).lengths, MOST_TOKENS, counts)

    return additive(statistics, _rate, reads=("text", "references"))


def _rate(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """100 * edits / length; against empty references, 100 if there is anything to delete."""
    edits, length = counts[:, 0], counts[:, 1]
    return 100 * np.divide(edits, length, out=(edits > 0).astype(np.float64), where=length > 0)
