"""Panels that send annotators: what comes in with a link, what goes back to be paid."""
