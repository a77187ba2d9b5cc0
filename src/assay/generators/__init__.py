"""Testers: small systems that sample texts at a setting and give the exact log-probability of any text."""
