"""Cautions for readers of diversity scores."""

from assay.batch import Batch
from assay.evaluator import UNEQUAL_SETS
from assay.scores import Gaps

POOLED = {
    "system": "pooled over all contexts of the system, which hides repetition within one context; "
    "score sets (--unit set) and average them to see it"
}
SIZED = {
    UNEQUAL_SETS: "its value moves with that number: compare equal ones only (assay convert --equal-sets draws them)"
}
"""For metrics whose expected value depends on the number of texts. Means over pairs do not."""


def no_pairs(batch: Batch) -> Gaps:
    """The gaps of units with fewer than two texts."""
    return Gaps.where(len(batch), {"one response has no pairs": batch.members.lengths < 2})
