"""Overlap of texts with their references and with each other, on token and n-gram ids."""
