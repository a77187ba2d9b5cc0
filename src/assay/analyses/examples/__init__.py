"""Texts worth reading, and what each generator gets wrong."""
