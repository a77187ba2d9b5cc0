"""Adversarial training of word networks: critics, texts played out to their end, and rounds of both."""
