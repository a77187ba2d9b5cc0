"""Similarities of two texts by neural models in local folders."""
