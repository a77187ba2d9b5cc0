"""The n-gram orders of a metric: one, or all up to a maximum."""

from assay.errors import EvaluatorError
from assay.text.tokenizers import check_tokenizer


def chosen_orders(name: str, max_order: int, order: int | None, tokenizer: str) -> list[int]:
    """Check the parameters, and return the orders to average over."""
    check_tokenizer(tokenizer)
    if max_order < 1 or (order is not None and order < 1):
        raise EvaluatorError(f"{name}: n-grams have at least one token; give max_order or order as 1 or more.")
    return list(range(1, max_order + 1)) if order is None else [order]
