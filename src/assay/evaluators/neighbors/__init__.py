"""Neighbor models: the quality of a text from that of the most similar judged texts."""
