"""Discriminators under test: what they know of generators they never met, and what they look at."""
