"""What a reader of a system's diversity should know."""

from assay.batch import Batch
from assay.scores import Gaps

POOLED = {
    "system": "pooled over all contexts of the system, which hides repetition within one context; "
    "score sets (--unit set) and average them to see it"
}


def no_pairs(batch: Batch) -> Gaps:
    """Give the reason where a unit has fewer than two texts."""
    return Gaps.where(len(batch), {"one response has no pairs": batch.members.lengths < 2})
