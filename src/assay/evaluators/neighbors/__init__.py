"""Neighbor models: the quality of a text from the known quality of the texts most like it."""
