"""Small text generators for tests and examples: they sample, and give the exact log-probability of any text."""
