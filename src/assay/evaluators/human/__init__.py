"""Human judgments as evaluators."""
