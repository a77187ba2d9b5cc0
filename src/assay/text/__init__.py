"""Texts as flat UTF-8 buffers, and tokenizers that turn them into integer arrays."""
