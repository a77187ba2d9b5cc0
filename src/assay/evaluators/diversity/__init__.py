"""Diversity of response sets: how different the texts given together for one item are."""
