"""Probes of a judge: damaged texts, and biases of its answers."""
