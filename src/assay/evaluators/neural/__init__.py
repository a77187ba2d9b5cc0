"""Similarities of two texts by models in local folders."""
