"""All pairs of texts: similarities, and which pairs there are."""
