"""A study: one file says what to measure, one run measures it, one report tells."""
