"""Readers of files that other projects publish or write: each gives their columns a meaning."""
