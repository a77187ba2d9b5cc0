"""Pairs of texts: enumerating them, and their similarities."""
