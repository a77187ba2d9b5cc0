"""Whole questions answered in one call: scoring, uncertainty and what to make of it."""
