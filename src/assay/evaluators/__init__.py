"""One file per evaluator, grouped by family."""
