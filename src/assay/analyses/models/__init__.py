"""Log-probabilities and texts of language models."""
